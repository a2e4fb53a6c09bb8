#pragma once

#include <cstdint>
#include <span>

#include "exec/code.h"

namespace txscope::exec {

/// Runs flat code.  No allocation, no recursion.
class Machine final : public Runner {
 public:
  Machine(const Code& code, std::uint64_t loop_bound, const Budget& budget)
      : code_(code), loop_bound_(loop_bound), budget_(budget) {}

  Event start(InstanceId instance, std::int64_t* slots) override;
  Event answer(std::uint32_t pc, std::int64_t value,
               std::int64_t* slots) override {
    slots[code_.instructions[pc].dst] = value;
    return run(pc + 1, slots);
  }
  Event resume(std::uint32_t pc, std::int64_t* slots) override {
    return run(pc + 1, slots);
  }
  [[nodiscard]] bool holds(std::size_t condition,
                           std::span<const std::int64_t> finals,
                           const std::int64_t* const* locals,
                           std::int64_t* scratch) override;
  [[nodiscard]] bool can_commit(std::span<const std::int64_t* const>) override {
    return true;
  }
  [[nodiscard]] Span place(std::uint32_t pc) const override {
    return code_.places[pc];
  }
  [[nodiscard]] Span statement(std::uint32_t pc) const override {
    return code_.statements[pc];
  }

 private:
  Event run(std::uint32_t pc, std::int64_t* slots);

  const Code& code_;
  std::uint64_t loop_bound_;
  const Budget& budget_;
};

}  // namespace txscope::exec
