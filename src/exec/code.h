#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/id.h"
#include "base/result.h"
#include "model/program.h"

namespace txscope {

/// A transaction of the program as it runs: one call of one session.  Numbered
/// session by session, in session order; 0 is the initial transaction.
using InstanceId = Id<struct InstanceTag>;
inline constexpr InstanceId kInit = InstanceId(0);

/// What one instruction does.  The strict operators of expressions come
/// first, under their own numbers.
enum class Opcode : std::uint8_t {
  FirstControl = 64,
  Load,           ///< dst = constants[imm]
  Copy,           ///< dst = a
  Truth,          ///< dst = a != 0
  Jump,           ///< to imm
  JumpIfZero,     ///< if a == 0 to imm
  JumpIfNotZero,  ///< if a != 0 to imm
  Mark,           ///< local imm has a value
  Require,        ///< local imm must have a value
  Read,           ///< dst = row a of table imm
  Write,          ///< row a of table imm = b
  Assert,         ///< property imm fails if a == 0
  Assume,         ///< the execution is discarded if a == 0
  Round,          ///< one more round counted in dst; the bound may end it
  ForRound,       ///< if a < b: dst = a, a = a + 1; else to imm
  Abort,
  Commit,
  Final,    ///< dst = final value of row a of table imm
  LocalOf,  ///< dst = the local local_refs[imm]
  Result,   ///< the value of the condition is a
};

/// In the place of a slot: the table has no key.
inline constexpr std::uint16_t kNoSlot = 0xffff;

struct Instruction {
  Opcode op;
  std::uint16_t dst = 0;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t imm = 0;
};

class Runner;

/// The transactions and conditions of a Program as flat code over slots of 64
/// bits, which `Machine` runs.  The slots of a transaction:
///   [0, failed_words)         one bit per property whose assert failed
///   then assigned_words       one bit per local that has a value
///   then its locals           from first_local()
///   then hidden loop slots    up to Entry::state_slots: all that has to be
///                             kept while it waits for a read
///   then temporaries          up to Entry::slots
struct Code {
  struct Entry {
    std::uint32_t pc = 0;
    std::uint32_t state_slots = 0;
    std::uint32_t slots = 0;
  };
  struct TableCode {
    std::uint32_t first_key = 0;
    std::uint32_t size = 0;
    bool is_array = false;
    std::string name;
  };
  struct Instance {
    std::uint32_t session = 0;
    std::uint32_t call = 0;
    Entry entry;
    std::vector<std::int64_t> arguments;
  };
  /// An EndCondition: its code, the locals it mentions, the tables it reads.
  struct Condition {
    PropertyId property;
    PropertyKind kind = PropertyKind::Invariant;
    Entry entry;
    std::vector<std::uint32_t> local_refs;
    std::vector<std::uint32_t> keys;  ///< rows it may look at, ascending
    Span at;
  };

  std::vector<Instruction> instructions;
  std::vector<Span> places;      ///< of each instruction
  std::vector<Span> statements;  ///< that each instruction belongs to
  std::vector<std::int64_t> constants;
  std::vector<TableCode> tables;
  std::vector<std::int64_t> initial;  ///< value of every row, by KeyId
  std::vector<Instance> instances;    ///< by InstanceId; the first is empty
  std::vector<InstanceId> first_of_session;  ///< and one past the last
  std::vector<Condition> conditions;
  struct Local {
    InstanceId instance;
    std::uint32_t slot = 0;
    LocalId local;
    std::string name;  ///< session.label.local
  };
  std::vector<Local> local_refs;
  std::size_t properties = 0;  ///< how many there are
  std::uint32_t failed_words = 0;
  std::uint32_t assigned_words = 0;
  std::uint32_t max_state_slots = 0;
  std::uint32_t max_slots = 0;

  /// Transactions that are no flat code, but run by something else: `Machine`
  /// then makes a runner of its own and asks that one.  Such a Code has no
  /// instructions; its rows have `key_names`, its values a `value_name`.
  std::function<std::unique_ptr<Runner>(const Budget&)> make_runner;
  std::vector<std::string> key_names;
  std::function<std::string(std::int64_t)> value_name;
  /// A runner met something that this Code lacks: searches may stop, what they
  /// find does not count.
  std::function<bool()> is_outgrown;

  [[nodiscard]] std::uint32_t first_local() const {
    return failed_words + assigned_words;
  }
  [[nodiscard]] bool is_assigned(const std::int64_t* slots,
                                 LocalId local) const {
    const std::int64_t word = slots[failed_words + local.index / 64];
    return (static_cast<std::uint64_t>(word) >> (local.index % 64) & 1) != 0;
  }
  [[nodiscard]] std::size_t session_count() const {
    return first_of_session.size() - 1;
  }
};

/// Fails on a program with `?`, and on one beyond the limits of the form
/// (60,000 locals in a transaction, 4,000 transactions).
[[nodiscard]] Result<Code> compile(const Program& program);

/// "x" or "a[3]".
[[nodiscard]] std::string key_name(const Code& code, KeyId key);
/// The call that an instance is; not of the initial one.
[[nodiscard]] CallRef call_of(const Code& code, InstanceId instance);
/// "session.label"; "init".
[[nodiscard]] std::string instance_name(const Workload& workload,
                                        const Code& code, InstanceId instance);

}  // namespace txscope
