#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/sql/application.h"

namespace txscope::engine {

/// One thing that happened, in the order of time.
struct TraceStep {
  enum class Kind : std::uint8_t {
    Executed,    ///< a statement gave `rows` or `count`
    Waits,       ///< a statement has to wait for `waits_for`
    Failed,      ///< a statement, RAISE or COMMIT failed with `code`
    Committed,   ///< COMMIT
    RolledBack,  ///< ROLLBACK after Failed
  };
  Kind kind = Kind::Executed;
  std::uint32_t session = 0;
  std::uint32_t call = 0;     ///< index into Session::calls
  std::uint32_t attempt = 0;  ///< from 0; retries count up
  Span at;                    ///< the statement; of COMMIT the call
  /// The statement that went to the database (none: RAISE, COMMIT), and the
  /// values of the routine's variables then, for sql::text_with_values; at
  /// COMMIT those that the call leaves.
  const sql::DbStatement* statement = nullptr;
  std::shared_ptr<const sql::DbStatement> made = {};  ///< as in sql::Request
  std::vector<sql::Value> slots;
  bool continues = false;  ///< it had waited before
  std::vector<sql::Row> rows;
  std::uint64_t count = 0;
  std::vector<std::uint32_t> waits_for;  ///< sessions
  std::string code;                      ///< "40001", "1213", "raised"
  std::string message;
  /// Of Failed: a handler or a savepoint goes on after it.
  bool is_caught = false;
};

/// What became of one transaction.
struct CallEnd {
  bool is_committed = false;
  std::uint32_t attempts = 1;
  std::string code;  ///< why it aborted; of its last attempt
  friend bool operator==(const CallEnd&, const CallEnd&) = default;
};

/// What can happen next.
struct Move {
  enum class Kind : std::uint8_t {
    Step,    ///< the session's next statement, COMMIT or ROLLBACK
    Resume,  ///< its statement goes on after a wait
    Die,     ///< it is the victim of a deadlock
  };
  Kind kind = Kind::Step;
  std::uint8_t session = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

/// A whole run as its clients see it.
struct ObservedOutcome {
  std::vector<std::vector<CallEnd>> ends;    ///< by session and call
  std::vector<std::vector<sql::Row>> final;  ///< by table, by primary key
  std::vector<Move> path;                    ///< one that leads there
  std::vector<TraceStep> schedule;           ///< the same, as it was seen
};

/// The transactions run one after the other.
struct SerialOutcome {
  std::vector<std::uint32_t> order;          ///< sessions, each its next call
  std::vector<std::vector<CallEnd>> ends;    ///< by session and call
  std::vector<std::vector<sql::Row>> final;  ///< by table
  std::vector<bool> is_violated;             ///< by property
};

}  // namespace txscope::engine
