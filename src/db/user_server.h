#pragma once

#include <memory>

#include "base/result.h"
#include "db/address.h"
#include "db/server.h"

namespace txscope::db {

/// A server that is not ours, with a database on it that is ours alone: the
/// default one of `connect`.  It is dropped with this object; nothing else
/// there is touched.
[[nodiscard]] Result<std::unique_ptr<Server>> open_user_server(
    const Address& address, const std::string& database);

}  // namespace txscope::db
