#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audit/attempt/rule.h"

namespace txscope::audit {

/// The states that one transaction's statements are said to have seen, one
/// after the other, held against what its level lets them see.
class StatementStates {
 public:
  /// `first`: what its session's last has left or seen, `last`: the state
  /// before it.
  StatementStates(Rule rule, std::uint32_t first, std::uint32_t last)
      : rule_(rule), low_(rule == Rule::ReadCommitted ? last : first) {}

  /// Why the next statement cannot see this state; empty: it can.
  /// `is_plain`: a SELECT that locks nothing.
  [[nodiscard]] std::string see(std::uint32_t state, bool is_plain);
  /// The statement had to wait for who left this state.
  void wait_for(std::uint32_t state);

  /// Where the transaction stands if it changes nothing.
  [[nodiscard]] std::uint32_t low() const { return low_; }
  /// Who writes what was written after this is refused.
  [[nodiscard]] std::optional<std::uint32_t> read_view() const {
    return read_view_;
  }

 private:
  Rule rule_;
  std::uint32_t low_;
  std::optional<std::uint32_t> read_view_;
};

}  // namespace txscope::audit
