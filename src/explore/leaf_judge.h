#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "explore/decider.h"
#include "explore/history_search.h"
#include "explore/observed.h"

namespace txscope::explore {

/// What the executions of one level came to.
struct LevelCounts {
  std::uint64_t histories = 0;           ///< complete, and of the level
  std::uint64_t filtered = 0;            ///< complete, and not of the level
  std::uint64_t discarded = 0;           ///< by a failed assumption
  std::uint64_t faulted = 0;             ///< ended by an error of the program
  std::uint64_t cut = 0;                 ///< by a bound
  std::vector<std::uint64_t> violating;  ///< histories, by PropertyId
  /// Histories that can end so; only if that is asked.
  std::map<SeenOutcome, std::uint64_t> outcomes;
};

/// Something wrong in one execution: the property that fails, or a fault.
struct LeafFinding {
  Base level = Base::Causal;
  std::optional<PropertyId> property;
  std::uint32_t pc = 0;                  ///< of the fault
  std::uint16_t instance = 0;            ///< that has the fault
  std::optional<std::size_t> condition;  ///< that is false at the end
};

/// Judges the leaves of a search at one or more levels that it enumerates:
/// filters those levels that are explored as causal, and looks for findings.
template <std::size_t W, std::size_t V>
class LeafJudge {
 public:
  struct Options {
    std::vector<Base> levels;  ///< the search's own, or causal and stronger
    bool counts_all = true;    ///< look for failures of a property again even
                               ///< if it is known to be violated
    const Observed* observed = nullptr;  ///< count outcomes; none: do not
  };
  using OnFinding =
      std::function<void(const HistorySearch<W>&, const LeafFinding&)>;
  /// Called for every complete history of a level.
  using OnHistory = std::function<void(const HistorySearch<W>&, Base)>;

  LeafJudge(const exec::Script& script, Options options, const Budget& budget,
            OnFinding on_finding, OnHistory on_history);

  void leaf(const HistorySearch<W>& search);
  [[nodiscard]] const std::vector<LevelCounts>& counts() const {
    return counts_;
  }
  [[nodiscard]] std::uint64_t end_states() const { return end_states_; }

  /// Why the current leaf has the level, and breaks the invariant if one is
  /// given (an index into Code::conditions).  Nothing if it does not.
  struct Witness {
    std::vector<std::vector<bool>> precedes;  ///< by InstanceId; total enough
    std::vector<std::int64_t> finals;         ///< by KeyId, of rows mentioned
  };
  std::optional<Witness> witness(const HistorySearch<W>& search, Base level,
                                 std::optional<std::size_t> invariant);

 private:
  struct Open {
    std::uint32_t key;  // index into input_.writers
    Bits<V> left;
  };

  bool can_commit(const HistorySearch<W>& search);
  void prepare(const HistorySearch<W>& search);
  void forget();
  void note_witness();
  void note_locals(const HistorySearch<W>& search);
  bool load(const HistorySearch<W>& search, Base level);
  void find_faults(const HistorySearch<W>& search, std::size_t level);
  void find_failures(const HistorySearch<W>& search, std::size_t level);
  void observe(const HistorySearch<W>& search, LevelCounts& counts);
  void fail(const HistorySearch<W>& search, std::size_t level,
            PropertyId property, std::optional<std::size_t> condition);
  bool breaks(const HistorySearch<W>& search, std::size_t condition);
  bool breaks_somewhere(const HistorySearch<W>& search, std::size_t condition);
  bool is_false(std::size_t condition, const HistorySearch<W>& search);
  [[nodiscard]] bool skips(std::size_t level, PropertyId property) const;

  const exec::Script& script_;
  Options options_;
  OnFinding on_finding_;
  OnHistory on_history_;
  bool needs_state_ = false;  // some condition
  std::vector<LevelCounts> counts_;
  std::uint64_t end_states_ = 0;

  bool is_prepared_ = false;
  DeciderInput<V> input_;
  std::vector<KeyId> written_;            // by index into input_.writers
  std::vector<std::uint32_t> key_index_;  // by KeyId; kNoIndex elsewhere
  Decider<V> decider_;
  std::vector<std::vector<bool>> mentions_;  // by condition, by KeyId
  std::vector<std::int64_t> finals_;
  std::vector<const std::int64_t*> locals_;
  std::vector<const std::int64_t*> committed_;
  std::vector<std::int64_t> scratch_;
  std::vector<Open> open_;
  std::vector<std::uint8_t> has_failed_;  // by property, in this leaf
  Witness* witness_ = nullptr;            // to be filled by breaks()
};

extern template class LeafJudge<1, 1>;
extern template class LeafJudge<1, 2>;
extern template class LeafJudge<64, 128>;

}  // namespace txscope::explore
