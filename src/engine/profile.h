#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace txscope::engine {

enum class Product : std::uint8_t { PostgreSql, MariaDb, Sqlite, Oracle };

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
};

/// All of them, from weak to strong per product.
[[nodiscard]] std::span<const Profile> profiles();

/// The product that people call so, as it is named here ("pg" is
/// "postgresql"); none: nobody does.
[[nodiscard]] std::optional<std::string_view> product_named(
    std::string_view text);

/// Whether a level's name is meant to be a profile: it names a product, known
/// or not ("sqlserver:rr"), as in product:level, or `sqlite`.
[[nodiscard]] bool is_profile_name(std::string_view name);

/// The profile of that name or alias ("pg:rc", "postgres:read-committed",
/// "mariadb:rr").  An Error says what was meant, or why there is none; its
/// place is empty.
[[nodiscard]] Result<const Profile*> parse_profile(std::string_view name);

}  // namespace txscope::engine
