#include "support/live_database.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace txscope::test {
namespace {

std::string quoted(const db::Cell& cell) {
  if (!cell) return "NULL";
  std::string text = "'";
  for (const char c : *cell) {
    text += c;
    if (c == '\'') text += c;
  }
  return text + "'";
}

bool is_postgresql(engine::Product product) {
  return product == engine::Product::PostgreSql;
}

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

LiveServer& live_server(engine::Product product) {
  return is_postgresql(product) ? live_postgresql() : live_mariadb();
}

LiveDatabase::LiveDatabase(engine::Product product)
    : product_(product),
      live_(live_server(product)),
      control_(live_.connect()) {
  // What is still locked when nobody is at work will be so for ever.
  control_->execute(is_postgresql(product)
                        ? "SET lock_timeout = 20000"
                        : "SET lock_wait_timeout = 20; "
                          "SET innodb_lock_wait_timeout = 20");
}

std::string LiveDatabase::execute(const std::string& sql) {
  const db::Answer answer = control_->execute(sql);
  if (answer.is_ok()) return "";
  return answer.code + " " + answer.message + "\nin " + sql;
}

std::string LiveDatabase::load(const std::vector<std::string>& statements,
                               std::vector<std::string> tables) {
  std::string clear = "DROP SCHEMA public CASCADE; CREATE SCHEMA public";
  if (!is_postgresql(product_)) {
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
  const db::Answer answer = control_->execute("SELECT * FROM " + table);
  if (!answer.is_ok()) return answer.message;
  std::string order;
  for (std::size_t c = 1; c <= answer.columns.size(); ++c)
    order += (c > 1 ? "," : "") + std::to_string(c);
  orders_.push_back(order);
  if (answer.rows.empty()) return "";
  // In the order in which they are stored: that is how a scan meets them.
  std::string rows;
  for (const auto& row : answer.rows) {
    std::string cells;
    for (const db::Cell& cell : row)
      cells += (cells.empty() ? "" : ", ") + quoted(cell);
    rows += (rows.empty() ? "(" : ", (") + cells + ")";
  }
  fill_ += "INSERT INTO " + table +
           (is_postgresql(product_) ? " OVERRIDING SYSTEM VALUE" : "") +
           " VALUES " + rows + ";";
  return "";
}

std::string LiveDatabase::restart_sequences() {
  const db::Answer names = control_->execute(
      "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' "
      "ORDER BY 1");
  for (const auto& row : names.rows) {
    const std::string name = *row[0];
    const db::Answer now =
        control_->execute("SELECT last_value, is_called FROM \"" + name + "\"");
    if (!now.is_ok()) return now.message;
    fill_ += "SELECT setval('\"" + name + "\"', " + *now.rows[0][0] + ", '" +
             *now.rows[0][1] + "');";
  }
  return "";
}

// TRUNCATE makes the tables as good as new: no dead rows that a scan would pass
// or whose gaps InnoDB would lock.  On PostgreSQL it costs ten times as much as
// DELETE, whose dead rows only take room; so it comes before a page is full
// and its rows are stored in another order.
void LiveDatabase::reset() {
  const bool is_deleting = is_postgresql(product_) && resets_++ % 8 != 0;
  const std::string error = execute((is_deleting ? erase_ : truncate_) + fill_);
  EXPECT_EQ(error, "");
}

LiveState LiveDatabase::state() {
  LiveState state;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    db::Answer answer = control_->execute("SELECT * FROM " + tables_[t] +
                                          " ORDER BY " + orders_[t]);
    EXPECT_TRUE(answer.is_ok()) << answer.message;
    state.push_back(std::move(answer.rows));
  }
  return state;
}

db::Answer LiveDatabase::evaluate(const std::vector<std::string>& selects) {
  std::string sql;
  for (const std::string& select : selects)
    sql += (sql.empty() ? "SELECT (" : ", (") + select + ")";
  return control_->execute(sql);
}

LiveDatabase& live_database(engine::Product product) {
  // Before them, so that it goes after them.
  (void)live_server(product);
  if (is_postgresql(product)) {
    static LiveDatabase postgresql(product);
    return postgresql;
  }
  static LiveDatabase mariadb(product);
  return mariadb;
}

db::Session& LiveDatabase::session(std::size_t number) {
  while (sessions_.size() <= number) sessions_.push_back(live_.connect());
  return *sessions_[number];
}

db::Product to_db(engine::Product product) {
  switch (product) {
    case engine::Product::MariaDb: return db::Product::MariaDb;
    case engine::Product::Sqlite: return db::Product::Sqlite;
    case engine::Product::PostgreSql:
    case engine::Product::Oracle: break;
  }
  return db::Product::PostgreSql;
}

std::string begin_text(const engine::Profile& profile) {
  const char* name = "";
  switch (profile.isolation) {
    case engine::Isolation::ReadUncommitted: name = "READ UNCOMMITTED"; break;
    case engine::Isolation::ReadCommitted: name = "READ COMMITTED"; break;
    case engine::Isolation::RepeatableRead:
    case engine::Isolation::RepeatableReadSnapshot:
      name = "REPEATABLE READ";
      break;
    case engine::Isolation::Serializable: name = "SERIALIZABLE"; break;
  }
  if (is_postgresql(profile.product))
    return std::string("BEGIN ISOLATION LEVEL ") + name;
  const bool is_snapshot =
      profile.isolation == engine::Isolation::RepeatableReadSnapshot;
  return std::string("SET innodb_snapshot_isolation = ") +
         (is_snapshot ? "ON" : "OFF") + "; SET TRANSACTION ISOLATION LEVEL " +
         name + "; START TRANSACTION";
}

}  // namespace txscope::test
