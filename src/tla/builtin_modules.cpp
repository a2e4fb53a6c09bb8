#include <string_view>

#include "tla/loader.h"

namespace txscope::tla {

const char* builtin_module_text(std::string_view) { return nullptr; }

}  // namespace txscope::tla
