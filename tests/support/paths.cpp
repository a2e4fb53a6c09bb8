#include "support/paths.h"

namespace txscope::test {

std::string source_dir() { return TXSCOPE_SOURCE_DIR; }

std::string binary() { return TXSCOPE_BINARY; }

}  // namespace txscope::test
