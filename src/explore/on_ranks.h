#pragma once

#include <functional>
#include <optional>

#include "explore/engine.h"
#include "transport/group.h"

namespace txscope::explore {

/// Searches that all ranks do together.  Rank 0 says which and has the result;
/// the others only help.
class RankSearches {
 public:
  explicit RankSearches(transport::Group& group) : group_(group) {}

  /// Rank 0: task number `number`, done by all; what was found is put together.
  [[nodiscard]] EngineResult lead(const exec::Script& script,
                                  const EngineTask& task, std::uint64_t number,
                                  const Budget& budget);
  /// Rank 0: there is nothing more to do.
  void dismiss();
  /// The others: helps with the tasks that rank 0 names, until it has no more.
  using TaskOf = std::function<EngineTask(std::uint64_t number)>;
  void help(const exec::Script& script, const TaskOf& task_of,
            const Budget& budget);

  /// Whether ranks can share it: what has to be told in one place or remembered
  /// in one place cannot be shared.
  [[nodiscard]] static bool can_share(const EngineTask& task);

 private:
  [[nodiscard]] std::string search(const exec::Script& script, EngineTask task,
                                   const Budget& budget);

  transport::Group& group_;
  std::uint64_t searches_ = 0;
};

}  // namespace txscope::explore
