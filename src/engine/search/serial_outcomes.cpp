#include "engine/search/serial_outcomes.h"

#include <algorithm>
#include <unordered_set>

namespace txscope::engine {
namespace {

constexpr std::size_t kMostNodes = 10'000;

Hash128 place_of(const State& state) {
  Mixer mixer(hash_of_committed(state));
  for (const SessionState& session : state.sessions) mixer.add(session.call);
  for (const std::int64_t next : state.sequences)
    mixer.add(static_cast<std::uint64_t>(next));
  return mixer.done();
}

}  // namespace

bool run_alone(Server& server, State& state, SessionNo s,
               std::vector<TraceStep>* trace) {
  const std::uint32_t call = state.sessions[s].call;
  while (state.sessions[s].status != Status::Done &&
         state.sessions[s].call == call) {
    const std::vector<Move> moves = server.moves(state);
    const auto own =
        std::find_if(moves.begin(), moves.end(),
                     [&](const Move& move) { return move.session == s; });
    if (own == moves.end()) return false;
    Happenings happenings;
    server.apply(state, *own, trace, happenings);
    if (!happenings.undecided.empty()) return false;
  }
  return true;
}

SerialOutcomes::SerialOutcomes(const Surroundings& around,
                               const Profile& profile,
                               const Selection& selection,
                               const sql::MemoryDatabase& initial,
                               SerialSense sense)
    : around_(around), server_(around, profile, selection), sense_(sense) {
  nodes_.push_back({server_.initial(initial), {}});
}

std::vector<SerialOutcomes::Next> SerialOutcomes::open_calls(
    const State& reached, const State& end) const {
  std::vector<Next> open;
  for (SessionNo s = 0; s < end.sessions.size(); ++s) {
    const auto& ends = end.sessions[s].ends;
    std::uint32_t call = reached.sessions[s].call;
    while (call < ends.size() && ends[call] != 0) ++call;
    if (call < ends.size()) open.push_back({s, call});
  }
  return open;
}

std::optional<SerialOutcomes::Edge> SerialOutcomes::run(std::size_t from,
                                                        Next next,
                                                        const State& end) {
  const auto& drawn = end.sessions[next.session].calls[next.call].drawn;
  Mixer mixer;
  mixer.add(next.session);
  mixer.add(next.call);
  for (const std::int64_t number : drawn)
    mixer.add(static_cast<std::uint64_t>(number));
  const Hash128 key = mixer.done();
  const auto known = nodes_[from].edges.find(key);
  if (known != nodes_[from].edges.end()) return known->second;
  if (nodes_.size() >= kMostNodes || around_.budget.spent_now())
    return std::nullopt;
  State state = nodes_[from].state;
  SessionState& session = state.sessions[next.session];
  while (session.call < next.call) server_.skip(state, next.session);
  session.given = std::make_shared<const std::vector<std::int64_t>>(drawn);
  if (!run_alone(server_, state, next.session, nullptr)) return std::nullopt;
  session.given.reset();
  Edge edge;
  edge.is_committed = session.ends[next.call] == 0;
  edge.results = session.calls[next.call].results;
  if (edge.is_committed) {
    const auto [place, is_new] =
        known_.try_emplace(place_of(state), nodes_.size());
    edge.to = place->second;
    if (is_new) nodes_.push_back({std::move(state), {}});
  }
  nodes_[from].edges.emplace(key, edge);
  return edge;
}

std::optional<bool> SerialOutcomes::contains(const State& end) {
  const Hash128 final = hash_of_committed(end);
  std::vector<std::size_t> open = {0};
  std::unordered_set<std::size_t> seen = {0};
  bool is_unknown = false;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    const std::vector<Next> nexts = open_calls(nodes_[at].state, end);
    if (nexts.empty() && hash_of_committed(nodes_[at].state) == final)
      return true;
    for (const Next& next : nexts) {
      const auto edge = run(at, next, end);
      if (!edge) {
        is_unknown = true;
        continue;
      }
      const auto& told = end.sessions[next.session].calls[next.call].results;
      if (!edge->is_committed) continue;
      if (sense_ == SerialSense::Outcome && !(edge->results == told)) continue;
      if (seen.insert(edge->to).second) open.push_back(edge->to);
    }
  }
  if (is_unknown) return std::nullopt;
  return false;
}

}  // namespace txscope::engine
