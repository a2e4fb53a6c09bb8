#include "model/product/profile.h"

#include <array>
#include <cassert>
#include <vector>

#include "base/suggest.h"
#include "model/product/standby.h"

namespace txscope {
namespace {

constexpr std::string_view kPostgres = "observed on PostgreSQL 15";
constexpr std::string_view kMariaDb = "observed on MariaDB 10.11";
constexpr std::string_view kMariaDbCaveat =
    "MariaDB may choose another victim of a deadlock, and in rare schedules "
    "waits where this does not";
constexpr std::string_view kSqlite =
    "from documentation and published anomaly tests (deferred transactions, "
    "rollback journal), not observed";
constexpr std::string_view kStandby =
    "from documentation of hot standby, the long fork not observed";
constexpr std::string_view kOracle = "from documentation, not observed";

// What is promised in terms of theory: docs/levels.md.  MariaDB's
// repeatable-read mixes the latest rows with those of a snapshot.  READ
// UNCOMMITTED is held to nothing by `audit`, which decides nothing weaker than
// READ COMMITTED.
constexpr std::array kProfiles = std::to_array<Profile>({
    {Product::PostgreSql, Isolation::ReadCommitted, "postgresql:read-committed",
     "every statement has a fresh snapshot; UPDATE, DELETE and locking reads "
     "wait for concurrent writers and test the latest version of each row they "
     "found again",
     true, kPostgres, "", "READ COMMITTED", Base::MonotonicAtomicView,
     LogRule::PostgresReadCommitted, true},
    {Product::PostgreSql, Isolation::RepeatableRead,
     "postgresql:repeatable-read",
     "one snapshot from the first statement on; writing or locking a row that "
     "was written since fails with 40001",
     true, kPostgres, "", "REPEATABLE READ", Base::SnapshotIsolation,
     LogRule::PostgresRepeatableRead},
    {Product::PostgreSql, Isolation::Serializable, "postgresql:serializable",
     "repeatable-read, and transactions whose reads and writes could close a "
     "cycle fail with 40001",
     true, kPostgres, "", "SERIALIZABLE", Base::Serializable,
     LogRule::Serializable},
    {Product::MariaDb, Isolation::ReadUncommitted, "mariadb:read-uncommitted",
     "plain reads see uncommitted rows; writes and locking reads as at "
     "read-committed",
     true, kMariaDb, kMariaDbCaveat, "READ UNCOMMITTED", Base::ReadUncommitted,
     std::nullopt},
    {Product::MariaDb, Isolation::ReadCommitted, "mariadb:read-committed",
     "every plain read has a fresh snapshot; writes and locking reads work on "
     "the latest rows and lock what they examine, without gaps",
     true, kMariaDb, kMariaDbCaveat, "READ COMMITTED",
     Base::MonotonicAtomicView, LogRule::MariadbReadCommitted},
    {Product::MariaDb, Isolation::RepeatableRead, "mariadb:repeatable-read",
     "plain reads come from one snapshot made by the first of them; writes and "
     "locking reads work on the latest rows and lock them and the gaps between",
     true, kMariaDb, kMariaDbCaveat, "REPEATABLE READ", Base::ReadCommitted,
     LogRule::MariadbRepeatableRead, true},
    {Product::MariaDb, Isolation::RepeatableReadSnapshot,
     "mariadb:repeatable-read+snapshot",
     "repeatable-read with innodb_snapshot_isolation=ON: error 1020 where a "
     "write or locking read meets a row that changed since the snapshot",
     true, kMariaDb, kMariaDbCaveat, "REPEATABLE READ", Base::SnapshotIsolation,
     LogRule::MariadbSnapshot},
    {Product::MariaDb, Isolation::Serializable, "mariadb:serializable",
     "repeatable-read with every plain read a shared locking read", true,
     kMariaDb, kMariaDbCaveat, "SERIALIZABLE", Base::Serializable,
     LogRule::Serializable},
    {Product::Sqlite, Isolation::Serializable, "sqlite",
     "one writer at a time, who commits when nobody reads; what would have to "
     "wait fails with SQLITE_BUSY",
     false, kSqlite, "", "", Base::Serializable, LogRule::Serializable, true},
    {Product::Oracle, Isolation::ReadCommitted, "oracle:read-committed",
     "every statement has a fresh snapshot; a write that meets a row changed "
     "since starts again with a new one",
     false, kOracle, "", "READ COMMITTED", Base::MonotonicAtomicView,
     std::nullopt, true},
    {Product::Oracle, Isolation::Serializable, "oracle:serializable",
     "one snapshot from the first statement on; writing a row that was written "
     "since fails with ORA-08177 (snapshot isolation)",
     false, kOracle, "", "SERIALIZABLE", Base::SnapshotIsolation,
     LogRule::Snapshot},
});
// Beside the table: no engine does it.
constexpr Profile kOnStandby = {
    Product::PostgreSql,
    Isolation::RepeatableRead,
    "postgresql-standby",
    "reads on a hot standby at REPEATABLE READ: one snapshot, a state that the "
    "primary's commits have led to, which may be from before what the session "
    "has written or seen on the primary",
    false,
    kStandby,
    "a standby shows commits in the order of the WAL, the primary in the order "
    "in which they ended, so a reader on each may disagree about two that "
    "commit at once (long fork); audit leaves open what only that or more "
    "explains",
    "",
    Base::ReadCommitted,
    LogRule::Prefix};

// Besides `-` for spaces and `_`.  PostgreSQL has nothing weaker than READ
// COMMITTED.
constexpr std::array kLevels = std::to_array<LevelAlias>({
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
constexpr std::array kWholeNames = std::to_array<LevelAlias>({
    {"postgresql:read-uncommitted", "postgresql:read-committed"},
    {"sqlite:serializable", "sqlite"},
});

std::string meant_by(std::span<const LevelAlias> table, std::string text) {
  for (const LevelAlias& row : table)
    if (row.name == text) return std::string(row.meant);
  return text;
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
  error.hint = txscope::suggestion(name, names);
  if (!error.hint.empty()) return error;
  error.hint = "known profiles:";
  for (const std::string& known : names) error.hint += " " + known;
  return error;
}

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }
const Profile& standby_profile() { return kOnStandby; }
std::span<const LevelAlias> level_aliases() { return kLevels; }

const Profile& profile_of(Product product, Isolation isolation) {
  for (const Profile& profile : kProfiles)
    if (profile.product == product && profile.isolation == isolation)
      return profile;
  assert(false && "the product has that level");
  return kProfiles.front();
}

bool is_profile_name(std::string_view name) {
  return name.find(':') != std::string_view::npos ||
         product_named(name) != nullptr || why_no_product(name) ||
         canonical_name(name) == kOnStandby.name;
}

Result<const Profile*> parse_profile(std::string_view name) {
  const std::string text = canonical_name(name);
  if (text == kOnStandby.name)
    return Error{.where = {},
                 .what = "'" + text + "' is no level that can be run",
                 .hint =
                     "audit holds the transactions of a log against it "
                     "that have it as their own level",
                 .source_line = {}};
  const std::size_t colon = text.find(':');
  std::string meant = text.substr(0, colon);
  if (const auto why = why_no_product(meant)) {
    return Error{.where = {},
                 .what = "no profile '" + std::string(name) + "'",
                 .hint = std::string(*why),
                 .source_line = {}};
  }
  if (const ProductAlias* alias = product_named(meant))
    meant = txscope::name(alias->product);
  if (colon != std::string::npos)
    meant += ":" + meant_by(kLevels, text.substr(colon + 1));
  meant = meant_by(kWholeNames, std::move(meant));
  if (const Profile* profile = find(meant)) return profile;
  return unknown(meant);
}

const Profile* profile_for(Product product, Base level) {
  for (const Profile& profile : kProfiles) {
    if (profile.product != product) continue;
    const std::size_t own = profile.name.find(':') + 1;
    if (profile.promise == level || profile.name.substr(own) == name(level))
      return &profile;
  }
  return nullptr;
}

std::string profiles_called(std::string_view name) {
  std::string called;
  for (const ProductRow& product : products()) {
    const auto same =
        parse_profile(std::string(product.name) + ":" + std::string(name));
    if (same)
      called += (called.empty() ? "" : ", ") + std::string((*same)->name);
  }
  return called;
}

}  // namespace txscope
