#pragma once

#include <cstdint>

namespace txscope::engine {

/// What has to be as in some serial order of the committed transactions.
enum class SerialSense : std::uint8_t {
  Outcome,  ///< what their statements gave, and the rows in the end
  State,    ///< the rows in the end
};

}  // namespace txscope::engine
