#include "engine/state_search.h"

#include <algorithm>
#include <utility>

namespace txscope::engine {
namespace {

// Small applications are counted in full even after a violation.
constexpr std::size_t kStatesAfterViolation = 50'000;
constexpr std::uint64_t kProgressEvery = 4096;

Hash128 outcome_of(const State& state) {
  Mixer mixer;
  for (const SessionState& session : state.sessions) mixer.add(session.seen);
  return mixer.done();
}

}  // namespace

StateSearch::StateSearch(Server& server, RuleJudge& judge,
                         const ProfileOptions& options, const Budget& budget,
                         SerialOutcomes* serial)
    : server_(server),
      judge_(judge),
      options_(options),
      budget_(budget),
      serial_(serial) {
  const std::size_t properties =
      server.around().routines.application().properties.size();
  found_.resize(properties);
  violating_.resize(properties);
  broken_between_.resize(properties);
}

std::vector<Move> StateSearch::reduced_moves(const State& state) const {
  std::vector<Move> moves = server_.moves(state);
  if (!options_.reduces || moves.size() < 2) return moves;
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::Step &&
        server_.is_independent(state, move.session)) {
      return {move};
    }
  }
  return moves;
}

void StateSearch::enter(State state) {
  if (!visited_.insert(hash_of(state))) return;
  std::vector<Move> moves = reduced_moves(state);
  if (moves.empty()) return end(state);
  stack_.push_back({std::move(state), std::move(moves), 0});
}

std::vector<Move> StateSearch::path() const {
  std::vector<Move> path;
  for (const Frame& frame : stack_) path.push_back(frame.moves[frame.next - 1]);
  return path;
}

void StateSearch::end(const State& state) {
  const Hash128 outcome = outcome_of(state);
  const Hash128 final = hash_of_committed(state);
  outcomes_.insert(outcome);
  const bool is_new_final = finals_.insert(final);
  const std::vector<bool>& violated = judge_.violated(state, true);
  for (std::size_t p = 0; p < violated.size(); ++p) {
    if (!violated[p]) continue;
    if (is_new_final) ++violating_[p];
    broken_between_[p] = true;
    if (!found_[p]) found_[p] = Found{path()};
  }
  if (state.had_deadlock && !deadlock_) deadlock_ = Found{path()};
  if (!options_.on_outcome && serial_ == nullptr) return;
  Mixer both(outcome);
  both.add(final);
  if (!told_.insert(both.done())) return;
  if (serial_ != nullptr && !odd_) {
    const auto is_serial = serial_->contains(state);
    is_odd_unknown_ |= !is_serial;
    if (is_serial && !*is_serial) odd_ = Found{path()};
  }
  if (options_.on_outcome) tell(state);
}

void StateSearch::tell(const State& state) {
  ObservedOutcome observed;
  observed.ends = server_.ends(state);
  const sql::Schema& schema = server_.around().schema();
  for (std::size_t t = 0; t < schema.tables.size(); ++t)
    observed.final.push_back(committed_rows(state, schema, TableId(t)));
  observed.path = path();
  State replayed = *initial_;
  Happenings unused;
  for (const Move& move : observed.path)
    server_.apply(replayed, move, &observed.schedule, unused);
  options_.on_outcome(observed);
}

void StateSearch::judge_commit(const State& state) {
  const std::vector<bool>& violated = judge_.violated(state, false);
  for (std::size_t p = 0; p < violated.size(); ++p)
    if (violated[p]) broken_between_[p] = true;
}

bool StateSearch::is_enough() const {
  if (options_.stop_at) return found(*options_.stop_at).has_value();
  if (options_.all || visited_.size() < kStatesAfterViolation) return false;
  return std::any_of(found_.begin(), found_.end(),
                     [](const auto& found) { return found.has_value(); });
}

void StateSearch::run(State initial) {
  if (options_.on_outcome) initial_ = initial;
  enter(std::move(initial));
  while (!stack_.empty()) {
    if (budget_.spent() || is_enough()) {
      is_stopped_ = true;
      return;
    }
    Frame& frame = stack_.back();
    if (frame.next == frame.moves.size()) {
      stack_.pop_back();
      continue;
    }
    const Move move = frame.moves[frame.next++];
    State next =
        frame.next == frame.moves.size() ? std::move(frame.state) : frame.state;
    const std::uint64_t commits = happenings_.commits;
    server_.apply(next, move, nullptr, happenings_);
    ++transitions_;
    if (options_.on_progress && transitions_ % kProgressEvery == 0)
      options_.on_progress({visited_.size(), outcomes_.size()});
    if (!happenings_.undecided.empty()) {
      ++cut_;
      cut_reason_ = std::exchange(happenings_.undecided, {});
      continue;
    }
    if (options_.judges_every_commit && happenings_.commits != commits)
      judge_commit(next);
    enter(std::move(next));
  }
}

void StateSearch::report(Answer& answer) const {
  Counts& counts = answer.counts;
  counts.histories = counts.end_states = outcomes_.size();
  counts.final_states = finals_.size();
  counts.explored = visited_.size();
  counts.transitions = transitions_;
  counts.blocked = happenings_.waits;
  counts.deadlocks = happenings_.deadlocks;
  counts.cut = cut_;
  counts.aborts = happenings_.aborts;
  answer.cut_reason = cut_reason_;
  answer.spent = budget_.reason();
  answer.is_complete = !is_stopped_ && cut_ == 0;
  const auto verdict = [&](bool is_violated) {
    if (is_violated) return Outcome::Violated;
    return answer.is_complete ? Outcome::Holds : Outcome::Undecided;
  };
  for (std::size_t p = 0; p < found_.size(); ++p) {
    PropertyAnswer& row = answer.properties[p];
    row.verdict = verdict(found_[p].has_value());
    row.violating = violating_[p];
    if (options_.judges_every_commit)
      row.at_every_commit = verdict(broken_between_[p]);
  }
  if (serial_ != nullptr) {
    answer.builtins = {{Builtin::OneAfterTheOther,
                        odd_ || !is_odd_unknown_ ? verdict(odd_.has_value())
                                                 : Outcome::Undecided},
                       {Builtin::NoDeadlock, verdict(deadlock_.has_value())}};
  }
  answer.outcome = outcome_of(answer);
}

}  // namespace txscope::engine
