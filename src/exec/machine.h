#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/budget.h"
#include "exec/code.h"

namespace txscope {

/// Why a transaction stopped running.
enum class Stop : std::uint8_t {
  Read,    ///< it waits for the value of `key`: Machine::answer() goes on
  Write,   ///< it wrote `value` to `key`: Machine::resume() goes on
  Commit,  ///< it ended
  Abort,   ///< it ended by `abort`
  Assume,  ///< an assumption failed: the execution does not count
  Fault,   ///< `fault` at `pc`: the execution ends here
  Bound,   ///< the bound of a loop, or the budget, was reached
};

struct Event {
  Stop stop = Stop::Commit;
  Fault fault = Fault::None;
  KeyId key;
  std::int64_t value = 0;
  std::uint32_t pc = 0;  ///< the instruction that did it; Code::places has it
};

/// Runs transactions that are not compiled to instructions; the same contract
/// as Machine's.  One thread uses one runner.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual Event start(InstanceId instance, std::int64_t* slots) = 0;
  virtual Event answer(std::int64_t value, std::int64_t* slots) = 0;
  virtual Event resume(std::int64_t* slots) = 0;
  virtual bool holds(const Code::Condition& condition,
                     std::span<const std::int64_t> finals,
                     const std::int64_t* const* locals) = 0;
  /// Whether these transactions, by their slots, can all have committed.
  virtual bool can_commit(std::span<const std::int64_t* const> all) = 0;
  /// The statement of an event.
  [[nodiscard]] virtual Span place(std::uint32_t pc) const = 0;
};

/// Runs the transactions of a Code over concrete values, from one database
/// event to the next.  A transaction's whole state is its slots and the `pc`
/// of the event it stopped at: whoever keeps both may go on from there, as
/// often as wanted.  No allocation, no recursion.
class Machine {
 public:
  Machine(const Code& code, std::uint64_t loop_bound, const Budget& budget)
      : code_(code), loop_bound_(loop_bound), budget_(budget) {
    if (code.make_runner) runner_ = code.make_runner(budget);
  }

  /// From now on adds the instruction of every assert that fails.
  void trace_failures(std::vector<std::uint32_t>* failures) {
    failures_ = failures;
  }

  /// `slots` must have room for Code::max_slots.
  Event start(InstanceId instance, std::int64_t* slots) const;
  /// Goes on after a Read that returned `value`.
  Event answer(std::uint32_t pc, std::int64_t value,
               std::int64_t* slots) const {
    if (runner_) [[unlikely]]
      return runner_->answer(value, slots);
    slots[code_.instructions[pc].dst] = value;
    return run(pc + 1, slots);
  }
  /// Goes on after a Write.
  Event resume(std::uint32_t pc, std::int64_t* slots) const {
    if (runner_) [[unlikely]]
      return runner_->resume(slots);
    return run(pc + 1, slots);
  }

  /// Whether a condition is true.  A fault in it makes it false.  `finals` is
  /// by KeyId; `locals` by InstanceId, the slots of finished transactions.
  [[nodiscard]] bool holds(const Code::Condition& condition,
                           std::span<const std::int64_t> finals,
                           const std::int64_t* const* locals,
                           std::int64_t* scratch) const;
  /// Whether these transactions, by their slots, can all have committed: what
  /// the database demands at every level.
  [[nodiscard]] bool can_commit(
      std::span<const std::int64_t* const> all) const {
    return !runner_ || runner_->can_commit(all);
  }
  /// The place of an event.
  [[nodiscard]] Span place(std::uint32_t pc) const {
    return runner_ ? runner_->place(pc) : code_.places[pc];
  }

 private:
  Event run(std::uint32_t pc, std::int64_t* slots) const;

  const Code& code_;
  std::uint64_t loop_bound_;
  const Budget& budget_;
  std::vector<std::uint32_t>* failures_ = nullptr;
  std::unique_ptr<Runner> runner_;
};

}  // namespace txscope
