#pragma once

#include <cstdint>
#include <vector>

#include "model/program.h"

namespace txscope {

/// Whether a local has a value where an expression uses it.
enum class Assigned : std::uint8_t {
  Always,  ///< on every path
  Maybe,   ///< on some paths; engines must look
  Never,   ///< on no path: certainly a mistake
};

/// For every expression, by ExprId: of a Local, whether it is assigned there;
/// of anything else Always.  An ordinary forward data-flow analysis; a loop's
/// body may have been run before its head.
[[nodiscard]] std::vector<Assigned> assigned_locals(const Program& program);

}  // namespace txscope
