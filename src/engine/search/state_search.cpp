#include "engine/search/state_search.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace txscope::engine {
namespace {

// Small applications are counted in full even after a violation.
constexpr std::size_t kStatesAfterViolation = 50'000;
constexpr std::uint64_t kProgressEvery = 4096;

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
  if (const SessionMarks* marks = server.around().marks)
    exchange_.emplace(*marks, server.selection().calls.size());
}

// The smallest persistent set of those that some move is in.
SessionSet StateSearch::fewest(const State& state,
                               const std::vector<Move>& moves) const {
  SessionSet best = ~SessionSet{0};
  for (const Move& move : moves) {
    const SessionSet one = server_.persistent(state, move.session);
    if (std::popcount(one) < std::popcount(best)) best = one;
  }
  return best;
}

StateSearch::Frame StateSearch::reduced_moves(State state) const {
  Frame frame;
  frame.state = std::move(state);
  frame.moves = server_.moves(frame.state);
  const bool are_steps =
      !frame.moves.empty() && frame.moves.front().kind == Move::Kind::Step;
  if (!options_.reduces || frame.moves.size() < 2 || !are_steps) return frame;
  for (const Move move : frame.moves) {
    if (server_.is_independent(frame.state, move.session)) {
      frame.moves = {move};
      return frame;
    }
  }
  // What is committed in between depends on who commits first.
  if (!options_.judges_every_commit) {
    const SessionSet own = fewest(frame.state, frame.moves);
    std::erase_if(frame.moves, [&](const Move& move) {
      return (own & only(move.session)) == 0;
    });
  }
  const auto silent = std::find_if(
      frame.moves.begin(), frame.moves.end(), [&](const Move& move) {
        return server_.is_silent(frame.state, move.session);
      });
  if (silent == frame.moves.end() || frame.moves.size() < 2) return frame;
  const Move first = *silent;
  frame.moves.erase(silent);
  frame.others = std::exchange(frame.moves, {first});
  return frame;
}

void StateSearch::enter(State state) {
  const Hash128 hash =
      exchange_ ? hash_of(state, exchange_->names(state)) : hash_of(state);
  if (!visited_.insert(hash)) return;
  Frame frame = reduced_moves(std::move(state));
  if (frame.moves.empty()) return end(frame.state);
  stack_.push_back(std::move(frame));
}

// Such a state is reached in one way only, so it need not be remembered.
void StateSearch::go_on_within(State state, SessionNo s) {
  Frame frame;
  frame.state = std::move(state);
  frame.moves = {{Move::Kind::Step, s}};
  frame.is_within = true;
  stack_.push_back(std::move(frame));
}

std::vector<Move> StateSearch::path() const {
  std::vector<Move> path;
  for (const Frame& frame : stack_) path.push_back(frame.moves[frame.next - 1]);
  return path;
}

void StateSearch::count(const State& state, const std::vector<bool>& violated) {
  const auto count_final = [&](const Hash128& final) {
    if (!finals_.insert(final)) return;
    for (std::size_t p = 0; p < violated.size(); ++p)
      if (violated[p]) ++violating_[p];
  };
  if (!exchange_) {
    if (outcomes_.insert(outcome_of(state))) note_errors(state);
    return count_final(hash_of_committed(state));
  }
  bool is_new = false;
  exchange_->for_each_outcome(state, [&](const Hash128& outcome) {
    is_new = outcomes_.insert(outcome) || is_new;
  });
  if (is_new) note_errors(state);
  exchange_->for_each_final(state, count_final);
}

void StateSearch::end(const State& state) {
  const std::vector<bool>& violated = judge_.violated(state, true);
  for (std::size_t p = 0; p < violated.size(); ++p) {
    if (!violated[p]) continue;
    broken_between_[p] = true;
    if (!found_[p]) found_[p] = Found{path()};
  }
  if (state.had_deadlock && !deadlock_) deadlock_ = Found{path()};
  Mixer both(exchange_ ? exchange_->outcome(state) : outcome_of(state));
  both.add(exchange_ ? hash_of_committed(state, exchange_->names(state))
                     : hash_of_committed(state));
  if (!told_.insert(both.done())) return;
  count(state, violated);
  if (serial_ != nullptr && !odd_) {
    const auto is_serial = serial_->contains(state);
    is_odd_unknown_ |= !is_serial;
    if (is_serial && !*is_serial) odd_ = Found{path()};
  }
  if (options_.on_outcome) tell(state);
}

void StateSearch::note_errors(const State& state) {
  for (const auto& session : server_.ends(state))
    for (const CallEnd& end : session)
      if (!end.is_committed && !end.code.empty()) errors_.insert(end.code);
}

void StateSearch::tell(const State& state) {
  ObservedOutcome observed;
  observed.ends = server_.ends(state);
  const sql::Schema& schema = server_.around().schema();
  for (std::size_t t = 0; t < schema.tables.size() && options_.tells_rows; ++t)
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
      if (frame.goes_on || frame.is_within) {
        stack_.pop_back();
        continue;
      }
      frame.takes_waits = true;
      frame.next = 0;
    }
    const Move move = frame.moves[frame.next++];
    const bool changes_nothing =
        frame.is_within && (server_.is_independent(frame.state, move.session) ||
                            server_.is_silent(frame.state, move.session));
    State next = frame.state;
    const std::uint64_t commits = happenings_.commits;
    server_.apply(next, move, nullptr, happenings_);
    ++transitions_;
    if (!frame.others.empty() &&
        !Server::goes_on_quietly(frame.state, next, move.session))
      frame.moves.insert(frame.moves.end(), frame.others.begin(),
                         frame.others.end());
    frame.others.clear();
    if (options_.reduces && !frame.takes_waits &&
        server_.may_come_later(frame.state, next, move.session))
      continue;
    frame.goes_on = true;
    const bool moves_right =
        options_.reduces && !frame.takes_waits &&
        (server_.only_locks(frame.state, next, move.session,
                            happenings_.rows) ||
         (changes_nothing &&
          Server::goes_on_quietly(frame.state, next, move.session)));
    if (frame.next == frame.moves.size()) frame.state = State();
    if (options_.on_progress && transitions_ % kProgressEvery == 0)
      options_.on_progress({visited_.size(), outcomes_.size()});
    if (!happenings_.undecided.empty()) {
      ++cut_;
      cut_reason_ = std::exchange(happenings_.undecided, {});
      continue;
    }
    if (options_.judges_every_commit && happenings_.commits != commits)
      judge_commit(next);
    if (moves_right)
      go_on_within(std::move(next), move.session);
    else
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
  counts.errors = errors_;
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
