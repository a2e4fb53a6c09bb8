#include <algorithm>
#include <array>

#include "db/keeper.h"
#include "db/proxy/statements.h"
#include "race/start/restore.h"

namespace txscope::race {
namespace {

// With the rights of its owner: whoever changes the schema may not write there.
// What is rolled back takes its row along.
constexpr const char* kNote =
    "CREATE TABLE txscope_saved.changed ();"
    "CREATE FUNCTION txscope_saved.note_change() RETURNS event_trigger"
    " LANGUAGE plpgsql SECURITY DEFINER AS"
    " 'BEGIN INSERT INTO txscope_saved.changed DEFAULT VALUES; END';"
    "CREATE EVENT TRIGGER txscope_saved ON ddl_command_end"
    " EXECUTE FUNCTION txscope_saved.note_change()";

constexpr const char* kIsChanged = "SELECT count(*) FROM txscope_saved.changed";

constexpr auto kKeepsTables = std::to_array<std::string_view>(
    {"SELECT",    "INSERT",   "UPDATE", "DELETE",   "REPLACE", "WITH", "VALUES",
     "COMMIT",    "ROLLBACK", "BEGIN",  "START",    "SET",     "LOCK", "UNLOCK",
     "SAVEPOINT", "RELEASE",  "SHOW",   "TRUNCATE", "DO",      "END"});

bool keeps_tables(const Statement& statement) {
  const auto words = db::first_words(statement.sql, 1);
  return words.empty() || std::find(kKeepsTables.begin(), kKeepsTables.end(),
                                    words[0]) != kKeepsTables.end();
}

// More than this, and a copy of the files is as quick.
constexpr const char* kSizeInPostgresql =
    "SELECT count(*) <= 40 AND coalesce(sum(pg_total_relation_size(c.oid)), 0)"
    " <= 8388608 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%'"
    " AND n.nspname <> 'information_schema'";
constexpr const char* kSizeInMariadb =
    "SELECT IF(count(*) <= 40 AND coalesce(sum(data_length), 0) <= 8388608,"
    " 't', 'f') FROM information_schema.tables"
    " WHERE table_schema = database()";

}  // namespace

bool Restorer::is_quick(db::Session& session, Product product) {
  const db::Answer answer = session.execute(
      product == Product::MariaDb ? kSizeInMariadb : kSizeInPostgresql);
  return answer.rows.size() == 1 && answer.rows[0][0] == "t";
}

Result<SchemaGuard> SchemaGuard::set(db::Session& session, Product product) {
  if (product == Product::PostgreSql)
    if (const db::Answer made = session.execute(kNote); !made.is_ok())
      return db::failure(made.message);
  return SchemaGuard(product);
}

bool SchemaGuard::is_as_before(db::Session& session,
                               const std::vector<Statement>& statements) const {
  if (product_ == Product::MariaDb)
    return std::all_of(statements.begin(), statements.end(), keeps_tables);
  const db::Answer answer = session.execute(kIsChanged);
  return answer.rows.size() == 1 && answer.rows[0][0] == "0";
}

}  // namespace txscope::race
