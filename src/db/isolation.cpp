#include "db/isolation.h"

#include <vector>

#include "db/keeper.h"

namespace txscope::db {
namespace {

struct IsolationRow {
  Product product;
  std::string_view profile;
  std::string_view sql;      ///< ISOLATION LEVEL
  std::string_view promise;  ///< the level that this is asked for by
  bool is_default = false;
};

// The first row with a promise is the one that is asked for by it.  MariaDB's
// REPEATABLE READ does not promise snapshot isolation; with
// innodb_snapshot_isolation=ON it does.
constexpr IsolationRow kIsolations[] = {
    {Product::PostgreSql, "postgresql:read-committed", "READ COMMITTED",
     "read-committed", true},
    {Product::PostgreSql, "postgresql:repeatable-read", "REPEATABLE READ",
     "snapshot-isolation"},
    {Product::PostgreSql, "postgresql:serializable", "SERIALIZABLE",
     "serializable"},
    {Product::MariaDb, "mariadb:read-uncommitted", "READ UNCOMMITTED",
     "read-uncommitted"},
    {Product::MariaDb, "mariadb:read-committed", "READ COMMITTED",
     "read-committed"},
    {Product::MariaDb, "mariadb:repeatable-read", "REPEATABLE READ", "", true},
    {Product::MariaDb, "mariadb:repeatable-read+snapshot", "REPEATABLE READ",
     "snapshot-isolation"},
    {Product::MariaDb, "mariadb:serializable", "SERIALIZABLE", "serializable"},
    {Product::Sqlite, "sqlite", "", "serializable", true},
};

constexpr std::string_view kIsolationAliases[][2] = {
    {"ru", "read-uncommitted"},
    {"rc", "read-committed"},
    {"rr", "repeatable-read"},
    {"si", "snapshot-isolation"},
    {"ser", "serializable"},
    {"read-uncommitted", "read-uncommitted"},
    {"rr+snapshot", "repeatable-read+snapshot"},
};
constexpr std::string_view kProductAliases[][2] = {
    {"pg", "postgresql"}, {"postgres", "postgresql"}, {"pgsql", "postgresql"},
    {"maria", "mariadb"}, {"sqlite3", "sqlite"},
};

std::string lower(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '_' || c == ' ') c = '-';
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

template <std::size_t N>
std::string meant(const std::string& text,
                  const std::string_view (&aliases)[N][2]) {
  for (const auto& alias : aliases)
    if (text == alias[0]) return std::string(alias[1]);
  return text;
}

std::string canonical(std::string_view level) {
  const std::string text = lower(level);
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    return meant(meant(text, kProductAliases), kIsolationAliases);
  const std::string product = meant(text.substr(0, colon), kProductAliases);
  const std::string own = meant(text.substr(colon + 1), kIsolationAliases);
  if (product == "sqlite" && own == "serializable") return product;
  return product + ":" + own;
}

Isolation made(const IsolationRow& row, std::string level) {
  Isolation made;
  made.level = std::move(level);
  const std::string sql(row.sql);
  switch (row.product) {
    case Product::PostgreSql:
      made.begin = "BEGIN ISOLATION LEVEL " + sql;
      break;
    case Product::MariaDb: {
      // Older servers do not know the variable: only who wants it sets it.
      const bool is_snapshot = row.profile.ends_with("+snapshot");
      if (is_snapshot) made.session = "SET innodb_snapshot_isolation = ON; ";
      made.session += "SET SESSION TRANSACTION ISOLATION LEVEL " + sql;
      made.begin = "START TRANSACTION";
      break;
    }
    case Product::Sqlite: made.begin = "BEGIN"; break;
  }
  return made;
}

}  // namespace

Result<Isolation> isolation(Product product, std::string_view level) {
  const std::string wanted = canonical(level);
  std::string known;
  for (const IsolationRow& row : kIsolations) {
    if (row.product != product) continue;
    if (wanted.empty() ? row.is_default
                       : wanted == row.profile || wanted == row.promise)
      return made(row, wanted.empty() ? std::string(row.profile) : wanted);
    known += (known.empty() ? "" : ", ") + std::string(row.profile);
    if (!row.promise.empty()) known += ", " + std::string(row.promise);
  }
  return failure("--level: " + std::string(name(product)) + " has no level '" +
                     std::string(level) + "'",
                 "it has " + known);
}

}  // namespace txscope::db
