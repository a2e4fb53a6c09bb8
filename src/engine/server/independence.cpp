// Steps that can be taken at once, whatever the others do.

#include <algorithm>

#include "analysis/footprint.h"
#include "engine/server/server.h"

namespace txscope::engine {

bool Server::may_be_written_by_others(const State& state, SessionNo s,
                                      const analysis::Footprint& print) const {
  for (SessionNo other = 0; other < state.sessions.size(); ++other) {
    const SessionState& session = state.sessions[other];
    if (other == s || session.status == Status::Done) continue;
    const analysis::Footprint& rest = footprints_[other][session.call];
    for (std::size_t t = 0; t < print.reads.size(); ++t)
      if (print.reads[t] && rest.writes[t]) return true;
  }
  return false;
}

bool Server::is_independent(const State& state, SessionNo s) {
  const SessionState& session = state.sessions[s];
  if (profile_.product == Product::Sqlite) return false;
  if (session.status == Status::MustRollBack) return session.touched == 0;
  if (session.status != Status::Ready) return false;
  if (state.ssi.find_slot(s)) return false;
  switch (session.request.kind) {
    case sql::Request::Kind::Returned:
    case sql::Request::Kind::Failed:
    case sql::Request::Kind::Commit:
    case sql::Request::Kind::RollBack: return session.touched == 0;
    case sql::Request::Kind::Savepoint:
    case sql::Request::Kind::Release:
    case sql::Request::Kind::RollBackTo: return false;
    case sql::Request::Kind::Cut:
    case sql::Request::Kind::Spent: return true;
    case sql::Request::Kind::Statement: break;
  }
  if (session.request.statement->locks != nullptr ||
      !session.request.statement->checks.empty() ||
      around_.routines.locks_tables()) {
    return false;
  }
  if (session.request.statement->is_write() ||
      session.request.statement->locks_rows()) {
    return false;
  }
  const Isolation level = isolation(session, s);
  if (level == Isolation::Serializable && profile_.product != Product::Oracle)
    return false;
  const auto [known, is_new] =
      statements_.try_emplace(session.request.statement);
  if (is_new) {
    known->second = analysis::footprint_of(around_.routines.application(),
                                           *session.request.statement);
  }
  const std::vector<bool>& draws = known->second.draws;
  for (std::uint32_t sequence = 0; sequence < draws.size(); ++sequence)
    if (draws[sequence] && !around_.has_own_numbers(sequence)) return false;
  // A plain read from a snapshot that was taken before.
  if (session.snapshot != kNoSnapshot) return true;
  // A plain read, with a snapshot of its own, of what nobody else changes.
  if (level != Isolation::ReadCommitted &&
      level != Isolation::ReadUncommitted) {
    return false;
  }
  return !may_be_written_by_others(state, s, known->second) ||
         commuting_.reads_alone(state, s, *session.request.statement);
}

bool Server::is_silent(const State& state, SessionNo s) const {
  const SessionState& session = state.sessions[s];
  if (session.status != Status::Ready ||
      session.request.kind != sql::Request::Kind::Statement ||
      !commuting_.is_silent(*session.request.statement)) {
    return false;
  }
  // Where a snapshot is kept this must not be the statement that takes it.
  return isolation(session, s) == Isolation::ReadCommitted ||
         session.snapshot != kNoSnapshot;
}

bool Server::goes_on_quietly(const State& before, const State& after,
                             SessionNo s) {
  const SessionState& was = before.sessions[s];
  const SessionState& is = after.sessions[s];
  return is.status == Status::Ready && is.call == was.call &&
         is.attempt == was.attempt && after.deadlocked == 0 &&
         is.savepoints.size() == was.savepoints.size() &&
         (is.request.kind == sql::Request::Kind::Statement ||
          is.request.kind == sql::Request::Kind::Returned);
}

bool Server::may_come_later(const State& before, const State& waiting,
                            SessionNo s) const {
  const SessionState& session = before.sessions[s];
  if (waiting.sessions[s].status != Status::Waiting ||
      waiting.deadlocked != 0 || session.status != Status::Ready ||
      !commuting_.may_come_later(*session.request.statement)) {
    return false;
  }
  return never_keeps_snapshots();  // else waiting may be what takes one
}

// It looked at one row by its key, which is locked now: nothing that others do
// before the session goes on can change what it found, or is changed by the
// lock, but for those who wait for it and may come later (may_come_later).
// Without a row nothing is locked.
bool Server::only_locks(const State& before, const State& after, SessionNo s,
                        std::uint64_t rows) const {
  const SessionState& session = before.sessions[s];
  return rows > 0 && session.status == Status::Ready &&
         session.request.kind == sql::Request::Kind::Statement &&
         commuting_.may_come_later(*session.request.statement) &&
         goes_on_quietly(before, after, s) && never_keeps_snapshots();
}

bool Server::never_keeps_snapshots() const {
  return std::all_of(isolations_.begin(), isolations_.end(),
                     [](const std::vector<Isolation>& calls) {
                       return std::all_of(
                           calls.begin(), calls.end(), [](Isolation level) {
                             return level == Isolation::ReadCommitted;
                           });
                     });
}

}  // namespace txscope::engine
