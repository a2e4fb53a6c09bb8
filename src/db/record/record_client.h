#pragma once

#include <memory>
#include <optional>

#include "db/record/clock.h"
#include "db/record/recorder.h"

namespace txscope::db {

/// One client of a recording: a session, an actor, and the transaction between
/// them.  Every call returns at once.
class RecordClient {
 public:
  RecordClient(const RecordPlan& plan, const Clock& clock, std::uint64_t number,
               std::unique_ptr<Actor> actor);

  /// The next connection; `session` is its name in the log.
  void connect(std::unique_ptr<Session> connection, std::uint64_t session);
  [[nodiscard]] bool is_connected() const { return connection_ != nullptr; }
  /// Between transactions.
  [[nodiscard]] bool is_idle() const { return state_ == State::Idle; }
  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] Session* session() const { return connection_.get(); }
  [[nodiscard]] const Actor& actor() const { return *actor_; }
  /// How many transactions it began; retries do not count.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  [[nodiscard]] std::uint64_t retries() const { return retried_; }

  /// Begins the next transaction, or the last one again.
  void begin();
  /// Takes the answer and sends what comes next; the transaction, if it ended.
  std::optional<LoggedTransaction> advance();
  /// Gives the transaction up: nobody knows how it ends.
  LoggedTransaction abandon();

  /// Server time in microseconds minus ours.
  void set_server_offset(std::int64_t offset) { server_offset_ = offset; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  enum class State : std::uint8_t {
    Idle,
    Beginning,
    Running,
    Committing,
    RollingBack,
  };
  void proceed();
  void send(State state, const std::string& sql);
  std::optional<LoggedTransaction> take_commit(Answer answer);
  void take_statement(Answer answer);
  LoggedTransaction ended(LoggedTransaction::Status status);

  const RecordPlan& plan_;
  const Clock& clock_;
  std::uint64_t number_;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<Session> connection_;
  Random random_;
  State state_ = State::Idle;
  bool is_finished_ = false;
  std::uint64_t quota_ = 0;
  std::uint64_t begun_ = 0;
  std::uint64_t sequence_ = 0;  ///< of transactions in this session
  std::uint64_t session_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t retried_ = 0;
  bool retries_next_ = false;
  std::int64_t server_offset_ = 0;
  LoggedTransaction transaction_;
  ActorStep step_;
};

}  // namespace txscope::db
