#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/id.h"
#include "model/program.h"

namespace txscope::exec {

/// A transaction of the program as it runs: one call of one session.  Numbered
/// session by session, in session order; 0 is the initial transaction.
using InstanceId = Id<struct InstanceTag>;
inline constexpr InstanceId kInit = InstanceId(0);

/// Why a transaction stopped running.
enum class Stop : std::uint8_t {
  Read,    ///< it waits for the value of `key`: Runner::answer() goes on
  Write,   ///< it wrote `value` to `key`: Runner::resume() goes on
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
  std::uint32_t pc = 0;  ///< where it stopped; Runner::place() has the text
};

/// An assert inside a transaction that was false.
struct FailedAssert {
  PropertyId property;
  Span at;
};

/// Runs the transactions of a Script over concrete values, from one database
/// event to the next.  A transaction's whole state is its slots and the `pc`
/// of the event it stopped at: whoever keeps both may go on from there, as
/// often as wanted.  One thread uses one runner.
class Runner {
 public:
  virtual ~Runner() = default;
  /// `slots` must have room for Script::max_slots.
  virtual Event start(InstanceId instance, std::int64_t* slots) = 0;
  /// Goes on after a Read that returned `value`.
  virtual Event answer(std::uint32_t pc, std::int64_t value,
                       std::int64_t* slots) = 0;
  /// Goes on after a Write.
  virtual Event resume(std::uint32_t pc, std::int64_t* slots) = 0;
  /// Whether a condition (an index into Script::conditions) is true.  A fault
  /// in it makes it false.  `finals` is by KeyId; `locals` by InstanceId, the
  /// slots of finished transactions.
  [[nodiscard]] virtual bool holds(std::size_t condition,
                                   std::span<const std::int64_t> finals,
                                   const std::int64_t* const* locals,
                                   std::int64_t* scratch) = 0;
  /// Whether these transactions, by their slots, can all have committed: what
  /// the database demands at every level.
  [[nodiscard]] virtual bool can_commit(
      std::span<const std::int64_t* const> all) = 0;
  /// The text of an event, and the statement that it is part of.
  [[nodiscard]] virtual Span place(std::uint32_t pc) const = 0;
  [[nodiscard]] virtual Span statement(std::uint32_t pc) const {
    return place(pc);
  }

  /// From now on adds every assert that fails inside a transaction.
  void trace_failures(std::vector<FailedAssert>* failures) {
    failures_ = failures;
  }

 protected:
  std::vector<FailedAssert>* failures_ = nullptr;
};

/// What is run: transactions by session, the rows that they share, conditions
/// on the end.  `.txn` programs are one as flat code (code.h), applications in
/// SQL another; how each runs is its runner's matter.
class Script {
 public:
  struct Instance {
    std::uint32_t session = 0;
    std::uint32_t call = 0;
    /// All that has to be kept while it waits for a read.
    std::uint32_t state_slots = 0;
    std::uint32_t slots = 0;  ///< and what it needs while it runs
  };
  /// What must be true in the end.
  struct Condition {
    PropertyId property;
    PropertyKind kind = PropertyKind::Invariant;
    std::vector<std::uint32_t> keys;  ///< rows it may look at, ascending
    Span at;

    /// Whether it depends on the order in which transactions committed.
    [[nodiscard]] bool needs_state() const {
      return kind == PropertyKind::Invariant || !keys.empty();
    }
  };

  virtual ~Script() = default;
  [[nodiscard]] virtual std::unique_ptr<Runner> make_runner(
      std::uint64_t loop_bound, const Budget& budget) const = 0;
  /// "x" or "a[3]"; "stock(3)".
  [[nodiscard]] virtual std::string key_name(KeyId key) const = 0;
  /// None: the number says it.
  [[nodiscard]] virtual std::optional<std::string> value_name(
      std::int64_t) const {
    return std::nullopt;
  }
  /// A runner met something that this script lacks: searches may stop, what
  /// they find does not count.
  [[nodiscard]] virtual bool is_outgrown() const { return false; }

  [[nodiscard]] std::size_t session_count() const {
    return first_of_session.size() - 1;
  }
  /// The call that an instance is; not of the initial one.
  [[nodiscard]] CallRef call_of(InstanceId instance) const {
    const Instance& i = instances[instance.index];
    return {i.session, i.call};
  }

  std::vector<std::int64_t> initial;  ///< value of every row, by KeyId
  std::vector<Instance> instances;    ///< by InstanceId; the first is empty
  std::vector<InstanceId> first_of_session;  ///< and one past the last
  std::vector<Condition> conditions;
  std::size_t properties = 0;  ///< how many there are
  /// Slots begin with a bit for each property whose assert failed.
  std::uint32_t failed_words = 0;
  std::uint32_t max_slots = 0;
  bool has_assumptions = false;  ///< a transaction may discard its execution

 protected:
  Script() = default;
  Script(const Script&) = default;
  Script(Script&&) = default;
  Script& operator=(const Script&) = default;
  Script& operator=(Script&&) = default;
};

/// "session.label"; "init".
[[nodiscard]] std::string instance_name(const Workload& workload,
                                        const Script& script,
                                        InstanceId instance);

}  // namespace txscope::exec
