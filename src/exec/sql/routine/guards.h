#pragma once

#include <cstdint>
#include <optional>

#include "exec/sql/routine/interpreter.h"
#include "exec/sql/routine/routine_code.h"

namespace txscope::sql {

/// The sub-transactions of a process: blocks with handlers, and savepoints.
/// They are properly nested over all its routines, so one stack of them is
/// enough.  What they mean to rows and locks is the database's; here is where
/// an error goes on.
class Interpreter::Guards {
 public:
  explicit Guards(Process& process) : p_(process) {}

  /// One begins at this instruction of the routine that runs.
  void open(std::uint32_t entry);
  /// Those of the routine that runs, and deeper, are over.
  void close_frame();
  void close_to(std::size_t depth) { p_.guards_.resize(depth); }
  [[nodiscard]] std::uint32_t depth() const {
    return static_cast<std::uint32_t>(p_.guards_.size());
  }
  /// How many are open outside of the routine that runs.
  [[nodiscard]] std::uint32_t outside() const;
  /// The innermost savepoint of a name.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& name,
                                                  std::size_t below) const;

  /// What an error asks for; nothing if nobody goes on after it.
  [[nodiscard]] std::optional<Request> rescue() const;
  /// It was done: the process stands where it goes on.
  void go_on();

 private:
  struct Rescue {
    std::uint32_t guard = 0;
    std::uint32_t pc = 0;
    const PlTry* block = nullptr;  ///< none: a savepoint
  };
  [[nodiscard]] std::optional<Rescue> find_rescue() const;
  [[nodiscard]] const RoutineCode& code_of(const Process::Guard& guard) const;
  void close_cursors(const Process::Guard& guard);

 public:
  /// What is left to COMMIT, as it was.
  void restore_deferred(const Process::Guard& guard);

  Process& p_;
};

}  // namespace txscope::sql
