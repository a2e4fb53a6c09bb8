#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/search/exchange.h"
#include "engine/search/explore_profile.h"
#include "engine/search/rule_judge.h"
#include "engine/search/serial_outcomes.h"
#include "engine/server/hash_set.h"
#include "engine/server/server.h"

namespace txscope::engine {

/// All states that can be reached from one, each expanded once.
///
/// Method.  Depth-first, on a stack of our own; states are told apart by their
/// 128-bit hashes.  A state with a step that is independent of all others'
/// (Server::is_independent) is left by that step alone: a persistent set
/// (Godefroid, LNCS 1032, 1996, chapter 4); so are the steps of sessions that
/// have nothing to do with the others.  A run always ends, so no step is put
/// off for ever.  A statement that would wait is sent later where that is the
/// same (Commuting), and one that only takes locks is followed by the session's
/// next step: it could as well be sent just before that (Lipton, Reduction,
/// CACM 1975: taking a lock moves right).
/// Of states that differ by an exchange of sessions one is expanded (Exchange),
/// and at an end all are counted that exchanges make of it.
/// Invariant.  Every outcome of the unreduced search is found, as an
/// independent step commutes with all that others do.
class StateSearch {
 public:
  /// With `serial` every outcome is looked for among serial ones.
  StateSearch(Server& server, RuleJudge& judge, const ProfileOptions& options,
              const Budget& budget, SerialOutcomes* serial = nullptr);

  void run(State initial);

  struct Found {
    std::vector<Move> path;
  };
  /// By property: a run that violates it.
  [[nodiscard]] const std::vector<std::optional<Found>>& found() const {
    return found_;
  }
  [[nodiscard]] const std::optional<Found>& found(const Question& what) const {
    if (!what.builtin) return found_[what.property];
    return *what.builtin == Builtin::NoDeadlock ? deadlock_ : odd_;
  }
  /// Fills in everything that was counted.
  void report(Answer& answer) const;

 private:
  struct Frame {
    State state;
    std::vector<Move> moves;
    /// If the one move, which should be silent, is not.
    std::vector<Move> others;
    std::size_t next = 0;
    bool goes_on = false;      ///< some move was taken
    bool takes_waits = false;  ///< since without them none was
    /// The session before it only took locks: the next step is its own, or all
    /// this comes of sending those statements later.
    bool is_within = false;
  };
  [[nodiscard]] Frame reduced_moves(State state) const;
  [[nodiscard]] SessionSet fewest(const State& state,
                                  const std::vector<Move>& moves) const;
  void enter(State state);
  void go_on_within(State state, SessionNo s);
  void end(const State& state);
  /// Counts what an end shows, and what exchanges make of it.
  void count(const State& state, const std::vector<bool>& violated);
  void tell(const State& state);
  void note_errors(const State& state);
  void judge_commit(const State& state);
  [[nodiscard]] bool is_enough() const;
  [[nodiscard]] std::vector<Move> path() const;

  Server& server_;
  RuleJudge& judge_;
  const ProfileOptions& options_;
  const Budget& budget_;
  std::optional<State> initial_;  ///< kept to tell schedules
  std::vector<Frame> stack_;
  std::optional<Exchange> exchange_;
  HashSet visited_;
  HashSet outcomes_;
  std::set<std::string> errors_;  ///< that transactions end with for good
  HashSet finals_;
  HashSet told_;  ///< outcomes with their final states; one of those alike
  SerialOutcomes* const serial_;
  std::optional<Found> odd_;     ///< an outcome of no serial order
  bool is_odd_unknown_ = false;  ///< of some outcome
  std::optional<Found> deadlock_;
  std::vector<std::optional<Found>> found_;
  std::vector<std::uint64_t> violating_;
  std::vector<bool> broken_between_;
  Happenings happenings_;
  std::uint64_t transitions_ = 0;
  std::uint64_t cut_ = 0;
  std::string cut_reason_;
  bool is_stopped_ = false;
};

}  // namespace txscope::engine
