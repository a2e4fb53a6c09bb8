#pragma once

#include <cstdint>

namespace txscope::sql {

/// What becomes of a statement that a database would refuse.
enum class Mistakes : std::uint8_t {
  Refuse,    ///< the whole text is refused
  LeaveOut,  ///< it is left out, as psql goes on behind it
};

}  // namespace txscope::sql
