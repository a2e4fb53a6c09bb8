#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"
#include "model/sql/dialect.h"

namespace txscope::sql {

/// What a log says of itself in its first line.
struct LogHeader {
  std::string database;  ///< "PostgreSQL 15.19"
  Dialect dialect = Dialect::Postgresql;
  std::string level;  ///< as the log claims it; may be empty
  /// The server's time when the log began; empty: it is not said.
  std::string clock;
  /// SQL that made and filled the tables, in order.
  std::vector<std::string> setup;
};

struct LogError {
  std::string sqlstate;
  std::int64_t code = 0;  ///< MariaDB's number; 0: none
  std::string message;
};

/// One statement and what the client got for it.  Values are as JSON has them:
/// what has no kind of its own there (dates, exact decimals) is a text.
struct LogStatement {
  std::string sql;
  std::vector<Value> parameters;
  std::optional<std::vector<Row>> rows;
  std::optional<std::uint64_t> count;  ///< rows matched
  std::optional<LogError> error;
  std::optional<std::int64_t> start;  ///< before it was sent
  std::optional<std::int64_t> end;    ///< when its answer had come
  bool is_catalog = false;  ///< it only asked for the server's own tables
  /// Why what it did is not known ("too large"); empty: it is.
  std::string opaque;
  /// Numbers that it drew from sequences, as somebody assumes; not of the log.
  std::vector<std::int64_t> generated;
};

enum class LogStatus : std::uint8_t { Committed, Aborted, Unknown };

/// One transaction of a log.
struct LogTransaction {
  std::string id;
  std::string session;  ///< empty: one of its own
  LogStatus status = LogStatus::Committed;
  std::optional<std::int64_t> start;   ///< before BEGIN was sent
  std::optional<std::int64_t> end;     ///< after COMMIT had returned
  std::optional<std::int64_t> commit;  ///< the server's time, a hint
  std::string level;                   ///< of its own; may be empty
  std::vector<LogStatement> statements;
  std::uint64_t line = 0;
};

/// What a text of SQL in a log is.
struct ReadStatement {
  enum class Kind : std::uint8_t {
    Sql,         ///< a statement on tables
    Call,        ///< it runs routines: CALL p(...), SELECT f(...), or triggers
    Savepoint,   ///< SAVEPOINT name
    RollbackTo,  ///< ROLLBACK TO name
    Release,     ///< RELEASE name
    Nothing,     ///< SET and the like: no rows, no effect
    Unsupported,
  };
  Kind kind = Kind::Nothing;
  std::string name;  ///< of a savepoint
  /// Of Sql, and with triggers: it as a routine's one statement; $n is slot n.
  Application application;
  /// Of Call: the setup's routines, one of them, and its arguments over $n.
  std::shared_ptr<const Application> program;
  RoutineId routine;
  std::vector<Expr> arguments;
  /// Its outcome may depend on the time that passes (TimeUse::tells_apart).
  bool is_timed = false;
  /// Of Call: what it shows is not known, only what it does.
  bool hides_answer = false;
  Error error;  ///< of Unsupported
};

/// Reads one text of a log, given the tables that its setup made.
using ReadStatementFn = std::function<ReadStatement(const std::string& sql)>;

}  // namespace txscope::sql
