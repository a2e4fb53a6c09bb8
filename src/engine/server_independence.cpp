// Steps that can be taken at once, whatever the others do.

#include "engine/footprint.h"
#include "engine/server.h"

namespace txscope::engine {

bool Server::may_be_written_by_others(const State& state, SessionNo s,
                                      const Footprint& print) const {
  for (SessionNo other = 0; other < state.sessions.size(); ++other) {
    const SessionState& session = state.sessions[other];
    if (other == s || session.status == Status::Done) continue;
    const Footprint& rest = footprints_[other][session.call];
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
    known->second = footprint_of(around_.routines.application(),
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
  return !may_be_written_by_others(state, s, known->second);
}

}  // namespace txscope::engine
