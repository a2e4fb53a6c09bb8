#include "cli/pages/version.h"

#include "smt/solver.h"

namespace txscope::cli {

std::string version_text() {
  return "txscope " TXSCOPE_VERSION
         "\nsolvers: built in (conflict-driven search with graph theories), " +
         smt::solver_version() + "\n";
}

}  // namespace txscope::cli
