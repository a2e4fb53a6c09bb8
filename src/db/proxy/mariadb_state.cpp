#include "db/proxy/mariadb_state.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "db/dialect.h"
#include "db/keeper.h"
#include "db/proxy/mariadb_text.h"
#include "model/product/profile.h"

namespace txscope::db {
namespace {

std::string name_of(const std::string& name) {
  return quoted(name, Product::MariaDb);
}

/// As the log's `initial` names a table.
std::string table_name(const std::string& name) {
  const bool is_plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
      std::string::npos;
  return is_plain ? name : name_of(name);
}

/// Names that the catalogue tells line by line.
std::string list_of(const std::string& names) {
  std::string result;
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find('\n', at), names.size());
    result +=
        (result.empty() ? "" : ", ") + name_of(names.substr(at, end - at));
    at = end + 1;
  }
  return "(" + result + ")";
}

/// A type of the catalogue, and what comes nearest.
std::string type_of(const std::string& type, const std::string& whole) {
  const bool is_unsigned = whole.find("unsigned") != std::string::npos;
  const std::size_t bracket = whole.find('(');
  const std::size_t end = whole.find(')');
  const std::string size =
      bracket == std::string::npos || end == std::string::npos
          ? ""
          : whole.substr(bracket, end - bracket + 1);
  if (type == "tinyint" || type == "year") return "smallint";
  if (type == "smallint") return is_unsigned ? "integer" : "smallint";
  if (type == "mediumint") return "integer";
  if (type == "int") return is_unsigned ? "bigint" : "integer";
  if (type == "bigint") return is_unsigned ? "numeric(20,0)" : "bigint";
  if (type == "decimal") return "numeric" + size;
  if (type == "float" || type == "double") return "double precision";
  if (type == "varchar" || type == "char") return "varchar" + size;
  if (type == "date") return "date";
  if (type == "time") return "time";
  if (type == "datetime" || type == "timestamp") return "timestamp";
  if (type == "binary" || type == "varbinary" || type == "bit" ||
      type.find("blob") != std::string::npos)
    return "bytea";
  return "text";
}

class StateOfMariadb {
 public:
  StateOfMariadb(Session& session, std::uint64_t max_rows)
      : session_(session), max_rows_(max_rows) {}

  Result<MariadbState> run(const std::string& database) {
    state_.world.names.database = database;
    session_.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    session_.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
    auto done = read();
    session_.execute("COMMIT");
    if (!done) return done.error();
    if (!rows_left_out_.empty())
      state_.header.settings.emplace_back("rows_left_out", rows_left_out_);
    state_.ignores_case = ignores_case_;
    return std::move(state_);
  }

 private:
  using Rows = std::vector<std::vector<Cell>>;

  Result<Rows> ask(const std::string& sql) {
    Answer answer = session_.execute(sql);
    if (!answer.is_ok())
      return failure("cannot read the database's tables: " + answer.message);
    return std::move(answer.rows);
  }

  static std::string at(const std::vector<Cell>& row, std::size_t column) {
    return row[column].value_or("");
  }

  Result<Done> read() {
    if (auto done = read_settings(); !done) return done;
    if (auto done = read_unseen(); !done) return done;
    const auto tables =
        ask("SELECT table_name FROM information_schema.tables WHERE "
            "table_schema = database() AND table_type = 'BASE TABLE' "
            "ORDER BY create_time, table_name");
    if (!tables) return tables.error();
    for (const auto& row : *tables)
      if (auto done = read_table(at(row, 0)); !done) return done;
    return read_foreign_keys();
  }

  Result<Done> read_settings() {
    const auto modes =
        ask("SELECT @@GLOBAL.sql_mode, @@GLOBAL.auto_increment_increment");
    if (!modes) return modes.error();
    const std::string mode = at(modes->at(0), 0);
    state_.world.mode = MariadbMode::of(mode);
    const std::string increment = at(modes->at(0), 1);
    std::from_chars(increment.data(), increment.data() + increment.size(),
                    state_.world.increment);
    state_.header.settings.emplace_back("sql_mode", mode);
    state_.header.dialect = name(Product::MariaDb);
    return read_level();
  }

  /// What transactions run at that ask for nothing.
  Result<Done> read_level() {
    auto level = ask("SELECT @@GLOBAL.tx_isolation");
    if (!level) level = ask("SELECT @@GLOBAL.transaction_isolation");
    if (!level) return level.error();
    std::string text = at(level->at(0), 0);
    std::replace(text.begin(), text.end(), '-', ' ');
    const auto snapshot = ask("SELECT @@GLOBAL.innodb_snapshot_isolation");
    const bool has_snapshot = snapshot && (at(snapshot->at(0), 0) == "1");
    for (const Profile& profile : profiles()) {
      if (profile.product != Product::MariaDb || profile.sql != text) continue;
      const bool is_snapshot =
          profile.isolation == Isolation::RepeatableReadSnapshot;
      if (state_.header.level.empty() || (is_snapshot && has_snapshot))
        state_.header.level = profile.name;
    }
    return Done{};
  }

  /// A server without its own tables (one of ours) has no routines, and says
  /// that it cannot tell.
  Result<Done> read_unseen() {
    constexpr const char* kUnseenTriggers =
        "SELECT event_object_table, 'trigger' FROM information_schema.triggers "
        "WHERE trigger_schema = database()";
    constexpr const char* kUnseenViews =
        "SELECT table_name, 'view' FROM information_schema.views WHERE "
        "table_schema = database()";
    constexpr const char* kUnseenRoutines =
        "SELECT routine_name, 'routine' FROM information_schema.routines WHERE "
        "routine_schema = database()";
    for (const char* question :
         {kUnseenTriggers, kUnseenViews, kUnseenRoutines}) {
      const auto names = ask(question);
      if (!names && question == kUnseenRoutines) continue;
      if (!names) return names.error();
      for (const auto& row : *names) {
        state_.world.names.unseen.insert(ascii::lower(at(row, 0)));
        leave_out(at(row, 1) + " " + at(row, 0));
      }
    }
    return Done{};
  }

  void leave_out(const std::string& what) {
    state_.left_out += (state_.left_out.empty() ? "" : ", ") + what;
  }

  void remember(const std::string& name) {
    state_.world.names.spelled[ascii::lower(name)] = name;
  }

  Result<Done> read_table(const std::string& table) {
    remember(table);
    std::string text = "CREATE TABLE " + name_of(table) + " (";
    const std::string here = "table_schema = database() AND table_name = " +
                             literal(sql::Value::text(table), Product::MariaDb);
    const auto columns =
        ask("SELECT column_name, data_type, column_type, is_nullable, "
            "column_default, extra, collation_name FROM "
            "information_schema.columns WHERE " +
            here + " ORDER BY ordinal_position");
    if (!columns) return columns.error();
    std::string names;
    for (const auto& row : *columns) {
      text += (names.empty() ? "" : ", ") + column_text(table, row);
      names +=
          (names.empty() ? "" : ", ") + quoted(at(row, 0), Product::MariaDb);
    }
    const auto keys =
        ask("SELECT index_name, GROUP_CONCAT(column_name ORDER BY "
            "seq_in_index SEPARATOR '\\n') FROM information_schema.statistics "
            "WHERE " +
            here + " AND non_unique = 0 GROUP BY index_name");
    if (!keys) return keys.error();
    for (const auto& row : *keys)
      text += std::string(at(row, 0) == "PRIMARY" ? ", PRIMARY KEY "
                                                  : ", UNIQUE ") +
              list_of(at(row, 1));
    const auto checks =
        ask("SELECT check_clause FROM information_schema.check_constraints "
            "WHERE constraint_schema = database() AND table_name = " +
            literal(sql::Value::text(table), Product::MariaDb));
    if (checks)
      for (const auto& row : *checks)
        if (at(row, 0).find("json_valid") == std::string::npos)
          text += ", CHECK (" + words(at(row, 0)) + ")";
    state_.header.schema.push_back(text + ")");
    return read_rows(table, names);
  }

  /// An expression of the catalogue.
  [[nodiscard]] std::string words(const std::string& text) const {
    MariadbMode mode;
    return log_words(mariadb_pieces(text, mode), state_.world.names, mode).sql;
  }

  std::string column_text(const std::string& table,
                          const std::vector<Cell>& row) {
    const std::string name = at(row, 0);
    remember(name);
    const std::string extra = ascii::lower(at(row, 5));
    std::string text = name_of(name) + " " + type_of(at(row, 1), at(row, 2));
    if (extra.find("auto_increment") != std::string::npos) {
      text += " GENERATED BY DEFAULT AS IDENTITY";
      state_.world.names.numbered[ascii::lower(table)] = name;
    } else if (extra.find("generated") != std::string::npos ||
               extra.find("on update") != std::string::npos) {
      state_.world.names.unseen.insert(ascii::lower(table));
      leave_out("column " + table + "." + name);
    } else if (row[4] && *row[4] != "NULL") {
      const bool is_moment =
          ascii::lower(*row[4]).starts_with("current_timestamp");
      text += " DEFAULT " +
              (is_moment ? std::string("CURRENT_TIMESTAMP") : words(*row[4]));
    }
    if (at(row, 3) == "NO") text += " NOT NULL";
    if (at(row, 6).ends_with("_ci") && !ignores_case_) {
      ignores_case_ = true;
    }
    return text;
  }

  Result<Done> read_rows(const std::string& table, const std::string& names) {
    Answer rows = session_.execute("SELECT " + names + " FROM " +
                                   quoted(table, Product::MariaDb) + " LIMIT " +
                                   std::to_string(max_rows_ + 1));
    if (!rows.is_ok())
      return failure("cannot read the rows of " + table + ": " + rows.message);
    if (rows.rows.size() > max_rows_)
      rows_left_out_ += (rows_left_out_.empty() ? "" : ", ") + table;
    else if (!rows.rows.empty())
      state_.header.initial.push_back(
          {table_name(table), std::move(rows.columns), std::move(rows.rows)});
    return Done{};
  }

  Result<Done> read_foreign_keys() {
    const auto keys =
        ask("SELECT k.table_name, GROUP_CONCAT(k.column_name ORDER BY "
            "k.ordinal_position SEPARATOR '\\n'), k.referenced_table_name, "
            "GROUP_CONCAT(k.referenced_column_name ORDER BY "
            "k.ordinal_position SEPARATOR '\\n'), r.delete_rule, "
            "r.update_rule FROM information_schema.key_column_usage k JOIN "
            "information_schema.referential_constraints r ON "
            "r.constraint_schema = k.constraint_schema AND r.constraint_name "
            "= k.constraint_name AND r.table_name = k.table_name WHERE "
            "k.table_schema = database() AND k.referenced_table_name IS NOT "
            "NULL GROUP BY k.table_name, k.constraint_name, "
            "k.referenced_table_name, r.delete_rule, r.update_rule");
    if (!keys) return keys.error();
    for (const auto& row : *keys) {
      std::string text = "ALTER TABLE " + name_of(at(row, 0)) +
                         " ADD FOREIGN KEY " + list_of(at(row, 1)) +
                         " REFERENCES " + name_of(at(row, 2)) + " " +
                         list_of(at(row, 3));
      for (const auto& [when, rule] : {std::pair(" ON DELETE ", at(row, 4)),
                                       std::pair(" ON UPDATE ", at(row, 5))})
        if (rule == "CASCADE" || rule == "SET NULL") text += when + rule;
      state_.header.schema.push_back(text);
    }
    return Done{};
  }

  Session& session_;
  std::uint64_t max_rows_;
  MariadbState state_;
  std::string rows_left_out_;
  bool ignores_case_ = false;
};

}  // namespace

Result<MariadbState> mariadb_state(Session& session,
                                   const std::string& database,
                                   std::uint64_t max_rows) {
  return StateOfMariadb(session, max_rows).run(database);
}

}  // namespace txscope::db
