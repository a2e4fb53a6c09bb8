#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/column_type.h"
#include "model/sql/value/value.h"

namespace txscope::db {

/// A value as the server wrote it; none: NULL.
using Cell = std::optional<std::string>;

struct Column {
  std::string name;
  sql::Kind kind = sql::Kind::Text;  ///< Text: also of every type unknown here
  ColumnType type = ColumnType::Text;
};

/// What the server said to one text: to its last statement, or to the first
/// that failed.
struct Answer {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  /// Rows returned, or inserted, deleted, found to be updated (on MariaDB,
  /// too, those that an UPDATE left as they were).
  std::uint64_t count = 0;
  /// SQLSTATE of PostgreSQL, error number of MariaDB, SQLite's name of the
  /// error (SQLITE_BUSY); empty: no error.
  std::string code;
  /// The error's SQLSTATE; SQLite has none, so that of the same meaning.
  std::string sqlstate;
  std::int64_t number = 0;  ///< of the error, where the product numbers them
  std::string message;

  [[nodiscard]] bool is_ok() const { return code.empty(); }
  [[nodiscard]] bool is_lost() const { return code == kLost; }
  /// A serialization failure, a deadlock, a lock that was not to be had: the
  /// same transaction may succeed when it is tried again.
  [[nodiscard]] bool is_retryable() const;

  static constexpr std::string_view kLost = "connection";
};

/// A cell as a value of that kind; NULL also if the text is not one.
[[nodiscard]] sql::Value to_value(const Cell& cell, sql::Kind kind);

/// One connection to a server.  `send` and `is_answered` never wait, so one
/// thread can drive many sessions of which some wait for locks.  A connection
/// that breaks answers everything with the code "connection".
class Session {
 public:
  virtual ~Session() = default;

  /// Sends a text of one or, by `execute` only, several statements.
  virtual void send(const std::string& sql) = 0;
  /// Whether `receive` would return at once.
  [[nodiscard]] virtual bool is_answered() = 0;
  /// The answer to what was sent; waits for it.
  virtual Answer receive() = 0;
  Answer execute(const std::string& sql) {
    send(sql);
    return receive();
  }

  [[nodiscard]] bool is_pending() const { return is_pending_; }
  [[nodiscard]] virtual int socket() const = 0;
  /// What the server calls this connection: process id, thread id.
  [[nodiscard]] virtual std::int64_t id() const = 0;

 protected:
  bool is_pending_ = false;  ///< sent, not received
};

/// Runs statements one after the other; the error of the first that fails.
[[nodiscard]] Result<Done> execute_all(Session& session,
                                       const std::vector<std::string>& texts);

}  // namespace txscope::db
