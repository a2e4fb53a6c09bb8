#include "engine/search/exchange.h"

#include <algorithm>

namespace txscope::engine {

Hash128 outcome_of(const State& state) {
  Mixer mixer;
  for (const SessionState& session : state.sessions) mixer.add(session.seen);
  return mixer.done();
}

Naming Exchange::names(const State& state) const {
  const Places sorted =
      places(state, [&](SessionNo s) { return signature_of(state, s); });
  Naming names(sessions_);
  for (const auto& row : sorted) {
    std::vector<SessionNo> at;
    for (const Look& look : row) at.push_back(look.session);
    std::sort(at.begin(), at.end());
    for (std::size_t i = 0; i < row.size(); ++i)
      names.rename(row[i].session, at[i]);
  }
  return names;
}

Hash128 Exchange::outcome(const State& state) const {
  const Places sorted =
      places(state, [&](SessionNo s) { return state.sessions[s].seen; });
  std::vector<Hash128> seen;
  for (const SessionState& session : state.sessions)
    seen.push_back(session.seen);
  for (const auto& row : sorted) {
    std::vector<SessionNo> at;
    for (const Look& look : row) at.push_back(look.session);
    std::sort(at.begin(), at.end());
    for (std::size_t i = 0; i < row.size(); ++i) seen[at[i]] = row[i].look;
  }
  Mixer mixer;
  for (const Hash128& one : seen) mixer.add(one);
  return mixer.done();
}

}  // namespace txscope::engine
