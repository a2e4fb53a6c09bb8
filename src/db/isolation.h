#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "db/product.h"

namespace txscope::db {

/// At which level transactions run: what begins one, and what the log claims.
struct Isolation {
  std::string level;  ///< the claim, as the user named it in full
  std::string begin;  ///< SQL
  /// SQL for each new connection; may be empty.
  std::string session;
};

/// The level of that name on a product: a profile ("mariadb:repeatable-read",
/// "pg:rr") or a level whose promise the product makes (serializable,
/// snapshot-isolation, read-committed, read-uncommitted).  Empty: the product's
/// default.
[[nodiscard]] Result<Isolation> isolation(Product product,
                                          std::string_view level);

}  // namespace txscope::db
