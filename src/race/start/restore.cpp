#include "race/start/restore.h"

#include "db/keeper.h"

namespace txscope::race {
namespace {

// A table, its columns that can be written, and how to read its own rows only:
// a parent shows those of its children, too.
constexpr const char* kTablesToSave =
    "SELECT format('%I.%I', n.nspname, c.relname),"
    " string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum),"
    " CASE c.relkind WHEN 'r' THEN 'ONLY ' ELSE '' END"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
    " AND NOT a.attisdropped AND a.attgenerated = ''"
    " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
    " AND c.relpersistence <> 't'"
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
    " AND n.nspname NOT LIKE 'pg\\_%' GROUP BY c.oid, 1 ORDER BY 1";

constexpr const char* kSequencesToSave =
    "SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences"
    " ORDER BY 1";

Error cannot_save(const db::Answer& answer) {
  return db::failure("the contents of the tables cannot be saved: " +
                     answer.message);
}

constexpr const char* kTablesOfMariadb =
    "SELECT t.table_name, group_concat(concat('`', c.column_name, '`')"
    " ORDER BY c.ordinal_position SEPARATOR ', '), max(g.trigger_name)"
    " FROM information_schema.tables t JOIN information_schema.columns c"
    " ON c.table_schema = t.table_schema AND c.table_name = t.table_name"
    " AND c.generation_expression IS NULL"
    " LEFT JOIN information_schema.triggers g"
    " ON g.event_object_schema = t.table_schema"
    " AND g.event_object_table = t.table_name"
    " WHERE t.table_schema = database() AND t.table_type = 'BASE TABLE'"
    " GROUP BY t.table_name ORDER BY 1";

/// What saves, and what puts back.
struct Texts {
  std::string save;
  std::string restore;
  std::string forget;
};

Result<Texts> texts_of_postgresql(db::Session& session) {
  const db::Answer known = session.execute(
      std::string("SELECT FROM pg_namespace WHERE nspname = '") + kSavedSchema +
      "'");
  if (!known.rows.empty())
    return db::failure(
        std::string("the database has a schema ") + kSavedSchema +
            " already: an earlier run was ended from outside before it had "
            "put the contents back",
        "its tables hold them; when they are where they belong, drop it");
  const db::Answer tables = session.execute(kTablesToSave);
  if (!tables.is_ok()) return cannot_save(tables);
  const db::Answer sequences = session.execute(kSequencesToSave);
  if (!sequences.is_ok()) return cannot_save(sequences);
  const std::string schema = kSavedSchema;
  Texts texts;
  texts.save = "CREATE SCHEMA " + schema + ";";
  texts.forget = "DROP SCHEMA " + schema + " CASCADE";
  std::string all;
  std::string fill;
  for (std::size_t i = 0; i < tables.rows.size(); ++i) {
    const std::string table = tables.rows[i][0].value_or("");
    const std::string saved = schema + ".rows_" + std::to_string(i);
    const std::string columns = tables.rows[i][1].value_or("");
    all += (all.empty() ? "" : ", ") + table;
    if (columns.empty()) continue;
    texts.save += "CREATE TABLE " + saved + " AS SELECT " + columns + " FROM " +
                  tables.rows[i][2].value_or("") + table + ";";
    fill += "INSERT INTO " + table + " (" + columns +
            ") OVERRIDING SYSTEM VALUE SELECT * FROM " + saved + ";";
  }
  for (const auto& row : sequences.rows) {
    const std::string name = row[0].value_or("");
    const db::Answer now =
        session.execute("SELECT last_value, is_called FROM " + name);
    if (!now.is_ok()) return cannot_save(now);
    fill += "SELECT setval('" + name + "', " + now.rows[0][0].value_or("1") +
            ", '" + now.rows[0][1].value_or("f") + "');";
  }
  // Without triggers and foreign keys: the rows are what they left.
  texts.restore =
      "SET lock_timeout = '5s'; SET session_replication_role = replica;" +
      (all.empty() ? "" : "TRUNCATE " + all + ";") + fill +
      "RESET session_replication_role";
  return texts;
}

Result<Texts> texts_of_mariadb(db::Session& session) {
  const db::Answer tables = session.execute(kTablesOfMariadb);
  if (!tables.is_ok()) return cannot_save(tables);
  Texts texts;
  texts.restore = "SET FOREIGN_KEY_CHECKS = 0, lock_wait_timeout = 5;";
  for (std::size_t i = 0; i < tables.rows.size(); ++i) {
    const std::string table = "`" + tables.rows[i][0].value_or("") + "`";
    if (tables.rows[i][2])
      return db::failure("table " + table +
                             " has triggers, which would run when its "
                             "contents are put back",
                         "say --reset COMMAND, which makes the beginning");
    const std::string columns = tables.rows[i][1].value_or("");
    const std::string saved =
        std::string("`") + kSavedSchema + "_" + std::to_string(i) + "`";
    texts.save += "CREATE TABLE " + saved + " AS SELECT " + columns + " FROM " +
                  table + ";";
    texts.forget += "DROP TABLE " + saved + ";";
    texts.restore += "TRUNCATE " + table + "; INSERT INTO " + table + " (" +
                     columns + ") SELECT * FROM " + saved + ";";
  }
  texts.restore += "SET FOREIGN_KEY_CHECKS = 1";
  return texts;
}

}  // namespace

Result<Restorer> Restorer::save(db::Session& session, Product product) {
  auto texts = product == Product::MariaDb ? texts_of_mariadb(session)
                                           : texts_of_postgresql(session);
  if (!texts) return texts.error();
  if (!texts->save.empty())
    if (const db::Answer saved = session.execute(texts->save); !saved.is_ok())
      return cannot_save(saved);
  Restorer restorer;
  restorer.sql_ = std::move(texts->restore);
  restorer.forget_ = std::move(texts->forget);
  if (auto ok = restorer.restore(session); !ok) {
    restorer.forget(session);
    return ok.error();
  }
  return restorer;
}

Result<Done> Restorer::restore(db::Session& session) const {
  const db::Answer done = session.execute(sql_);
  if (done.is_ok()) return Done{};
  return db::failure("the contents of the tables cannot be put back: " +
                     done.message);
}

}  // namespace txscope::race
