#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>

#include "exec/sql/routine/process.h"
#include "model/sql/log.h"

namespace txscope::audit {

/// A text of SQL, read and planned once.
struct Prepared {
  sql::ReadStatement::Kind kind = sql::ReadStatement::Kind::Nothing;
  std::string name;  ///< of a savepoint
  Error error;       ///< of what is not supported
  std::unique_ptr<sql::Application> application;
  std::shared_ptr<const sql::Routines> routines;  ///< calls share theirs
  /// Of a call: the setup's routine, and its arguments over $n.
  sql::RoutineId routine;
  std::vector<sql::Expr> arguments;
  const sql::DbStatement* statement = nullptr;
  /// Of a SELECT: the same without LIMIT and with the keys of ORDER BY as
  /// further columns, so that ties can be told.
  const sql::DbStatement* full = nullptr;
  std::size_t columns = 0;  ///< of `full`, without those keys
  std::size_t parameters = 0;
  /// It names one table, once; of a call, every statement of the routines.
  bool scans_once = false;
  /// It looks at a table, or changes one, or draws a number: not SELECT 1.
  bool asks_tables = true;
  /// It may change a table, by itself or by what it calls.
  bool writes = false;
  /// Its outcome may depend on the time that passed, which nobody knows.
  bool is_timed = false;
  /// It empties tables, and not only for snapshots that are taken later.
  bool is_truncate = false;
  /// An INSERT that meets the rows in its way as MySQL's does.
  bool is_mysql = false;
  /// Of a call: only what it does is known, not what it shows.
  bool hides_answer = false;

  [[nodiscard]] bool is_sql() const {
    return kind == sql::ReadStatement::Kind::Sql;
  }
  /// A call, or a statement that fires triggers: more is done than its text
  /// says.
  [[nodiscard]] bool runs_routines() const {
    return kind == sql::ReadStatement::Kind::Call;
  }
  [[nodiscard]] bool is_call() const {
    return runs_routines() && statement == nullptr;
  }
  /// It asks the database for something.
  [[nodiscard]] bool runs() const { return is_sql() || runs_routines(); }
  [[nodiscard]] bool is_function() const {
    return is_call() &&
           routines->application().routines[routine.index].is_function;
  }
  /// It changes nothing: no part of it writes.
  [[nodiscard]] bool is_select() const {
    return is_sql() && statement->is_select();
  }
  /// Its rows are those of a query, whatever parts of it write.
  [[nodiscard]] bool shows_query() const { return full != nullptr; }
  /// How many columns its rows have, if it gives any.
  [[nodiscard]] std::size_t shown_columns() const {
    if (is_call()) return is_function() ? 1 : 0;
    return shows_query() ? columns : statement->returning.size();
  }
  [[nodiscard]] const sql::Query& query() const {
    return *std::get<sql::Select>(statement->what);
  }
  /// SELECT ... FOR UPDATE and the like.
  [[nodiscard]] bool locks() const {
    return is_select() && query().lock != sql::LockStrength::None;
  }
  /// Rows that somebody had locked are not shown.
  [[nodiscard]] bool skips_locked() const {
    return shows_query() && query().skips_locked;
  }
};

/// Transactions of several sessions share it, and it goes with the last of
/// them: a log may have as many texts as statements.
using PreparedPtr = std::shared_ptr<const Prepared>;

/// The texts of a log that are met again, or still needed.
class PreparedStatements {
 public:
  PreparedStatements(sql::ReadStatementFn read, sql::Dialect dialect)
      : read_(std::move(read)), dialect_(dialect) {}

  [[nodiscard]] PreparedPtr at(const std::string& sql);
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  [[nodiscard]] std::shared_ptr<Prepared> call(sql::ReadStatement read);

  static constexpr std::size_t kFewest = 4096;

  sql::ReadStatementFn read_;
  sql::Dialect dialect_;
  std::unordered_map<std::string, PreparedPtr> known_;
  std::shared_ptr<const sql::Application> program_;
  std::shared_ptr<const sql::Routines> routines_;  ///< of `program_`
  std::size_t most_ = kFewest;  ///< when those that nobody needs are dropped
};

}  // namespace txscope::audit
