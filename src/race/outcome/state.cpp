#include "race/outcome/state.h"

#include <algorithm>
#include <map>

#include "db/keeper.h"

namespace txscope::race {
namespace {

constexpr const char* kTables =
    "SELECT CASE WHEN n.nspname = 'public' THEN c.relname::text"
    " ELSE n.nspname || '.' || c.relname END,"
    " format('%I.%I', n.nspname, c.relname)"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition"
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema',"
    " 'txscope_saved')"
    " AND n.nspname NOT LIKE 'pg\\_toast%' AND n.nspname NOT LIKE "
    "'pg\\_temp%' ORDER BY 1";

Result<State> read_rows(db::Session& session) {
  const db::Answer tables = session.execute(kTables);
  if (!tables.is_ok()) return db::failure(tables.message);
  std::string sql;
  // one.* is the row, also where a column has that name.
  for (const auto& row : tables.rows)
    sql += (sql.empty() ? "" : " UNION ALL ") +
           ("SELECT coalesce(jsonb_agg(to_jsonb(one.*)), '[]')::text FROM " +
            row[1].value_or("") + " one");
  State state = State::object();
  if (sql.empty()) return state;
  const db::Answer rows = session.execute(sql);
  if (!rows.is_ok()) return db::failure(rows.message);
  for (std::size_t i = 0; i < tables.rows.size(); ++i)
    state[tables.rows[i][0].value_or("")] =
        State::parse(rows.rows[i][0].value_or("[]"));
  return state;
}

constexpr const char* kColumnsOfMariadb =
    "SELECT c.table_name, c.column_name, c.data_type LIKE '%blob'"
    " OR c.data_type LIKE '%binary' OR c.data_type = 'bit'"
    " FROM information_schema.columns c JOIN information_schema.tables t"
    " ON t.table_schema = c.table_schema AND t.table_name = c.table_name"
    " WHERE c.table_schema = database() AND t.table_type = 'BASE TABLE'"
    " AND c.table_name NOT LIKE 'txscope\\_saved\\_%'"
    " ORDER BY 1, c.ordinal_position";

Result<State> read_rows_of_mariadb(db::Session& session) {
  const db::Answer columns = session.execute(kColumnsOfMariadb);
  if (!columns.is_ok()) return db::failure(columns.message);
  std::map<std::string, std::string> objects;  // by table
  for (const auto& row : columns.rows) {
    const std::string column = row[1].value_or("");
    std::string& text = objects[row[0].value_or("")];
    text += (text.empty() ? "'" : ", '") + column + "', " +
            (row[2] == "1" ? "hex(`" + column + "`)" : "`" + column + "`");
  }
  State state = State::object();
  for (const auto& [table, fields] : objects) {
    const db::Answer rows = session.execute("SELECT json_object(" + fields +
                                            ") FROM `" + table + "`");
    if (!rows.is_ok()) return db::failure(rows.message);
    State list = State::array();
    for (const auto& row : rows.rows)
      list.push_back(State::parse(row[0].value_or("null"), nullptr, false));
    state[table] = std::move(list);
  }
  return state;
}

struct Split {
  std::string table;
  std::string column;
};

Split split(const ColumnName& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// Replaces and leaves out, from rows as they are.
class Normalizer {
 public:
  Normalizer(const State& rows, const Plan& plan) : rows_(rows), plan_(plan) {}

  [[nodiscard]] State run() const {
    State result = State::object();
    for (const auto& [table, rows] : rows_.items()) {
      std::vector<State> list;
      for (const State& row : rows) list.push_back(normal(table, row, 0));
      std::sort(list.begin(), list.end());
      result[table] = list;
    }
    return result;
  }

 private:
  // References may go in a circle.
  static constexpr int kDeepest = 4;

  [[nodiscard]] State normal(const std::string& table, State row,
                             int depth) const {
    for (const auto& [from, to] : plan_.followed) {
      const Split reference = split(from);
      if (reference.table != table || !row.contains(reference.column) ||
          depth >= kDeepest)
        continue;
      State& value = row[reference.column];
      const Split target = split(to);
      if (!rows_.contains(target.table) || value.is_null()) continue;
      for (const State& other : rows_[target.table])
        if (other.contains(target.column) && other[target.column] == value) {
          value = normal(target.table, other, depth + 1);
          break;
        }
    }
    for (const ColumnName& name : plan_.ignored) {
      const Split ignored = split(name);
      if (ignored.table == table) row.erase(ignored.column);
    }
    return row;
  }

  const State& rows_;
  const Plan& plan_;
};

}  // namespace

Result<State> read_state(db::Session& session, const Plan& plan) {
  const auto rows = plan.product == Product::MariaDb
                        ? read_rows_of_mariadb(session)
                        : read_rows(session);
  if (!rows) return rows.error();
  return Normalizer(*rows, plan).run();
}

}  // namespace txscope::race
