#include "engine/profile.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/suggest.h"

namespace txscope::engine {
namespace {

constexpr std::string_view kPostgres = "observed on PostgreSQL 15";
constexpr std::string_view kMariaDb = "observed on MariaDB 10.11";
constexpr std::string_view kMariaDbCaveat =
    "MariaDB may choose another victim of a deadlock, and in rare schedules "
    "waits where this does not";
constexpr std::string_view kSqlite =
    "from documentation and published anomaly tests (deferred transactions, "
    "rollback journal), not observed";
constexpr std::string_view kOracle = "from documentation, not observed";

constexpr std::array kProfiles = std::to_array<Profile>({
    {Product::PostgreSql, Isolation::ReadCommitted, "postgresql:read-committed",
     "every statement has a fresh snapshot; UPDATE, DELETE and locking reads "
     "wait for concurrent writers and test the latest version of each row they "
     "found again",
     true, kPostgres},
    {Product::PostgreSql, Isolation::RepeatableRead,
     "postgresql:repeatable-read",
     "one snapshot from the first statement on; writing or locking a row that "
     "was written since fails with 40001",
     true, kPostgres},
    {Product::PostgreSql, Isolation::Serializable, "postgresql:serializable",
     "repeatable-read, and transactions whose reads and writes could close a "
     "cycle fail with 40001",
     true, kPostgres},
    {Product::MariaDb, Isolation::ReadUncommitted, "mariadb:read-uncommitted",
     "plain reads see uncommitted rows; writes and locking reads as at "
     "read-committed",
     true, kMariaDb, kMariaDbCaveat},
    {Product::MariaDb, Isolation::ReadCommitted, "mariadb:read-committed",
     "every plain read has a fresh snapshot; writes and locking reads work on "
     "the latest rows and lock what they examine, without gaps",
     true, kMariaDb, kMariaDbCaveat},
    {Product::MariaDb, Isolation::RepeatableRead, "mariadb:repeatable-read",
     "plain reads come from one snapshot made by the first of them; writes and "
     "locking reads work on the latest rows and lock them and the gaps between",
     true, kMariaDb, kMariaDbCaveat},
    {Product::MariaDb, Isolation::RepeatableReadSnapshot,
     "mariadb:repeatable-read+snapshot",
     "repeatable-read with innodb_snapshot_isolation=ON: error 1020 where a "
     "write or locking read meets a row that changed since the snapshot",
     true, kMariaDb, kMariaDbCaveat},
    {Product::MariaDb, Isolation::Serializable, "mariadb:serializable",
     "repeatable-read with every plain read a shared locking read", true,
     kMariaDb, kMariaDbCaveat},
    {Product::Sqlite, Isolation::Serializable, "sqlite",
     "one writer at a time, who commits when nobody reads; what would have to "
     "wait fails with SQLITE_BUSY",
     false, kSqlite},
    {Product::Oracle, Isolation::ReadCommitted, "oracle:read-committed",
     "every statement has a fresh snapshot; a write that meets a row changed "
     "since starts again with a new one",
     false, kOracle},
    {Product::Oracle, Isolation::Serializable, "oracle:serializable",
     "one snapshot from the first statement on; writing a row that was written "
     "since fails with ORA-08177 (snapshot isolation)",
     false, kOracle},
});

struct Alias {
  std::string_view name;
  std::string_view meant;
};

constexpr std::array kProducts = std::to_array<Alias>({
    {"postgresql", "postgresql"},
    {"postgres", "postgresql"},
    {"pg", "postgresql"},
    {"pgsql", "postgresql"},
    {"mariadb", "mariadb"},
    {"maria", "mariadb"},
    {"mysql", "mariadb"},
    {"innodb", "mariadb"},
    {"sqlite", "sqlite"},
    {"sqlite3", "sqlite"},
    {"oracle", "oracle"},
});

constexpr std::array kLevels = std::to_array<Alias>({
    {"ru", "read-uncommitted"},
    {"rc", "read-committed"},
    {"rr", "repeatable-read"},
    {"rr+snapshot", "repeatable-read+snapshot"},
    {"rr+snap", "repeatable-read+snapshot"},
    {"repeatable-read+snap", "repeatable-read+snapshot"},
    {"ser", "serializable"},
    {"ssi", "serializable"},
    {"serialisable", "serializable"},
});

constexpr std::array kRefused = std::to_array<Alias>({
    {"sqlserver", "there is no profile of SQL Server"},
    {"mssql", "there is no profile of SQL Server"},
    {"cockroachdb",
     "there is no profile of CockroachDB; its default is the level "
     "serializable"},
    {"db2", "there is no profile of Db2"},
});

std::string canonical(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == '_' || c == ' ')
      name += '-';
    else if (c >= 'A' && c <= 'Z')
      name += static_cast<char>(c - 'A' + 'a');
    else
      name += c;
  }
  return name;
}

std::optional<std::string_view> lookup(std::span<const Alias> table,
                                       std::string_view name) {
  for (const Alias& row : table)
    if (row.name == name) return row.meant;
  return std::nullopt;
}

const Profile* find(std::string_view name) {
  for (const Profile& profile : kProfiles)
    if (profile.name == name) return &profile;
  return nullptr;
}

Error unknown(std::string_view name) {
  Error error;
  error.what = "unknown profile '" + std::string(name) + "'";
  std::vector<std::string> names;
  names.reserve(kProfiles.size());
  for (const Profile& profile : kProfiles) names.emplace_back(profile.name);
  error.hint = suggestion(name, names);
  if (!error.hint.empty()) return error;
  error.hint = "known profiles:";
  for (const std::string& known : names) error.hint += " " + known;
  return error;
}

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

std::optional<std::string_view> product_named(std::string_view text) {
  return lookup(kProducts, canonical(text));
}

bool is_profile_name(std::string_view name) {
  if (name.find(':') != std::string_view::npos) return true;
  const std::string text = canonical(name);
  return lookup(kProducts, text) || lookup(kRefused, text);
}

Result<const Profile*> parse_profile(std::string_view name) {
  const std::string text = canonical(name);
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  if (const auto why = lookup(kRefused, first)) {
    return Error{.where = {},
                 .what = "no profile '" + std::string(name) + "'",
                 .hint = std::string(*why),
                 .source_line = {}};
  }
  const auto product = lookup(kProducts, first);
  std::string meant(product ? *product : std::string_view(first));
  if (colon != std::string::npos) {
    const std::string level = text.substr(colon + 1);
    const auto known = lookup(kLevels, level);
    // SQLite has one level, whatever it is called.
    if (meant != "sqlite" || (known ? *known : level) != "serializable")
      meant += ":" + std::string(known ? *known : std::string_view(level));
  }
  if (const Profile* profile = find(meant)) return profile;
  return unknown(meant);
}

}  // namespace txscope::engine
