#include "cli/record_proxy.h"

#include "cli/diagnostics.h"

namespace txscope::cli {

int run_proxy(const Options&) {
  return report_error(wrong_call("--proxy is not there yet", ""));
}

}  // namespace txscope::cli
