#include "engine/server/product_rules.h"

#include <array>

namespace txscope::engine {
namespace {

using sql::Broken;
using sql::ErrorCode;
using sql::ErrorText;

constexpr std::string_view kSecondChange =
    "ON CONFLICT DO UPDATE command cannot affect row a second time";

constexpr std::array kMariaDbTexts = std::to_array<ErrorText>({
    {Broken::DuplicateKey, "1062", "Duplicate entry for key '{key}'"},
    {Broken::NoParent, "1452",
     "Cannot add or update a child row: a foreign key constraint fails "
     "(`{key}`)"},
    {Broken::HasChildren, "1451",
     "Cannot delete or update a parent row: a foreign key constraint fails "
     "(`{key}`)"},
    {Broken::SecondChange, "21000", kSecondChange},
});
constexpr std::array kMariaDbCodes = std::to_array<ErrorCode>({
    {"23502", "1048"},
    {"23514", "4025"},
    {"22003", "1264"},
    {"22001", "1406"},
    {"22012", "1365"},
    {"21000", "1242"},
});

constexpr std::array kOracleTexts = std::to_array<ErrorText>({
    {Broken::DuplicateKey, "ORA-00001", "unique constraint violated"},
    {Broken::NoParent, "ORA-02291",
     "integrity constraint violated - parent key not found"},
    {Broken::HasChildren, "ORA-02292",
     "integrity constraint violated - child record found"},
    {Broken::SecondChange, "21000", kSecondChange},
});

constexpr std::array kSqliteTexts = std::to_array<ErrorText>({
    {Broken::DuplicateKey, "SQLITE_CONSTRAINT_UNIQUE",
     "UNIQUE constraint failed: {key}"},
    {Broken::NoParent, "SQLITE_CONSTRAINT_FOREIGNKEY",
     "FOREIGN KEY constraint failed"},
    {Broken::HasChildren, "SQLITE_CONSTRAINT_FOREIGNKEY",
     "FOREIGN KEY constraint failed"},
    {Broken::SecondChange, "21000", kSecondChange},
});
constexpr std::array kSqliteCodes = std::to_array<ErrorCode>({
    {"23502", "SQLITE_CONSTRAINT_NOTNULL"},
    {"23514", "SQLITE_CONSTRAINT_CHECK"},
});

// InnoDB numbers all rows of an INSERT at once (innodb_autoinc_lock_mode 1).
sql::WriteRules mariadb() {
  sql::WriteRules rules;
  rules.is_clustered = true;
  rules.has_arbiters = false;
  rules.checks_foreign_keys_by_row = true;
  rules.makes_rows_first = true;
  rules.counts_duplicates_twice = true;
  rules.skips_equal_rows = true;
  rules.checks_emptied_rows = false;
  rules.fires_by_row = true;
  rules.runs_parts = false;
  rules.has_merge = false;
  rules.deferral = sql::Deferral::Ignored;  // its tables cannot have them
  rules.texts = kMariaDbTexts;
  rules.codes = kMariaDbCodes;
  return rules;
}

sql::WriteRules like_postgresql(std::span<const ErrorText> texts,
                                std::span<const ErrorCode> codes) {
  sql::WriteRules rules = sql::postgresql_rules();
  rules.fires_triggers = false;
  rules.runs_parts = false;
  rules.has_merge = false;
  rules.texts = texts;
  rules.codes = codes;
  return rules;
}

}  // namespace

const sql::WriteRules& rules_of(Product product) {
  static const sql::WriteRules kMariaDb = mariadb();
  static const sql::WriteRules kOracle = like_postgresql(kOracleTexts, {});
  static const sql::WriteRules kSqlite =
      like_postgresql(kSqliteTexts, kSqliteCodes);
  switch (product) {
    case Product::PostgreSql: break;
    case Product::MariaDb: return kMariaDb;
    case Product::Oracle: return kOracle;
    case Product::Sqlite: return kSqlite;
  }
  return sql::postgresql_rules();
}

}  // namespace txscope::engine
