#pragma once

#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "race/reduce/footprint.h"
#include "race/run/schedule.h"

namespace txscope::race {

/// An event, and what it touched.
struct Step {
  Choice choice;
  Footprint footprint;
  /// The requests that it is a part of: whose step it is, and those that it
  /// let go on or made fail.
  std::set<std::size_t> members;
};

/// A choice that was made elsewhere already, as long as only what is
/// independent of it has happened since.
struct Sleeper {
  Choice choice;
  Footprint footprint;
};
using Sleep = std::vector<Sleeper>;

/// Those that an event does not wake.
[[nodiscard]] Sleep still_asleep(const Sleep& sleep, const Step& step);
[[nodiscard]] bool is_asleep(const Sleep& sleep, const Choice& choice);

/// The schedules that were run and those that are still to be run.  Knows
/// nothing of processes and databases: who runs them tells what happened.
///
/// Source sets with sleep sets, as search.h says.  Without `reduces` every
/// enabled choice is asked for.
class ScheduleTree {
 public:
  explicit ScheduleTree(bool reduces);
  ~ScheduleTree();

  struct Node;
  /// A run to make: these choices, then whatever does not sleep.
  struct Task {
    Schedule prefix;
    /// What sleeps before the last choice of the prefix.
    Sleep sleep;
    Node* node = nullptr;  ///< where the last choice is made; none: the first
  };
  /// What came of it.  `enabled` has one entry more than `steps`; `sleeps`
  /// says for each state after the prefix what slept there.
  struct Taken {
    std::vector<Step> steps;
    std::vector<std::vector<Choice>> enabled;
  };

  [[nodiscard]] std::optional<Task> next();
  void take_in(const Task& task, const Taken& taken);
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }

 private:
  struct Entry {
    std::size_t switches = 0;
    std::size_t number = 0;  ///< in the order of asking
    Node* node = nullptr;
    Choice choice;
    friend bool operator<(const Entry& a, const Entry& b) {
      // The queue has the largest on top.
      return std::pair(a.switches, a.number) > std::pair(b.switches, b.number);
    }
  };
  void ask(Node& node, const Choice& choice);
  void ask_for_races(const std::vector<Node*>& path, const Taken& taken);
  void reverse(Node& node, const Taken& taken, std::size_t first,
               std::size_t second,
               const std::vector<std::vector<bool>>& before);

  bool reduces_;
  std::unique_ptr<Node> root_;
  std::priority_queue<Entry> queue_;
  std::size_t asked_ = 0;
  bool has_begun_ = false;
};

}  // namespace txscope::race
