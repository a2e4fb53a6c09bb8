#pragma once

#include <optional>

#include "explore/history_search.h"

namespace txscope::explore {

/// Where one worker has its work from, and where it leaves what it can spare.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Nothing once there is no work anywhere, or somebody stopped.
  virtual std::optional<WorkItem> take() = 0;
  /// Whether another waits for work; asked after every execution.
  virtual bool is_wanted() = 0;
  virtual void give(WorkItem item) = 0;
  /// Ends the search for all workers.
  virtual void stop() = 0;
  virtual bool was_stopped() = 0;
};

}  // namespace txscope::explore
