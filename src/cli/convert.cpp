#include "cli/diagnostics.h"
#include "cli/history_input.h"
#include "cli/history_output.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_convert(const Options& options) {
  auto source = open_input(options);
  if (!source) return report_error(source.error());
  const auto ok = write_histories(options, [&] { return (*source)->next(); });
  return ok ? kHolds : report_error(ok.error());
}

}  // namespace txscope::cli
