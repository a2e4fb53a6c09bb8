#pragma once

#include <cstdint>
#include <string_view>

namespace txscope::db {

/// The databases that txscope talks to.
enum class Product : std::uint8_t { PostgreSql, MariaDb, Sqlite };

/// "postgresql", "mariadb", "sqlite": in URIs, profiles, and as `dialect`.
[[nodiscard]] constexpr std::string_view name(Product product) {
  switch (product) {
    case Product::PostgreSql: return "postgresql";
    case Product::MariaDb: return "mariadb";
    case Product::Sqlite: return "sqlite";
  }
  return "";
}

}  // namespace txscope::db
