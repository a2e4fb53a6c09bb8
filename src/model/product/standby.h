#pragma once

#include "model/product/profile.h"

namespace txscope {

/// Reads on a hot standby of PostgreSQL.  Only transactions of logs are held
/// against it, so it is none of profiles(), and parse_profile() refuses it.
[[nodiscard]] const Profile& standby_profile();

}  // namespace txscope
