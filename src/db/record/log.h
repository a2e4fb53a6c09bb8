#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/session.h"

namespace txscope::db {

// What a client saw, as docs/formats.md has it under "SQL logs".  Times are
// microseconds of one clock since the recording began.

struct LoggedValue {
  Cell value;
  ColumnType type = ColumnType::Text;
};

struct LoggedStatement {
  std::string sql;  ///< with $1, $2, ... for `params`
  std::vector<LoggedValue> params;
  Answer answer;
  /// Whether `answer.count` says how many rows were written.
  bool has_count = false;
  /// Whether rows were seen; those of a portal that was not read to its end, or
  /// that were too many to keep, were not.
  bool has_rows = false;
  /// Something that is not SQL on tables: COPY, a function call.
  std::string opaque;
  std::int64_t start = 0;
  std::int64_t end = 0;
};

/// One operation on a key, for histories.
struct LoggedOperation {
  enum class Kind : std::uint8_t { Read, Write, Append, ReadList };
  Kind kind = Kind::Read;
  std::int64_t key = 0;
  std::optional<std::int64_t> value;
  std::vector<std::int64_t> list;
};

struct LoggedTransaction {
  enum class Status : std::uint8_t { Committed, Aborted, Unknown };
  std::uint64_t session = 0;
  std::string id;
  Status status = Status::Committed;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::optional<std::int64_t> commit;
  std::string level;            ///< if it is not the log's
  std::optional<Answer> error;  ///< of COMMIT
  std::vector<LoggedStatement> statements;
  std::vector<LoggedOperation> operations;
};

/// The first line.
struct LogHeader {
  struct Table {
    std::string name;
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;
  };
  std::string database;  ///< "PostgreSQL 15.18"
  std::string dialect;
  std::string level;
  bool is_history = false;  ///< the lines have operations, not statements
  bool has_lists = false;   ///< of a history
  std::vector<std::string> setup;
  /// The state when recording began, for a database that was there before:
  /// instead of `setup` its CREATE TABLEs and rows.
  std::vector<std::string> schema;
  std::vector<Table> initial;
  std::vector<std::pair<std::string, std::string>> settings;
};

}  // namespace txscope::db
