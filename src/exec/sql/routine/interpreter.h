#pragma once

#include <cstdint>
#include <span>

#include "exec/sql/routine/process.h"

namespace txscope::sql {

/// Moves a process over its routine's code.
class Interpreter {
 public:
  static void enter(Process& process, RoutineId routine,
                    std::span<const Value> arguments);
  static Request run(Process& process, const Budget& budget, unsigned depth);
  static void answer(Process& process, const StatementResult& result);
  static void proceed(Process& process);

  /// The pc of a call that is over.
  static constexpr std::uint32_t kOver = 0xffffffffu;

 private:
  class Run;
  class Guards;
};

}  // namespace txscope::sql
