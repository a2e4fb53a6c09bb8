#pragma once

#include "base/id.h"

namespace txscope {

// What programs of both forms number.
using TableId = Id<struct TableTag>;
using PropertyId = Id<struct PropertyTag>;

}  // namespace txscope
