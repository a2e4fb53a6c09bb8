#pragma once

#include "transport/transport.h"

namespace txscope::transport {

/// The ranks that this process was started as one of, by somebody else
/// (mpirun); null if it was not.
[[nodiscard]] Transport* outside();
void set_outside(Transport* transport);
/// Whether it is one of these and not rank 0, which tells the answer.
[[nodiscard]] bool is_helper();

}  // namespace txscope::transport
