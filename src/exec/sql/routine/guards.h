#pragma once

#include <cstdint>
#include <optional>

#include "exec/sql/routine/interpreter.h"
#include "exec/sql/routine/routine_code.h"

namespace txscope::sql {

/// The guards of a process: blocks with handlers, and savepoints.  They are
/// properly nested over all its routines, so one stack of them is enough.  All
/// but the blocks that keep their work are sub-transactions; what those mean to
/// rows and locks is the database's.  Here is where an error goes on.
class Interpreter::Guards {
 public:
  explicit Guards(Process& process) : p_(process) {}

  /// One begins at this instruction of the routine that runs.
  void open(std::uint32_t entry);
  /// Those of the routine that runs, and deeper, are over.
  void close_frame();
  void close_to(std::size_t count) { p_.guards_.resize(count); }
  [[nodiscard]] std::uint32_t count() const {
    return static_cast<std::uint32_t>(p_.guards_.size());
  }
  /// Sub-transactions among the first `count` of them.
  [[nodiscard]] std::uint32_t nested(std::size_t count) const;
  [[nodiscard]] std::uint32_t depth() const { return nested(count()); }
  /// The innermost is no sub-transaction.
  [[nodiscard]] bool keeps_work() const { return !p_.guards_.back().is_nested; }
  /// How many are open outside of the routine that runs.
  [[nodiscard]] std::uint32_t outside() const;
  /// The innermost savepoint of a name.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& name,
                                                  std::size_t below) const;

  /// What an error asks for; nothing if nobody goes on after it.
  [[nodiscard]] std::optional<Request> rescue() const;
  /// A handler takes the error, and nothing has to be undone.
  [[nodiscard]] bool is_caught_in_place() const;
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
