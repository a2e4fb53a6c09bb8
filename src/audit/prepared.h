#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "exec/sql/process.h"
#include "model/sql/log.h"

namespace txscope::audit {

/// A text of SQL, read and planned once.
struct Prepared {
  sql::ReadStatement::Kind kind = sql::ReadStatement::Kind::Nothing;
  std::string name;  ///< of a savepoint
  Error error;       ///< of what is not supported
  std::unique_ptr<sql::Application> application;
  std::unique_ptr<sql::Routines> routines;
  const sql::DbStatement* statement = nullptr;
  /// Of a SELECT: the same without LIMIT and with the keys of ORDER BY as
  /// further columns, so that ties can be told.
  const sql::DbStatement* full = nullptr;
  std::size_t columns = 0;  ///< of `full`, without those keys
  std::size_t parameters = 0;
  /// It names one table, once.
  bool scans_once = false;

  [[nodiscard]] bool is_sql() const {
    return kind == sql::ReadStatement::Kind::Sql;
  }
  [[nodiscard]] bool is_select() const {
    return is_sql() && statement->is_select();
  }
  [[nodiscard]] const sql::Query& query() const {
    return *std::get<sql::Select>(statement->what);
  }
  /// SELECT ... FOR UPDATE and the like.
  [[nodiscard]] bool locks() const {
    return is_select() && query().lock != sql::LockStrength::None;
  }
};

/// All texts of a log that were met so far.
class PreparedStatements {
 public:
  explicit PreparedStatements(sql::ReadStatementFn read)
      : read_(std::move(read)) {}

  [[nodiscard]] const Prepared& at(const std::string& sql);
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  sql::ReadStatementFn read_;
  std::unordered_map<std::string, std::unique_ptr<const Prepared>> known_;
};

}  // namespace txscope::audit
