#pragma once

#include <cstdint>
#include <string_view>

namespace txscope::tla {

/// How tightly an operator binds: a range, because TLA+ leaves some pairs of
/// operators unordered on purpose.  Of two neighbours the one with the higher
/// range wins; where ranges overlap, parentheses are required.
/// Lamport, Specifying Systems (2002), Section 15.2.1, table 6.
struct Fixity {
  std::uint8_t low = 0;
  std::uint8_t high = 0;
  bool is_associative = false;
};

/// Null if the symbol is no operator in that position.
[[nodiscard]] const Fixity* infix(std::string_view symbol);
[[nodiscard]] const Fixity* prefix(std::string_view symbol);
[[nodiscard]] const Fixity* postfix(std::string_view symbol);

}  // namespace txscope::tla
