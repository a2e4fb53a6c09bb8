#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "exec/script.h"

namespace txscope::exec {

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

/// The transactions and conditions of a Program as flat code over slots of 64
/// bits, which `Machine` runs.  The slots of a transaction:
///   [0, failed_words)         one bit per property whose assert failed
///   then assigned_words       one bit per local that has a value
///   then its locals           from first_local()
///   then hidden loop slots    up to Instance::state_slots
///   then temporaries          up to Instance::slots
struct Code final : Script {
  struct TableCode {
    std::uint32_t first_key = 0;
    std::uint32_t size = 0;
    bool is_array = false;
    std::string name;
  };
  struct InstanceCode {
    std::uint32_t pc = 0;
    std::vector<std::int64_t> arguments;
  };
  /// Of an EndCondition.
  struct ConditionCode {
    std::uint32_t pc = 0;
    std::vector<std::uint32_t> local_refs;  ///< that it mentions
  };

  std::vector<Instruction> instructions;
  std::vector<Span> places;      ///< of each instruction
  std::vector<Span> statements;  ///< that each instruction belongs to
  std::vector<std::int64_t> constants;
  std::vector<TableCode> tables;
  std::vector<InstanceCode> instance_code;    ///< by InstanceId
  std::vector<ConditionCode> condition_code;  ///< by index of the condition
  struct Local {
    InstanceId instance;
    std::uint32_t slot = 0;
    LocalId local;
    std::string name;  ///< session.label.local
  };
  std::vector<Local> local_refs;
  std::uint32_t assigned_words = 0;

  [[nodiscard]] std::unique_ptr<Runner> make_runner(
      std::uint64_t loop_bound, const Budget& budget) const override;
  [[nodiscard]] std::string key_name(KeyId key) const override;

  [[nodiscard]] std::uint32_t first_local() const {
    return failed_words + assigned_words;
  }
  [[nodiscard]] bool is_assigned(const std::int64_t* slots,
                                 LocalId local) const {
    const std::int64_t word = slots[failed_words + local.index / 64];
    return (static_cast<std::uint64_t>(word) >> (local.index % 64) & 1) != 0;
  }
};

/// Fails on a program with `?`, and on one beyond the limits of the form
/// (60,000 locals in a transaction, 4,000 transactions).
[[nodiscard]] Result<Code> compile(const Program& program);

}  // namespace txscope::exec
