#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace txscope {

enum class Product : std::uint8_t { PostgreSql, MariaDb, Sqlite, Oracle };

/// One product: a row of the only table of them.
struct ProductRow {
  Product product;
  std::string_view name;   ///< in levels, URIs and logs: "postgresql"
  std::string_view title;  ///< for people: "PostgreSQL"
  /// txscope can talk to it (`record`, the live tests).
  bool is_driven = false;
};

[[nodiscard]] std::span<const ProductRow> products();
[[nodiscard]] const ProductRow& row_of(Product product);
/// "postgresql": in levels, URIs and logs.
[[nodiscard]] std::string_view name(Product product);
/// "PostgreSQL".
[[nodiscard]] std::string_view title(Product product);

/// The storage engine of MariaDB and MySQL that our profiles are of.
inline constexpr std::string_view kStorageEngine = "innodb";

/// What people call a product.
struct ProductAlias {
  std::string_view name;
  Product product;
  /// What to tell who says so; may be empty.
  std::string_view note;
};

/// The product that people call so, in any case ("pg" is PostgreSQL); null:
/// nobody does.
[[nodiscard]] const ProductAlias* product_named(std::string_view text);
/// All of that, products' own names first.
[[nodiscard]] std::span<const ProductAlias> product_aliases();

/// Why there are no levels of a product that people ask for, as SQL Server;
/// none: there are, or nobody knows of it.
[[nodiscard]] std::optional<std::string_view> why_no_product(
    std::string_view text);

}  // namespace txscope
