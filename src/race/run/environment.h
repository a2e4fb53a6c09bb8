#pragma once

#include <string>

#include "model/product/product.h"
#include "race/plan/plan.h"
#include "race/run/process.h"
#include "race/wire/sockets.h"

namespace txscope::race {

/// Variables by which client libraries find a database: what the product's own
/// read, what its images and frameworks call them, and DATABASE_URL.  A host
/// that is a directory holds the socket.
[[nodiscard]] Process::Environment client_environment(
    Product product, const Endpoint& where, const std::string& database,
    const std::string& user);

/// These, and the plan's own, which come first: in their values {host}, {port},
/// {database}, {user} and {url} stand for what DATABASE_URL is made of.
[[nodiscard]] Process::Environment environment_of(const Plan& plan,
                                                  const Endpoint& where,
                                                  const std::string& database,
                                                  const std::string& user);

}  // namespace txscope::race
