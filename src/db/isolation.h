#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/product/product.h"

namespace txscope::db {

/// At which level transactions run: what begins one, and what the log claims.
struct RunLevel {
  std::string level;  ///< the claim, as the user named it in full
  std::string begin;  ///< SQL
  /// SQL for each new connection; may be empty.
  std::string session;
};

/// The level of that name on a product: a profile ("mariadb:repeatable-read",
/// "pg:rr"), or a level of theory that one of them promises or is called by
/// (serializable, snapshot-isolation, read-committed).  Empty, or the product
/// alone: its default.
[[nodiscard]] Result<RunLevel> isolation(Product product,
                                         std::string_view level);

}  // namespace txscope::db
