#include "db/live/live_database.h"

#include <algorithm>

namespace txscope::db {
namespace {

std::string quoted(const Cell& cell) {
  if (!cell) return "NULL";
  std::string text = "'";
  for (const char c : *cell) {
    text += c;
    if (c == '\'') text += c;
  }
  return text + "'";
}

bool is_postgresql(Product product) { return product == Product::PostgreSql; }

}  // namespace

std::string to_string(const LiveState& state,
                      const std::vector<std::string>& tables) {
  std::string text;
  for (std::size_t t = 0; t < state.size(); ++t) {
    text += (t > 0 ? "; " : "") + tables[t];
    for (const auto& row : state[t]) {
      text += " (";
      for (std::size_t c = 0; c < row.size(); ++c)
        text += (c > 0 ? "," : "") + row[c].value_or("NULL");
      text += ")";
    }
  }
  return text;
}

Result<LiveDatabase> LiveDatabase::on(Product product, Server& server) {
  auto control = server.connect("");
  if (!control) return control.error();
  LiveDatabase database(product, server, *std::move(control));
  // What is still locked when nobody is at work will be so for ever.
  database.control_->execute(is_postgresql(product)
                                 ? "SET lock_timeout = 20000"
                                 : "SET lock_wait_timeout = 20; "
                                   "SET innodb_lock_wait_timeout = 20");
  return database;
}

std::string LiveDatabase::execute(const std::string& sql) {
  const Answer answer = control_->execute(sql);
  if (answer.is_ok()) return "";
  return answer.code + " " + answer.message + "\nin " + sql;
}

std::string LiveDatabase::load(const std::vector<std::string>& statements,
                               std::vector<std::string> tables) {
  std::string clear =
      "RESET search_path; DROP SCHEMA public CASCADE; CREATE SCHEMA public;";
  if (is_postgresql(product_)) {
    const Answer others = control_->execute(
        "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname NOT LIKE "
        "'pg\\_%' AND nspname NOT IN ('public', 'information_schema')");
    for (const auto& row : others.rows)
      clear += "DROP SCHEMA " + *row[0] + " CASCADE;";
  } else {
    clear = "SET foreign_key_checks = 0;";
    for (const auto& row : control_->execute("SHOW TABLES").rows)
      clear += "DROP TABLE " + *row[0] + ";";
    clear += "SET foreign_key_checks = 1";
  }
  if (std::string error = execute(clear); !error.empty()) return error;
  for (const std::string& statement : statements)
    if (std::string error = execute(statement); !error.empty()) return error;
  tables_ = std::move(tables);
  fill_.clear();
  orders_.clear();
  truncate_.clear();
  erase_.clear();
  resets_ = 0;
  for (const std::string& table : tables_)
    if (std::string error = fill(table); !error.empty()) return error;
  for (std::size_t t = tables_.size(); t-- > 0;)
    erase_ += "DELETE FROM " + tables_[t] + ";";
  if (is_postgresql(product_)) {
    for (const std::string& table : tables_)
      truncate_ += (truncate_.empty() ? "TRUNCATE " : ", ") + table;
    truncate_ += ";";
    return restart_sequences();
  }
  truncate_ = "SET foreign_key_checks = 0;";
  for (const std::string& table : tables_)
    truncate_ += "TRUNCATE TABLE " + table + ";";
  truncate_ += "SET foreign_key_checks = 1;";
  return "";
}

std::string LiveDatabase::fill(const std::string& table) {
  const Answer answer = control_->execute("SELECT * FROM " + table);
  if (!answer.is_ok()) return answer.message;
  std::string order;
  for (std::size_t c = 1; c <= answer.columns.size(); ++c)
    order += (c > 1 ? "," : "") + std::to_string(c);
  orders_.push_back(order);
  if (answer.rows.empty()) return "";
  // What the database generates it does not take.
  std::vector<bool> is_generated(answer.columns.size());
  if (is_postgresql(product_)) {
    const Answer generated = control_->execute(
        "SELECT attgenerated <> '' FROM pg_attribute WHERE attrelid = '" +
        table +
        "'::regclass AND attnum > 0 AND NOT attisdropped "
        "ORDER BY attnum");
    if (!generated.is_ok()) return generated.message;
    for (std::size_t c = 0; c < generated.rows.size(); ++c)
      is_generated[c] = generated.rows[c][0] == "t";
  }
  // In the order in which they are stored: that is how a scan meets them.
  std::string rows;
  for (const auto& row : answer.rows) {
    std::string cells;
    for (std::size_t c = 0; c < row.size(); ++c)
      cells += (cells.empty() ? "" : ", ") +
               (is_generated[c] ? "DEFAULT" : quoted(row[c]));
    rows += (rows.empty() ? "(" : ", (") + cells + ")";
  }
  fill_ += "INSERT INTO " + table +
           (is_postgresql(product_) ? " OVERRIDING SYSTEM VALUE" : "") +
           " VALUES " + rows + ";";
  return "";
}

std::string LiveDatabase::restart_sequences() {
  const Answer names = control_->execute(
      "SELECT format('%I.%I', schemaname, sequencename) FROM pg_sequences "
      "ORDER BY 1");
  for (const auto& row : names.rows) {
    const std::string name = *row[0];
    const Answer now =
        control_->execute("SELECT last_value, is_called FROM " + name);
    if (!now.is_ok()) return now.message;
    fill_ += "SELECT setval('" + name + "', " + *now.rows[0][0] + ", '" +
             *now.rows[0][1] + "');";
  }
  return "";
}

// TRUNCATE makes the tables as good as new: no dead rows that a scan would pass
// or whose gaps InnoDB would lock.  On PostgreSQL it costs ten times as much as
// DELETE, whose dead rows only take room; so it comes before a page is full
// and its rows are stored in another order.
std::string LiveDatabase::reset() {
  const bool is_deleting = is_postgresql(product_) && resets_++ % 8 != 0;
  const std::string rows = (is_deleting ? erase_ : truncate_) + fill_;
  // Without triggers: the rows are what they left.
  return execute(is_postgresql(product_)
                     ? "SET session_replication_role = replica;" + rows +
                           "RESET session_replication_role"
                     : rows);
}

Result<LiveState> LiveDatabase::state() {
  LiveState state;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Answer answer = control_->execute("SELECT * FROM " + tables_[t] +
                                      " ORDER BY " + orders_[t]);
    if (!answer.is_ok()) return Error{{}, answer.message, "", ""};
    state.push_back(std::move(answer.rows));
  }
  return state;
}

Answer LiveDatabase::evaluate(const std::vector<std::string>& selects) {
  std::string sql;
  for (const std::string& select : selects)
    sql += (sql.empty() ? "SELECT (" : ", (") + select + ")";
  return control_->execute(sql);
}

Result<Session*> LiveDatabase::session(std::size_t number) {
  while (sessions_.size() <= number) {
    auto session = server_->connect("");
    if (!session) return session.error();
    sessions_.push_back(*std::move(session));
  }
  return sessions_[number].get();
}

std::string begin_text(const Profile& profile) {
  const std::string level = "ISOLATION LEVEL " + std::string(profile.sql);
  if (is_postgresql(profile.product)) return "BEGIN " + level;
  const bool is_snapshot =
      profile.isolation == Isolation::RepeatableReadSnapshot;
  return std::string("SET innodb_snapshot_isolation = ") +
         (is_snapshot ? "ON" : "OFF") + "; SET TRANSACTION " + level +
         "; START TRANSACTION";
}

}  // namespace txscope::db
