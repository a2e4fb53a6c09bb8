#include "cli/version.h"

namespace txscope::cli {

std::string version_text() {
  return "txscope " TXSCOPE_VERSION
         "\nsolver: built in (conflict-driven search with graph theories)\n";
}

}  // namespace txscope::cli
