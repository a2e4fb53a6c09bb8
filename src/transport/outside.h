#pragma once

#include "transport/transport.h"

namespace txscope::transport {

/// The ranks that this process was started as one of, by somebody else
/// (mpirun); null if it was not.
[[nodiscard]] Transport* outside();
void set_outside(Transport* transport);

}  // namespace txscope::transport
