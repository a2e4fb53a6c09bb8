#include "txscope/explain.h"

#include "cli/finish.h"
#include "cli/verbs.h"

namespace txscope::cli {

int run_explain(const Options& options) {
  Listening listening;
  return finish(options, listening, verb::explain({options.input}));
}

}  // namespace txscope::cli
