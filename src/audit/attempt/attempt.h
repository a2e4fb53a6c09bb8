#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "audit/attempt/blame.h"
#include "audit/attempt/execute.h"
#include "audit/attempt/odometer.h"
#include "audit/attempt/rule.h"

namespace txscope::audit {

/// A transaction of a log, ready to run.
struct Txn {
  const sql::LogTransaction* log = nullptr;
  std::vector<PreparedPtr> statements;
  /// Statements that are neither run nor compared: what they touch is unknown.
  std::vector<bool> is_opaque;
  /// Of these: nothing is lost with them, as with questions to the catalogue.
  std::vector<bool> is_idle;
  /// Of these nothing is left, neither rows nor locks, when it commits.
  std::vector<bool> is_taken_back;
  std::uint32_t session = 0;
  std::optional<Rule> rule;  ///< of its own, if the log's claims are asked for
  bool is_on_standby = false;

  [[nodiscard]] bool is_undone(std::size_t k) const {
    return k < is_taken_back.size() && is_taken_back[k];
  }
  /// It may leave something behind.
  [[nodiscard]] bool may_write() const;
  /// Statements that were not understood, or look at what such a one may have
  /// written.
  [[nodiscard]] std::uint64_t not_judged() const;
};

/// Why a transaction could not be explained at some place.
struct Mismatch {
  std::size_t statement = 0;
  std::string expected;
  std::string why;
  Position at = kSetup;  ///< the state it was tried on
};

/// A row that a statement saw as it is in a state of its own.
struct PickedRow {
  std::uint32_t statement = 0;
  TableId table;
  sql::Row key;
  bool is_absent = false;  ///< this life of the key was not seen
  Position at = kSetup;
};

/// What statements saw, where they may see different states.
struct SeenByStatement {
  /// By statement; kNow: versions of several.
  std::vector<Position> states;
  /// Of these every row that was looked at.
  std::vector<PickedRow> rows;
  /// The statements of a routine saw several states, or SKIP LOCKED passed over
  /// rows: which, this does not tell.
  bool chose = false;
};

/// A way in which a transaction can commit.
struct Commit {
  Effects effects;
  /// What it saw as a whole, or, where its level lets statements differ, the
  /// last of the states that they saw.
  Position snapshot = kSetup;
  SeenByStatement seen;
  /// Where it may stand at the earliest if it changes nothing: after what it
  /// saw, and after what refused it something.
  Position after = kSetup;
};

/// Tries to explain single transactions: runs their statements on what the
/// level lets them see and compares every answer.
class Attempts {
 public:
  Attempts(const Tables& tables, Rule rule, GeneratedIds& ids,
           const Budget& budget)
      : tables_(tables),
        common_rule_(rule),
        rule_(rule),
        ids_(ids),
        budget_(budget) {}

  /// Calls `on_commit` for every way, different in what it leaves behind, in
  /// which `txn` can be the next after the states `points` (ascending; the
  /// first is the oldest that it may see, the last the state before it), until
  /// that says true.  A transaction that aborted only has to be answered.
  bool each(const Txn& txn, std::span<const Position> points,
            const std::function<bool(Commit&)>& on_commit);

  /// The same with all statements on one of `points`, the earliest first.
  bool on_earliest(const Txn& txn, std::span<const Position> points,
                   const std::function<bool(Commit&)>& on_commit);

  /// Whether `txn`, at serializable, is explained by the state `at` with these
  /// effects.
  bool repeats(const Txn& txn, std::span<const Position> points,
               const Effects& effects);

  /// Of the last that repeats() tried.
  [[nodiscard]] const Commit& repeated() const { return repeated_; }

  /// How often a statement is run where a level lets versions be mixed; 0: only
  /// states are tried.
  void mix(std::uint64_t runs) { most_runs_ = runs; }

  /// Of these versions none that was replaced by then.
  void mix_since(Position oldest) { mixed_since_ = oldest; }

  /// From now on one snapshot is not later than this state.
  void see_until(Position newest) { newest_ = newest; }

  /// The oldest and the newest state that a statement may see.
  struct Window {
    Position oldest = kSetup;
    Position newest = kNow;
  };
  /// From now on these hold, by statement, where each sees a state of its own.
  void within(std::vector<Window> windows) { windows_ = std::move(windows); }

  /// From now on everything counts as explained of which that is not certain:
  /// a key is held against nothing, what failed may have failed, and a SELECT
  /// whose versions are too many to try is taken to be right.
  void assume() { assumes_ = notes_looks_ = true; }
  /// Versions that were made there are not among those to choose from.
  void hide(const std::set<Position>& made_at) { hidden_ = &made_at; }
  /// From now on the rows that are looked at are kept, in whatever version.
  void note_looks() { notes_looks_ = true; }
  [[nodiscard]] const std::set<std::pair<TableId, RowNumber>>& looked_at()
      const {
    return looked_at_;
  }

  /// From now on what fails on each state is kept, not only what got furthest.
  void tell_all() { tells_all_ = true; }
  [[nodiscard]] const std::vector<Mismatch>& told() const { return told_; }

  /// Of the last transaction that could not be explained: the statement that
  /// got furthest; what a SELECT would have shown only after tell_all().
  [[nodiscard]] const std::optional<Mismatch>& mismatch() const {
    return mismatch_;
  }
  /// Some choice was too large to try all of it: no answer is not a proof.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  [[nodiscard]] std::uint64_t executed() const { return executed_; }

 private:
  /// Whether it can commit having seen one state.
  bool commits_on(Position at);
  bool on_one_state(Position at, Choices& choices);
  /// The same of a statement of which nothing is left, at another time before
  /// the transaction ended.
  bool answers_then(std::size_t k, Sight sight);
  bool each_moment(std::size_t k, Position oldest,
                   const std::function<bool(Position)>& on_moment);
  /// The first change after `at`; kNow: none.
  [[nodiscard]] Position next_change(Position at) const;
  bool on_snapshots();
  bool on_standby();
  bool from_statement(std::size_t k, std::size_t first);
  bool any_versions(std::size_t k);
  enum class Tried : std::uint8_t { Done, InVain, All };
  Tried any_states(std::size_t k, Blame& blame, Visited& looked);
  Tried mixed_versions(std::size_t k, Blame& blame, Visited& looked);
  void guide(std::size_t k, Odometer& odometer) const;
  bool goes_on_after(std::size_t k, const Visited& visited);
  [[nodiscard]] bool writes_what_it_visits(std::size_t k) const;
  [[nodiscard]] Blame writers_of(const Visited& looked) const;
  void note_picked(std::size_t k, const Odometer& odometer);
  bool growing_prefix(std::size_t k, std::size_t first);
  /// Which of the points a statement may see, if from `first` on: begin, end.
  [[nodiscard]] std::pair<std::size_t, std::size_t> visible_to(
      std::size_t k, std::size_t first) const;
  bool inside_routine(std::size_t k, std::size_t first, std::size_t end);
  bool mariadb(std::size_t k, std::size_t first);
  /// Whether nobody has written what it wrote, or inserted, after a state.
  [[nodiscard]] bool is_kept_since(Position at) const;
  /// Runs a statement; nothing if the budget is spent.
  bool answers(std::size_t k, Sight sight, Answer* answer = nullptr);
  /// Every way in which it answers, until `on_answer` says true; afterwards
  /// nothing is left of the others.
  bool each_answer(std::size_t k, Sight sight,
                   const std::function<bool(const Answer&)>& on_answer);
  /// False: that were too many.
  bool may_go_on(const Choices& choices);
  bool skips(std::size_t k) const;
  void control(std::size_t k);
  bool commit(Position snapshot);
  bool conflicts(Position snapshot) const;
  [[nodiscard]] bool needs_last_state() const;
  bool breaks_unique();
  bool breaks_partial(const OwnWrites::Write& write);
  bool breaks_deferred(Position snapshot);
  [[nodiscard]] Effects effects() const { return effects_of(own_); }
  [[nodiscard]] Position before() const { return points_.back(); }
  void note(std::size_t k, Position at, std::string expected, std::string why);

  const Tables& tables_;
  Rule common_rule_;
  Rule rule_;  ///< of the transaction
  GeneratedIds& ids_;
  const Budget& budget_;

  const Txn* txn_ = nullptr;
  std::span<const Position> points_;
  const std::function<bool(Commit&)>* on_commit_ = nullptr;
  OwnWrites own_;
  Visited visited_;
  /// Of any_versions(): the last failure's, and the writers so far.
  Blame blame_;
  std::vector<WriterSoFar> writers_;
  std::map<std::string, std::size_t> savepoints_;
  std::optional<Position> read_view_;
  SeenByStatement seen_;
  std::vector<Effects> tried_;
  std::optional<Mismatch> mismatch_;
  Position newest_ = kNow;
  std::vector<Window> windows_;
  bool assumes_ = false;
  bool notes_looks_ = false;
  const std::set<Position>* hidden_ = nullptr;
  std::set<std::pair<TableId, RowNumber>> looked_at_;
  bool tells_all_ = false;
  std::vector<Mismatch> told_;  ///< the first few that differ
  std::uint64_t most_runs_ = Odometer::kMostRuns;
  Position mixed_since_ = kSetup;
  Commit repeated_;
  bool was_refused_ = false;  ///< something, by the state before it
  bool gave_up_ = false;
  std::uint64_t executed_ = 0;
};

}  // namespace txscope::audit
