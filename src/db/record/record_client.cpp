#include "db/record/record_client.h"

#include <charconv>

namespace txscope::db {
namespace {

// One message: the commit time belongs to a transaction number, which is there
// only before COMMIT; a setting of the session carries it over.
constexpr const char* kTimedCommit =
    "SELECT set_config('txscope.xid',"
    " coalesce(pg_current_xact_id_if_assigned()::xid::text, ''), false); "
    "COMMIT; "
    "SELECT (extract(epoch FROM pg_xact_commit_timestamp("
    "nullif(current_setting('txscope.xid'), '')::xid)) * 1000000)::bigint";

/// Whether a failed COMMIT surely did nothing.
bool is_certain(const Answer& answer) {
  if (answer.is_retryable()) return true;
  const std::string_view group = std::string_view(answer.sqlstate).substr(0, 2);
  return group == "40" || group == "23" || group == "25" || group == "P0";
}

}  // namespace

RecordClient::RecordClient(const RecordPlan& plan, const Clock& clock,
                           std::uint64_t number, std::unique_ptr<Actor> actor)
    : plan_(plan),
      clock_(clock),
      number_(number),
      actor_(std::move(actor)),
      random_(scramble(plan.seed * 0x9e3779b97f4a7c15ull + number)) {
  quota_ = plan.transactions / plan.clients +
           (number < plan.transactions % plan.clients ? 1 : 0);
  is_finished_ = quota_ == 0;
}

void RecordClient::connect(std::unique_ptr<Session> connection,
                           std::uint64_t session) {
  connection_ = std::move(connection);
  session_ = session;
  sequence_ = 0;
}

void RecordClient::begin() {
  if (!retries_next_) {
    attempts_ = 0;
    if (begun_ == quota_ || !actor_->choose(random_)) {
      is_finished_ = true;
      return;
    }
    ++begun_;
  } else {
    ++retried_;
    actor_->restart();
  }
  retries_next_ = false;
  ++attempts_;
  transaction_ = {};
  transaction_.session = session_;
  transaction_.id =
      std::to_string(session_) + "-" + std::to_string(++sequence_);
  transaction_.start = clock_.now();
  send(State::Beginning, plan_.isolation.begin);
}

void RecordClient::send(State state, const std::string& sql) {
  state_ = state;
  connection_->send(sql);
}

void RecordClient::proceed() {
  step_ = actor_->next();
  switch (step_.kind) {
    case ActorStep::Kind::Statement:
      step_.logged.start = clock_.now();
      send(State::Running, step_.sent);
      break;
    case ActorStep::Kind::Commit:
      send(State::Committing, plan_.has_commit_times ? kTimedCommit : "COMMIT");
      break;
    case ActorStep::Kind::Rollback: send(State::RollingBack, "ROLLBACK"); break;
  }
}

void RecordClient::take_statement(Answer answer) {
  LoggedStatement& logged = step_.logged;
  logged.end = clock_.now();
  logged.has_rows = !answer.columns.empty();
  for (std::size_t c = 0; c < step_.types.size() && c < answer.columns.size();
       ++c)
    answer.columns[c].type = step_.types[c];
  const bool is_ok = answer.is_ok();
  if (is_ok) {
    actor_->answer(answer);
  } else {
    retries_next_ = answer.is_retryable() && attempts_ <= plan_.retries;
  }
  logged.answer = std::move(answer);
  transaction_.statements.push_back(std::move(logged));
  if (is_ok)
    proceed();
  else
    send(State::RollingBack, "ROLLBACK");
}

std::optional<LoggedTransaction> RecordClient::take_commit(Answer answer) {
  if (answer.is_ok()) {
    if (plan_.has_commit_times && !answer.rows.empty() && answer.rows[0][0]) {
      const std::string& text = *answer.rows[0][0];
      std::int64_t time = 0;
      std::from_chars(text.data(), text.data() + text.size(), time);
      transaction_.commit = time - server_offset_;
    }
    return ended(LoggedTransaction::Status::Committed);
  }
  transaction_.error = answer;
  if (!is_certain(answer)) return ended(LoggedTransaction::Status::Unknown);
  retries_next_ = answer.is_retryable() && attempts_ <= plan_.retries;
  send(State::RollingBack, "ROLLBACK");
  return std::nullopt;
}

std::optional<LoggedTransaction> RecordClient::advance() {
  const State state = state_;
  Answer answer = connection_->receive();
  if (answer.is_lost() && state != State::RollingBack) {
    if (state == State::Running) {
      step_.logged.end = clock_.now();
      step_.logged.answer = std::move(answer);
      transaction_.statements.push_back(std::move(step_.logged));
    }
    return abandon();
  }
  switch (state) {
    case State::Idle: break;
    case State::Beginning:
      if (!answer.is_ok()) {
        transaction_.error = std::move(answer);
        return ended(LoggedTransaction::Status::Aborted);
      }
      proceed();
      break;
    case State::Running: take_statement(std::move(answer)); break;
    case State::Committing: return take_commit(std::move(answer));
    case State::RollingBack: {
      LoggedTransaction done = ended(LoggedTransaction::Status::Aborted);
      if (answer.is_lost()) connection_.reset();
      return done;
    }
  }
  return std::nullopt;
}

LoggedTransaction RecordClient::ended(LoggedTransaction::Status status) {
  transaction_.end = clock_.now();
  transaction_.status = status;
  transaction_.operations = actor_->operations();
  state_ = State::Idle;
  if (!retries_next_ && begun_ == quota_) is_finished_ = true;
  return std::move(transaction_);
}

LoggedTransaction RecordClient::abandon() {
  retries_next_ = false;
  LoggedTransaction lost = ended(LoggedTransaction::Status::Unknown);
  connection_.reset();
  return lost;
}

}  // namespace txscope::db
