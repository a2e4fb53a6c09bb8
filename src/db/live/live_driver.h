#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "db/live/live_database.h"

namespace txscope::db {

/// What a client wants to send next.
struct LiveRequest {
  enum class Kind : std::uint8_t {
    Statement,
    Commit,
    Rollback,
    Silent,  ///< nothing to anybody else: sent together with what follows
    Done
  };
  Kind kind = Kind::Done;
  std::string sql;
};

/// One session's program: it says what to send and hears the answers.  After an
/// error of the database the driver rolls back at once and tells the client
/// nothing but the error.
class LiveClient {
 public:
  virtual ~LiveClient() = default;
  /// The same until it is answered.
  [[nodiscard]] virtual LiveRequest next() = 0;
  virtual void answer(const Answer& answer) = 0;
  /// What to send at once after an error, instead of ROLLBACK, to go on in the
  /// same transaction; empty: nothing.
  [[nodiscard]] virtual std::string recover(const Answer&) { return {}; }
  /// The level of the transaction whose first statement is next.
  [[nodiscard]] virtual const Profile& level() const = 0;
  /// What it saw and how each transaction ended, in its order.
  [[nodiscard]] virtual std::string account() const = 0;
};

using LiveClients = std::vector<std::unique_ptr<LiveClient>>;

/// One interleaving, run from the first rows.
struct LiveRun {
  /// Each entry sends the next statement of that session.
  std::vector<std::uint32_t> schedule;
  /// To which of the session's transactions that statement belongs.
  std::vector<std::uint32_t> transactions;
  std::vector<std::string> trace;  ///< in words
  /// Two sessions waited when a transaction ended: the server may have woken
  /// either one first.
  bool has_race = false;
  LiveState final;
};

struct LiveOptions {
  std::uint64_t limit = 1'000'000;  ///< of interleavings
  /// Called with the committed rows after each commit but the last, if set.
  std::function<void(const LiveState&)> on_commit;
  /// Not all interleavings, but this many by chance.
  std::uint64_t random_runs = 0;
  std::uint64_t seed = 1;
};

struct LiveSummary {
  std::uint64_t interleavings = 0;
  bool is_exhaustive = true;
  std::uint64_t races = 0;  ///< runs that may go in another way, too
  /// Prefixes that did not go as before.
  std::uint64_t surprises = 0;
  /// Why it ended before its time: the server's error; empty: it did not.
  std::string problem;

  /// Nothing can happen that was not seen.
  [[nodiscard]] bool is_complete() const {
    return problem.empty() && is_exhaustive && races == 0 && surprises == 0;
  }
};

/// Runs every interleaving of the clients' statements on a live database.
///
/// A choice is which session sends its next statement; BEGIN goes with the
/// first, COMMIT and the ROLLBACK of a client are statements of their own.  A
/// statement that waits stays waiting while others go on, and ends by itself.
/// On PostgreSQL a deadlock is one more choice, of its victim: that session's
/// transaction gets a short deadlock_timeout.  MariaDB chooses for itself.
/// Every schedule is replayed from the first rows.  `on_run` says whether to go
/// on.
LiveSummary run_interleavings(
    LiveDatabase& database, const std::function<LiveClients()>& make_clients,
    const LiveOptions& options,
    const std::function<bool(const LiveRun&, const LiveClients&)>& on_run);

}  // namespace txscope::db
