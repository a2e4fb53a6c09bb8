#include "exec/machine.h"

#include <algorithm>

namespace txscope::exec {
namespace {

constexpr std::uint32_t kLookEvery = 1u << 16;  // jumps between budget looks

/// The row that `index` names, or nothing if it is out of range.
inline bool find_row(const Code::TableCode& table, std::uint16_t slot,
                     const std::int64_t* slots, KeyId& key) {
  std::uint64_t index = 0;
  if (slot != kNoSlot) index = static_cast<std::uint64_t>(slots[slot]);
  key = KeyId(table.first_key + index);
  return index < table.size;
}

}  // namespace

Event Machine::start(InstanceId instance, std::int64_t* slots) {
  const Code::InstanceCode& call = code_.instance_code[instance.index];
  std::fill_n(slots, code_.instances[instance.index].state_slots, 0);
  std::copy(call.arguments.begin(), call.arguments.end(),
            slots + code_.first_local());
  return run(call.pc, slots);
}

Event Machine::run(std::uint32_t pc, std::int64_t* slots) {
  const Instruction* const code = code_.instructions.data();
  std::uint32_t jumps = 0;
  Event event;
  for (;; ++pc) {
    const Instruction& i = code[pc];
    if (i.op < Opcode::FirstControl) {
      const Computed result =
          compute(static_cast<Operator>(i.op), slots[i.a], slots[i.b]);
      if (result.fault != Fault::None) {
        event.stop = Stop::Fault;
        event.fault = result.fault;
        event.pc = pc;
        return event;
      }
      slots[i.dst] = result.value;
      continue;
    }
    switch (i.op) {
      case Opcode::Load: slots[i.dst] = code_.constants[i.imm]; break;
      case Opcode::Copy: slots[i.dst] = slots[i.a]; break;
      case Opcode::Truth: slots[i.dst] = slots[i.a] != 0; break;
      case Opcode::Jump:
        if (++jumps % kLookEvery == 0 && budget_.spent_now()) {
          event.stop = Stop::Bound;
          event.pc = pc;
          return event;
        }
        pc = i.imm - 1;
        break;
      case Opcode::JumpIfZero:
        if (slots[i.a] == 0) pc = i.imm - 1;
        break;
      case Opcode::JumpIfNotZero:
        if (slots[i.a] != 0) pc = i.imm - 1;
        break;
      case Opcode::Mark: {
        std::int64_t& word = slots[code_.failed_words + i.imm / 64];
        word |= static_cast<std::int64_t>(std::uint64_t{1} << (i.imm % 64));
        break;
      }
      case Opcode::Require:
        if (!code_.is_assigned(slots, LocalId(i.imm))) {
          event.stop = Stop::Fault;
          event.fault = Fault::Unassigned;
          event.pc = pc;
          return event;
        }
        break;
      case Opcode::Read:
      case Opcode::Write:
        event.pc = pc;
        if (!find_row(code_.tables[i.imm], i.a, slots, event.key)) {
          event.stop = Stop::Fault;
          event.fault = Fault::IndexRange;
          return event;
        }
        event.stop = i.op == Opcode::Read ? Stop::Read : Stop::Write;
        if (i.op == Opcode::Write) event.value = slots[i.b];
        return event;
      case Opcode::Assert:
        if (slots[i.a] == 0) {
          slots[i.imm / 64] |=
              static_cast<std::int64_t>(std::uint64_t{1} << (i.imm % 64));
          if (failures_ != nullptr) {
            failures_->push_back({PropertyId(i.imm), code_.places[pc]});
          }
        }
        break;
      case Opcode::Assume:
        if (slots[i.a] == 0) {
          event.stop = Stop::Assume;
          event.pc = pc;
          return event;
        }
        break;
      case Opcode::Round:
        if (static_cast<std::uint64_t>(slots[i.dst]++) >= loop_bound_) {
          event.stop = Stop::Bound;
          event.pc = pc;
          return event;
        }
        break;
      case Opcode::ForRound:
        if (slots[i.a] < slots[i.b]) {
          slots[i.dst] = slots[i.a]++;
        } else {
          pc = i.imm - 1;
        }
        break;
      case Opcode::Abort:
        event.stop = Stop::Abort;
        event.pc = pc;
        return event;
      case Opcode::Commit:
        event.stop = Stop::Commit;
        event.pc = pc;
        return event;
      case Opcode::FirstControl:
      case Opcode::Final:
      case Opcode::LocalOf:
      case Opcode::Result:
        assert(false && "no such instruction in a transaction");
        return event;
    }
  }
}

bool Machine::holds(std::size_t number, std::span<const std::int64_t> finals,
                    const std::int64_t* const* locals, std::int64_t* scratch) {
  const Code::ConditionCode& condition = code_.condition_code[number];
  // What cannot be computed breaks a rule, and is no witness.
  const bool if_faulty = code_.conditions[number].kind == PropertyKind::Exists;
  for (const std::uint32_t ref : condition.local_refs) {
    const Code::Local& local = code_.local_refs[ref];
    const std::int64_t* slots = locals[local.instance.index];
    if (slots == nullptr || !code_.is_assigned(slots, local.local)) return true;
  }
  const Instruction* const code = code_.instructions.data();
  std::int64_t* const slots = scratch;
  for (std::uint32_t pc = condition.pc;; ++pc) {
    const Instruction& i = code[pc];
    if (i.op < Opcode::FirstControl) {
      const Computed result =
          compute(static_cast<Operator>(i.op), slots[i.a], slots[i.b]);
      if (result.fault != Fault::None) return if_faulty;
      slots[i.dst] = result.value;
      continue;
    }
    switch (i.op) {
      case Opcode::Load: slots[i.dst] = code_.constants[i.imm]; break;
      case Opcode::Copy: slots[i.dst] = slots[i.a]; break;
      case Opcode::Truth: slots[i.dst] = slots[i.a] != 0; break;
      case Opcode::Jump: pc = i.imm - 1; break;
      case Opcode::JumpIfZero:
        if (slots[i.a] == 0) pc = i.imm - 1;
        break;
      case Opcode::JumpIfNotZero:
        if (slots[i.a] != 0) pc = i.imm - 1;
        break;
      case Opcode::Final: {
        KeyId key;
        if (!find_row(code_.tables[i.imm], i.a, slots, key)) return if_faulty;
        slots[i.dst] = finals[key.index];
        break;
      }
      case Opcode::LocalOf: {
        const Code::Local& local = code_.local_refs[i.imm];
        slots[i.dst] = locals[local.instance.index][local.slot];
        break;
      }
      case Opcode::Result: return slots[i.a] != 0;
      default:
        assert(false && "no such instruction in a condition");
        return false;
    }
  }
}

}  // namespace txscope::exec
