// Sub-transactions, and transactions that end in the middle of a call.

#include <utility>

#include "engine/server/product_rules.h"
#include "engine/server/server.h"
#include "model/product/error_class.h"

namespace txscope::engine {
namespace {

/// Failures after which nothing of the transaction is left.
bool takes_all(const std::string& code) {
  const ErrorRow* error = find_error(code);
  return error != nullptr && error->takes_all;
}

void see_code(SessionState& session, std::string_view code) {
  Mixer mixer(session.seen);
  for (const char c : code) mixer.add(static_cast<unsigned char>(c));
  session.seen = mixer.done();
}

// Instead of a count: nothing had been sent before the savepoint.
constexpr std::uint32_t kBeforeAll = 0xffffffff;

}  // namespace

// PostgreSQL frees the locks of what it undoes.  InnoDB keeps them, but does
// not know of a savepoint that was there before its first statement: all is
// undone.
void Server::nest(State& state, SessionNo s, const sql::Request& request) {
  SessionState& session = state.sessions[s];
  const std::uint32_t depth = request.depth;
  const bool is_innodb = profile_.product == Product::MariaDb;
  switch (request.kind) {
    case sql::Request::Kind::Savepoint:
      session.savepoints.push_back(
          is_innodb && !session.is_begun ? kBeforeAll : session.writes);
      return;
    case sql::Request::Kind::Release:
      while (session.savepoints.size() > depth)
        merge_into_parent(state, s, session.savepoints.size());
      return;
    case sql::Request::Kind::RollBackTo: {
      const std::size_t kept = request.reopens ? depth - 1 : depth;
      const bool forgets = kept < session.savepoints.size() &&
                           session.savepoints[kept] == kBeforeAll;
      if (forgets && request.is_of_statement) {
        session.savepoints[kept] = 0;  // it has written nothing else
        undo_to(state, s, kept, false);
      } else if (forgets) {
        end_transaction(state, s, false);
        session.savepoints.assign(kept, kBeforeAll);
      } else {
        undo_to(state, s, kept, !is_innodb);
      }
      if (!request.reopens) return;
      session.savepoints.push_back(
          is_innodb && !session.is_begun ? kBeforeAll : session.writes);
      return;
    }
    default: return;
  }
}

bool Server::survives(State& state, SessionNo s, const std::string& code,
                      const std::string& message,
                      std::vector<TraceStep>* trace) {
  SessionState& session = state.sessions[s];
  if (session.savepoints.empty() || takes_all(code)) return false;
  auto process = std::make_shared<sql::Process>(*session.process);
  sql::SqlError error;
  error.sqlstate = sql::condition_of(rules_of(profile_.product), code);
  error.message = message;
  process->fail(error);
  const sql::Request request = process->run(around_.budget);
  if (request.kind != sql::Request::Kind::RollBackTo) return false;
  if (trace != nullptr) {
    TraceStep step = make_step(state, s, TraceStep::Kind::Failed);
    step.code = code;
    step.message = message;
    step.is_caught = true;
    trace->push_back(std::move(step));
  }
  see_code(session, code);
  undo_statement(state, s);
  session.status = Status::Ready;
  session.waits_for = 0;
  session.end_statement();
  session.statement_snapshot = kNoSnapshot;
  nest(state, s, request);
  process->proceed();
  advance(state, s, std::move(process));
  clean(state);
  return true;
}

void Server::roll_back_to(State& state, SessionNo s,
                          std::vector<TraceStep>* trace) {
  SessionState& session = state.sessions[s];
  auto process = std::make_shared<sql::Process>(*session.process);
  if (trace != nullptr && process->is_failing()) {
    TraceStep step = make_step(state, s, TraceStep::Kind::Failed);
    step.at = process->error().at;
    step.code = process->error().sqlstate;
    step.message = process->error().message;
    step.is_caught = true;
    trace->push_back(std::move(step));
  }
  nest(state, s, session.request);
  // A step that tells nobody anything: the process stands elsewhere after it.
  see_code(session, "back");
  process->proceed();
  advance(state, s, std::move(process));
  clean(state);
}

void Server::end_and_go_on(State& state, SessionNo s,
                           std::vector<TraceStep>* trace,
                           Happenings& happenings) {
  SessionState& session = state.sessions[s];
  const bool is_commit = session.request.kind == sql::Request::Kind::Commit;
  if (const auto slot = state.ssi.find_slot(s); slot && is_commit) {
    if (!state.ssi.commit(*slot, state.clock + 1)) {
      return abort(state, s,
                   error_of(profile_.product, ErrorClass::Serialization), trace,
                   happenings);
    }
  }
  if (trace != nullptr) {
    trace->push_back(make_step(
        state, s,
        is_commit ? TraceStep::Kind::Committed : TraceStep::Kind::RolledBack));
  }
  if (is_commit) ++happenings.commits;
  end_transaction(state, s, is_commit);
  see_code(session, is_commit ? "committed" : "rolled back");
  auto process = std::make_shared<sql::Process>(*session.process);
  process->proceed();
  advance(state, s, std::move(process));
}

}  // namespace txscope::engine
