#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/level.h"
#include "model/product/log_rule.h"
#include "model/product/product.h"

namespace txscope {

/// What the product calls the level; sqlite has only one.
enum class Isolation : std::uint8_t {
  ReadUncommitted,
  ReadCommitted,
  RepeatableRead,
  RepeatableReadSnapshot,  ///< MariaDB with innodb_snapshot_isolation=ON
  Serializable,
};

/// What one product really does at the level that it calls so.  Profiles are
/// rows of one table; compare their addresses.
struct Profile {
  Product product = Product::PostgreSql;
  Isolation isolation = Isolation::ReadCommitted;
  std::string_view name;     ///< "postgresql:read-committed"
  std::string_view summary;  ///< what it does, one sentence
  /// Compared with the running product, interleaving by interleaving.  Else it
  /// comes from documentation, and answers must say so.
  bool is_observed = false;
  std::string_view source;       ///< "observed on PostgreSQL 15", "from ..."
  std::string_view caveat = {};  ///< what is known to differ from the product
  /// What stands after ISOLATION LEVEL; empty: the product has one level.
  std::string_view sql = {};
  /// The level of theory that clients may rely on.
  Base promise = Base::ReadUncommitted;
  /// What `audit` holds a log to; none: it decides nothing that weak.
  std::optional<LogRule> log_rule = std::nullopt;
  /// Transactions run at it unless somebody asks for another one.
  bool is_default = false;
};

/// All of them, from weak to strong per product.
[[nodiscard]] std::span<const Profile> profiles();
/// The row of that product and level, which must be there.
[[nodiscard]] const Profile& profile_of(Product product, Isolation isolation);

/// Whether a level's name is meant to be a profile: it names a product, known
/// or not ("sqlserver:rr"), as in product:level, or `sqlite`.
[[nodiscard]] bool is_profile_name(std::string_view name);

/// The profile of that name or alias ("pg:rc", "postgres:read-committed",
/// "MariaDB:REPEATABLE READ").  An Error says what was meant, or why there is
/// none; its place is empty.
[[nodiscard]] Result<const Profile*> parse_profile(std::string_view name);

/// Other words for what a product calls a level: "rr", "read_committed".
struct LevelAlias {
  std::string_view name;
  std::string_view meant;
};
[[nodiscard]] std::span<const LevelAlias> level_aliases();

/// The level of a product that goes by a level of theory: it promises that
/// one, or is called so; null: none does.
[[nodiscard]] const Profile* profile_for(Product product, Base level);

/// The levels of products that SQL calls so: "postgresql:repeatable-read,
/// mariadb:repeatable-read"; may be empty.
[[nodiscard]] std::string profiles_called(std::string_view name);

}  // namespace txscope
