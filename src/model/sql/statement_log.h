#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sql/dialect.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// One statement that somebody sent, as a log of a server, a driver or an ORM
/// has it.
struct LoggedStatement {
  std::uint64_t line = 0;            ///< of the log
  std::uint32_t session = 0;         ///< of StatementLog::sessions
  std::optional<std::int64_t> time;  ///< microseconds, from anywhere
  /// In the log's dialect.  Parameters that the log tells stand in it as
  /// literals; others are $1, $2, ...
  std::string text;
  std::string request;  ///< what tells one request from another; may be empty
  std::string route;    ///< what the application calls it; may be empty
  /// What it returned; none: the log does not say.
  std::optional<std::vector<Row>> rows;
  bool has_failed = false;
  bool ends_session = false;  ///< no statement: the connection is closed
};

/// What ran on a database, without any claim about what it answered: the common
/// form of all logs that can be lifted to transactions (src/lift).
struct StatementLog {
  std::string file;
  std::string format;  ///< in words: "csvlog of PostgreSQL"
  Dialect dialect = Dialect::Postgresql;
  std::vector<std::string> sessions;        ///< names
  std::vector<LoggedStatement> statements;  ///< in the order of the log
  /// SQL that made and filled the tables, if the log has it.
  std::vector<std::string> setup;
  std::string level;  ///< as the log claims it; may be empty
  /// Whether the log tells connections apart; else everything is one.
  bool has_sessions = true;
  /// Whether BEGIN and COMMIT are in it; else what stands between is unknown.
  bool has_transactions = true;
  /// There is no BEGIN: what is behind a COMMIT belongs to the next one.
  bool begins_implicitly = false;
  /// Lines that are neither a statement nor known to mean nothing.
  std::uint64_t skipped_lines = 0;
  std::uint64_t first_skipped = 0;  ///< line of the first
  /// The last entry is cut off: the log ends before it.
  bool is_cut = false;
};

}  // namespace txscope::sql
