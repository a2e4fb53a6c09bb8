#include "model/product/product.h"

#include <array>
#include <string>

#include "model/level.h"

namespace txscope {
namespace {

// Indexed by Product.
constexpr std::array kProducts = std::to_array<ProductRow>({
    {Product::PostgreSql, "postgresql", "PostgreSQL", true},
    {Product::MariaDb, "mariadb", "MariaDB", true},
    {Product::Sqlite, "sqlite", "SQLite", true},
    {Product::Oracle, "oracle", "Oracle", false},
});

constexpr std::string_view kMySql =
    "mysql: means InnoDB's rules, as observed on MariaDB; MySQL itself was not "
    "run";

constexpr std::array kAliases = std::to_array<ProductAlias>({
    {"postgresql", Product::PostgreSql, ""},
    {"mariadb", Product::MariaDb, ""},
    {"sqlite", Product::Sqlite, ""},
    {"oracle", Product::Oracle, ""},
    {"postgres", Product::PostgreSql, ""},
    {"pg", Product::PostgreSql, ""},
    {"pgsql", Product::PostgreSql, ""},
    {"maria", Product::MariaDb, ""},
    {"mysql", Product::MariaDb, kMySql},
    {"innodb", Product::MariaDb, kMySql},
    {"sqlite3", Product::Sqlite, ""},
});

struct Absent {
  std::string_view name;
  std::string_view why;
};

constexpr std::array kAbsent = std::to_array<Absent>({
    {"sqlserver", "there is no profile of SQL Server"},
    {"mssql", "there is no profile of SQL Server"},
    {"cockroachdb",
     "there is no profile of CockroachDB; its default is the level "
     "serializable"},
    {"db2", "there is no profile of Db2"},
});

}  // namespace

std::span<const ProductRow> products() { return kProducts; }

const ProductRow& row_of(Product product) {
  return kProducts[static_cast<std::size_t>(product)];
}

std::string_view name(Product product) { return row_of(product).name; }
std::string_view title(Product product) { return row_of(product).title; }

const ProductAlias* product_named(std::string_view text) {
  const std::string wanted = canonical_name(text);
  for (const ProductAlias& alias : kAliases)
    if (alias.name == wanted) return &alias;
  return nullptr;
}

std::span<const ProductAlias> product_aliases() { return kAliases; }

std::optional<std::string_view> why_no_product(std::string_view text) {
  const std::string wanted = canonical_name(text);
  for (const Absent& absent : kAbsent)
    if (absent.name == wanted) return absent.why;
  return std::nullopt;
}

}  // namespace txscope
