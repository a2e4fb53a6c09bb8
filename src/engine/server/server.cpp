#include "engine/server/server.h"
#include "analysis/heap_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/innodb/mariadb.h"
#include "engine/postgres/postgres.h"
#include "engine/server/sqlite.h"
#include "model/product/error_class.h"

namespace txscope::engine {
namespace {

bool is_raised(const sql::SqlError& error) { return error.sqlstate == "P0001"; }

/// What a session sees in a row: of its own marks that they are its own.
Hash128 seen_in(State& state, SessionNo s, const SessionMarks* marks,
                const sql::Row& row) {
  if (marks == nullptr) return hash_of(row);
  Mixer mixer;
  mixer.add(row.size());
  for (const sql::Value& value : row) {
    const auto number = marks->of_number(value);
    const auto text = marks->of_text(value);
    if (number && number->session == s) {
      mixer.add(number->which);
      continue;
    }
    if (number) state.recognized |= only(number->session);
    if (text) state.recognized |= only(text->session);
    mixer.add(value.hash());
  }
  return mixer.done();
}

void see(State& state, SessionNo s, const SessionMarks* marks,
         const sql::StatementResult& result) {
  SessionState& session = state.sessions[s];
  CallSeen& call = session.calls.back();
  std::vector<Hash128> rows;
  for (const sql::Row& row : result.rows)
    rows.push_back(seen_in(state, s, marks, row));
  for (Hash128* seen : {&session.seen, &call.results}) {
    Mixer mixer(*seen);
    mixer.add(result.count);
    for (const Hash128& row : rows) mixer.add(row);
    *seen = mixer.done();
  }
  call.drawn.insert(call.drawn.end(), session.drawn.begin(),
                    session.drawn.end());
}

/// The process remembers what is left to COMMIT; nobody is told.
void see_left(SessionState& session, const sql::StatementResult& result) {
  if (result.deferred.empty()) return;
  Mixer mixer(session.seen);
  for (const sql::DeferredChange& change : result.deferred) {
    mixer.add(change.table.index);
    mixer.add(change.old ? hash_of(*change.old) : Hash128{});
    mixer.add(change.now ? hash_of(*change.now) : Hash128{});
    for (const std::uint32_t key : change.keys) mixer.add(key);
    mixer.add(change.keys.size());
    for (const std::uint32_t trigger : change.triggers) mixer.add(trigger);
  }
  session.seen = mixer.done();
}

void see(SessionState& session, std::string_view code) {
  Mixer mixer(session.seen);
  for (const char c : code) mixer.add(static_cast<unsigned char>(c));
  session.seen = mixer.done();
}

}  // namespace

std::uint16_t CodeTable::number(const std::string& code) {
  const auto found = std::find(names_.begin(), names_.end(), code);
  if (found == names_.end()) names_.push_back(code);
  return static_cast<std::uint16_t>(
      std::find(names_.begin(), names_.end(), code) - names_.begin());
}

Server::Server(const Surroundings& around, const Profile& profile,
               Selection selection)
    : around_(around), profile_(profile), selection_(std::move(selection)) {
  const sql::Application& application = around.routines.application();
  for (std::size_t s = 0; s < application.sessions.size(); ++s) {
    auto& levels = isolations_.emplace_back();
    auto& prints = footprints_.emplace_back();
    for (const std::uint32_t c : selection_.calls[s]) {
      const sql::Call& call = application.sessions[s].calls[c];
      levels.push_back(call.level ? call.level->profile->isolation
                                  : profile.isolation);
      prints.push_back(analysis::footprint_of(application, call.routine));
    }
    // What the calls from there on may write.
    for (std::size_t c = prints.size(); c-- > 1;) {
      for (std::size_t t = 0; t < prints[c].writes.size(); ++t)
        if (prints[c].writes[t]) prints[c - 1].writes[t] = true;
    }
  }
  for (const sql::Property& property : application.properties)
    keeps_finished_ |= !property.variables.empty();
  look_for_commuting_steps();
}

void Server::look_for_commuting_steps() {
  if (profile_.product != Product::PostgreSql) return;
  const sql::Application& application = around_.routines.application();
  std::vector<std::vector<const sql::Call*>> calls;
  for (std::size_t s = 0; s < application.sessions.size(); ++s) {
    auto& row = calls.emplace_back();
    for (std::size_t c = 0; c < selection_.calls[s].size(); ++c) {
      if (isolations_[s][c] == Isolation::Serializable) return;
      row.push_back(&application.sessions[s].calls[selection_.calls[s][c]]);
    }
  }
  commuting_ = Commuting(around_, calls, !never_keeps_snapshots());
}

const sql::Call& Server::call_of(const SessionState& session,
                                 SessionNo s) const {
  return around_.routines.application()
      .sessions[s]
      .calls[selection_.calls[s][session.call]];
}

// The tables are made once: a run that changes one makes a copy of its own.
State Server::initial(const sql::MemoryDatabase& database) {
  Surroundings::FirstTables& first = *around_.first;
  State state;
  if (first.of && first.product == profile_.product && *first.of == database) {
    state.tables = first.tables;
  } else {
    fill_tables(state, database);
    first = {database, profile_.product, state.tables};
  }
  state.sequences.assign(database.sequences().begin(),
                         database.sequences().end());
  state.sessions.resize(around_.routines.application().sessions.size());
  for (std::size_t s = 0; s < state.sessions.size(); ++s)
    start(state, static_cast<SessionNo>(s));
  return state;
}

void Server::fill_tables(State& state, const sql::MemoryDatabase& database) {
  const sql::Schema& schema = around_.schema();
  const std::vector<bool> has_order =
      analysis::heap_ordered_tables(around_.routines.application());
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    auto table = std::make_shared<TableState>();
    table->index_readers.resize(schema.tables[t].key_count());
    table->has_spots = profile_.product == Product::PostgreSql && has_order[t];
    for (sql::Row& row : database.rows(TableId(t))) {
      Record record;
      record.anchor = around_.intern(TableId(t), std::move(row));
      const Spot spot = table->has_spots ? ++table->last_spot : 0;
      record.versions.push_back({record.anchor, 0, false, spot});
      table->records.add() = std::move(record);
    }
    table->first_spots = table->last_spot;
    state.tables.push_back(std::move(table));
  }
  if (profile_.product == Product::MariaDb) enter_places(around_, state);
  for (std::size_t t = 0; t < schema.tables.size(); ++t)
    come_to_rest(state.change(TableId(t)), schema.tables[t]);
}

Isolation Server::isolation(const SessionState& session, SessionNo s) const {
  return isolations_[s][session.call];
}

void Server::advance(State& state, SessionNo s,
                     std::shared_ptr<sql::Process> process) {
  SessionState& session = state.sessions[s];
  session.request = process->run(around_.budget);
  // Beginning and ending a sub-transaction is nothing to anybody else; undoing
  // one is, if it has done something.
  while (session.request.is_nesting() &&
         (session.request.kind != sql::Request::Kind::RollBackTo ||
          session.touched == 0)) {
    nest(state, s, session.request);
    process->proceed();
    session.request = process->run(around_.budget);
  }
  session.process = std::move(process);
}

void Server::start(State& state, SessionNo s) {
  SessionState& session = state.sessions[s];
  if (session.call == selection_.calls[s].size()) {
    std::erase_if(state.objects,
                  [&](const ObjectLock& lock) { return lock.owner == s; });
    for (SessionState& other : state.sessions)
      if (other.status == Status::Waiting && (other.waits_for & only(s)) != 0)
        other.is_woken = true;
    session.status = Status::Done;
    session.process.reset();
    return;
  }
  session.status = Status::Ready;
  session.calls.resize(session.call + 1);
  session.calls.back() = {};
  advance(
      state, s,
      std::make_shared<sql::Process>(around_.routines, call_of(session, s)));
}

std::vector<Move> Server::moves(const State& state) const {
  std::vector<Move> moves;
  const auto count = static_cast<SessionNo>(state.sessions.size());
  for (SessionNo s = 0; s < count; ++s)
    if ((state.deadlocked & only(s)) != 0)
      moves.push_back({Move::Kind::Die, s});
  if (!moves.empty()) return moves;
  for (SessionNo s = 0; s < count; ++s)
    if (state.sessions[s].is_woken) moves.push_back({Move::Kind::Resume, s});
  if (!moves.empty()) return moves;
  for (SessionNo s = 0; s < count; ++s) {
    const Status status = state.sessions[s].status;
    if (status == Status::Ready || status == Status::MustRollBack)
      moves.push_back({Move::Kind::Step, s});
  }
  return moves;
}

TraceStep Server::make_step(const State& state, SessionNo s,
                            TraceStep::Kind kind) const {
  const SessionState& session = state.sessions[s];
  TraceStep step;
  step.kind = kind;
  step.session = s;
  step.call = selection_.calls[s][session.call];
  step.attempt = session.attempt;
  step.continues = session.has_waited;
  step.at = call_of(session, s).at;
  if (session.status == Status::MustRollBack) return step;
  const auto slots = session.process->slots();
  step.slots.assign(slots.begin(), slots.end());
  if (session.request.kind == sql::Request::Kind::Statement) {
    step.statement = session.request.statement;
    step.made = session.request.made;
    step.at = step.statement->at;
  } else if (session.request.kind == sql::Request::Kind::Failed) {
    const Span at = session.process->error().at;
    if (at.line != 0) step.at = at;
  }
  return step;
}

void Server::apply(State& state, Move move, std::vector<TraceStep>* trace,
                   Happenings& happenings) {
  SessionState& session = state.sessions[move.session];
  switch (move.kind) {
    case Move::Kind::Step: return step(state, move.session, trace, happenings);
    case Move::Kind::Resume:
      leave_queue(state, move.session);
      session.is_woken = false;
      session.status = Status::Ready;
      session.waits_for = 0;
      session.has_waited = true;
      return execute(state, move.session, trace, happenings);
    case Move::Kind::Die:
      ++happenings.deadlocks;
      state.deadlocked = 0;
      state.had_deadlock = true;
      leave_queue(state, move.session);
      fail(state, move.session,
           error_of(profile_.product, ErrorClass::Deadlock), trace, happenings);
      if (profile_.product != Product::PostgreSql) return;
      // Who was behind the victim may be in a circle that is left.
      for (SessionNo s = 0; s < state.sessions.size(); ++s) {
        const SessionState& other = state.sessions[s];
        if (state.deadlocked == 0 && other.status == Status::Waiting &&
            !other.is_woken && other.queued_behind != 0) {
          find_deadlock(state, s);
        }
      }
  }
}

void Server::step(State& state, SessionNo s, std::vector<TraceStep>* trace,
                  Happenings& happenings) {
  SessionState& session = state.sessions[s];
  if (session.status == Status::MustRollBack)
    return roll_back(state, s, trace, happenings);
  switch (session.request.kind) {
    case sql::Request::Kind::Statement:
      return execute(state, s, trace, happenings);
    case sql::Request::Kind::Returned:
      return commit(state, s, trace, happenings);
    case sql::Request::Kind::Failed: {
      const sql::SqlError& error = session.process->error();
      if (error.is_ours) {
        happenings.undecided = error.message;
        return;
      }
      const std::string code = is_raised(error) ? "raised" : error.sqlstate;
      if (trace != nullptr) {
        TraceStep step = make_step(state, s, TraceStep::Kind::Failed);
        step.code = code;
        step.message = error.message;
        trace->push_back(std::move(step));
      }
      ++happenings.aborts[code];
      session.failure = codes_.number(code);
      session.status = Status::MustRollBack;
      return roll_back(state, s, trace, happenings);
    }
    case sql::Request::Kind::Cut:
      happenings.undecided = "a loop reached its bound of " +
                             std::to_string(around_.routines.loop_bound()) +
                             " rounds";
      return;
    case sql::Request::Kind::Spent:
      happenings.undecided = "the budget is spent";
      return;
    case sql::Request::Kind::RollBackTo: return roll_back_to(state, s, trace);
    case sql::Request::Kind::Commit:
    case sql::Request::Kind::RollBack:
      return end_and_go_on(state, s, trace, happenings);
    case sql::Request::Kind::Savepoint:
    case sql::Request::Kind::Release: return;  // advance() has done them
  }
}

void Server::execute(State& state, SessionNo s, std::vector<TraceStep>* trace,
                     Happenings& happenings) {
  SessionState& session = state.sessions[s];
  session.is_begun = true;
  const sql::Request request = session.request;
  sql::StatementEnd end;
  const Isolation level = isolation(session, s);
  switch (profile_.product) {
    case Product::PostgreSql:
    case Product::Oracle:
      end =
          run_on_postgres(around_, state, s, request, profile_.product, level);
      break;
    case Product::MariaDb:
      end = run_on_mariadb(around_, state, s, request, level);
      break;
    case Product::Sqlite:
      end = run_on_sqlite(around_, state, s, request);
      break;
  }
  switch (end.kind) {
    case sql::StatementEnd::Kind::NeedsAnswer:  // an engine has all its rows
    case sql::StatementEnd::Kind::Undecided:
      happenings.undecided = end.why;
      return;
    case sql::StatementEnd::Kind::Waits:
      ++happenings.waits;
      if (trace != nullptr) {
        TraceStep step = make_step(state, s, TraceStep::Kind::Waits);
        for (SessionNo other = 0; other < state.sessions.size(); ++other)
          if ((end.blockers & only(other)) != 0)
            step.waits_for.push_back(other);
        trace->push_back(std::move(step));
      }
      session.status = Status::Waiting;
      session.waits_for = end.blockers;
      session.has_waited = true;
      return find_deadlock(state, s);
    case sql::StatementEnd::Kind::Failed:
      return fail(state, s, end.error.sqlstate, end.error.message, trace,
                  happenings);
    case sql::StatementEnd::Kind::Done: break;
  }
  happenings.rows = end.result.count;
  const bool is_check = request.statement->is_of_commit();
  if (trace != nullptr && !is_check) {
    TraceStep step = make_step(state, s, TraceStep::Kind::Executed);
    step.rows = end.result.rows;
    step.count = end.result.count;
    trace->push_back(std::move(step));
  }
  if (!is_check) see(state, s, around_.marks, end.result);
  see_left(session, end.result);
  auto process = std::make_shared<sql::Process>(*session.process);
  process->answer(end.result);
  session.end_statement();
  advance(state, s, std::move(process));
  const bool keeps = session.request.kind == sql::Request::Kind::Statement &&
                     session.request.reuses_snapshot;
  if (!keeps) session.statement_snapshot = kNoSnapshot;
  if (is_check) return step(state, s, trace, happenings);  // it is COMMIT's
  if (!keeps) clean(state);
}

void Server::commit(State& state, SessionNo s, std::vector<TraceStep>* trace,
                    Happenings& happenings) {
  SessionState& session = state.sessions[s];
  if (profile_.product == Product::Sqlite) {
    if (!may_commit_on_sqlite(state, s)) {
      return abort(state, s,
                   error_of(profile_.product, ErrorClass::Serialization), trace,
                   happenings);
    }
  }
  if (const auto slot = state.ssi.find_slot(s)) {
    if (!state.ssi.commit(*slot, state.clock + 1)) {
      return abort(state, s,
                   error_of(profile_.product, ErrorClass::Serialization), trace,
                   happenings);
    }
  }
  if (trace != nullptr)
    trace->push_back(make_step(state, s, TraceStep::Kind::Committed));
  ++happenings.commits;
  end_transaction(state, s, true);
  see(session, "committed");
  next_call(state, s, 0);
}

void Server::fail(State& state, SessionNo s, const std::string& code,
                  const std::string& message, std::vector<TraceStep>* trace,
                  Happenings& happenings) {
  if (!survives(state, s, code, message, trace))
    abort(state, s, code, message, trace, happenings);
}

void Server::fail(State& state, SessionNo s, const ErrorRow& error,
                  std::vector<TraceStep>* trace, Happenings& happenings) {
  fail(state, s, std::string(error.code), std::string(error.message), trace,
       happenings);
}

void Server::abort(State& state, SessionNo s, const ErrorRow& error,
                   std::vector<TraceStep>* trace, Happenings& happenings) {
  abort(state, s, std::string(error.code), std::string(error.message), trace,
        happenings);
}

void Server::abort(State& state, SessionNo s, const std::string& code,
                   const std::string& message, std::vector<TraceStep>* trace,
                   Happenings& happenings) {
  SessionState& session = state.sessions[s];
  if (trace != nullptr) {
    TraceStep step = make_step(state, s, TraceStep::Kind::Failed);
    step.code = code;
    step.message = message;
    trace->push_back(std::move(step));
  }
  ++happenings.aborts[code];
  session.status = Status::MustRollBack;
  session.waits_for = 0;
  session.has_waited = false;
  session.failure = codes_.number(code);
  // PostgreSQL gives everything up at once.  The others keep the locks until
  // the client rolls back, which it does at once, too.
  roll_back(state, s, trace, happenings);
}

void Server::roll_back(State& state, SessionNo s, std::vector<TraceStep>* trace,
                       Happenings&) {
  SessionState& session = state.sessions[s];
  if (trace != nullptr)
    trace->push_back(make_step(state, s, TraceStep::Kind::RolledBack));
  end_transaction(state, s, false);
  const std::string code = codes_.name(session.failure);
  see(session, code);
  if (may_retry(session, s, code)) {
    ++session.attempt;
    session.failure = 0;
    return start(state, s);
  }
  next_call(state, s, session.failure);
}

bool Server::may_retry(const SessionState& session, SessionNo s,
                       const std::string& code) const {
  return session.attempt < call_of(session, s).retries && is_transient(code);
}

void Server::next_call(State& state, SessionNo s, std::uint16_t code) {
  SessionState& session = state.sessions[s];
  session.ends.push_back(code);
  session.attempts.push_back(session.attempt + 1);
  if (keeps_finished_) session.finished.push_back(session.process);
  session.failure = 0;
  session.attempt = 0;
  ++session.call;
  start(state, s);
}

void Server::skip(State& state, SessionNo s) {
  next_call(state, s, codes_.number("skipped"));
}

std::vector<std::vector<CallEnd>> Server::ends(const State& state) const {
  std::vector<std::vector<CallEnd>> ends;
  for (const SessionState& session : state.sessions) {
    const std::size_t s = ends.size();
    auto& row = ends.emplace_back();
    row.resize(around_.routines.application().sessions[s].calls.size());
    for (std::size_t c = 0; c < session.ends.size(); ++c) {
      row[selection_.calls[s][c]] = {session.ends[c] == 0, session.attempts[c],
                                     codes_.name(session.ends[c])};
    }
  }
  return ends;
}

}  // namespace txscope::engine
