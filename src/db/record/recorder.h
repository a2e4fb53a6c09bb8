#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/isolation.h"
#include "db/record/actor.h"
#include "db/record/line_file.h"
#include "db/record/log.h"
#include "db/record/redact.h"
#include "model/product/product.h"

namespace txscope::db {

/// How much is run, and how.
struct RecordPlan {
  Product product = Product::PostgreSql;
  RunLevel isolation;
  std::uint64_t clients = 8;
  std::uint64_t transactions = 10'000;  ///< in all; retries do not count
  std::uint64_t seed = 1;
  std::uint64_t retries = 0;  ///< after a serialization failure or deadlock
  double rate = 0;            ///< transactions per second in all; 0: no limit
  bool has_commit_times = false;  ///< PostgreSQL with track_commit_timestamp
  bool is_history = false;
};

struct RecordCounts {
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::uint64_t unknown = 0;
  std::uint64_t statements = 0;
  std::uint64_t retries = 0;
  std::uint64_t reconnections = 0;
  double seconds = 0;

  [[nodiscard]] std::uint64_t transactions() const {
    return committed + aborted + unknown;
  }
};

/// Where sessions and actors come from, and where lines go.
struct RecordWorld {
  std::function<Result<std::unique_ptr<Session>>()> connect;
  std::function<std::unique_ptr<Actor>(std::uint64_t client)> make_actor;
  /// Ends a session that waits in the server: it may hold locks that others,
  /// and who cleans up, would wait for as long.  May be null.
  std::function<void(Session&)> end_session;
  LineFile* file = nullptr;
  const Redactor* redactor = nullptr;  ///< may be null
  /// Called after each transaction; false: start no more of them.
  std::function<bool(const RecordCounts&)> on_progress;
};

/// Runs the clients until their transactions are done, on one thread: sessions
/// do not block.  Each transaction is written when it has ended.
///
/// A client whose connection breaks logs its transaction as unknown, connects
/// again and goes on as a new session: what the broken one did may still
/// happen.  Ends with an Error if no client can connect, an actor cannot go
/// on, or the file takes no more; what was written is intact then.
[[nodiscard]] Result<RecordCounts> record(const RecordPlan& plan,
                                          const RecordWorld& world);

}  // namespace txscope::db
