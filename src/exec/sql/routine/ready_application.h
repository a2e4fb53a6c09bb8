#pragma once

#include <cstdint>
#include <memory>

#include "base/budget.h"
#include "base/result.h"
#include "exec/sql/memory/database.h"
#include "exec/sql/routine/process.h"

namespace txscope::sql {

/// An application whose routines are compiled, whose statements have plans and
/// whose setup has run: made once, for all levels at which it is explored.  The
/// application must outlive it and stay where it is.
class ReadyApplication {
 public:
  /// An Error: the setup fails.  Null: the budget is spent.
  [[nodiscard]] static Result<std::unique_ptr<const ReadyApplication>> make(
      const Application& application, std::uint64_t loop_bound,
      const Budget& budget);

  [[nodiscard]] const Application& application() const {
    return routines_.application();
  }
  [[nodiscard]] const Routines& routines() const { return routines_; }
  /// The state that the setup leaves.
  [[nodiscard]] const MemoryDatabase& initial() const { return *initial_; }

 private:
  ReadyApplication(const Application& application, std::uint64_t loop_bound)
      : routines_(application, loop_bound) {}

  Routines routines_;
  std::unique_ptr<const MemoryDatabase> initial_;
};

}  // namespace txscope::sql
