#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace txscope::verb {

/// An error of the call, not of a file.
[[nodiscard]] inline Error wrong_call(std::string what, std::string hint) {
  return Error{Place{"txscope", 0, 0, {}}, std::move(what), std::move(hint),
               ""};
}

}  // namespace txscope::verb
