#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace txscope::check::sat {

using Var = std::uint32_t;

/// A variable or its negation.
struct Lit {
  std::uint32_t code = 0;  ///< 2 * variable, + 1 if negated

  constexpr Lit() = default;
  constexpr Lit(Var var, bool is_negated)
      : code(2 * var + (is_negated ? 1u : 0u)) {}
  [[nodiscard]] constexpr Var var() const { return code >> 1; }
  [[nodiscard]] constexpr bool is_negated() const { return (code & 1) != 0; }
  constexpr Lit operator~() const {
    Lit other;
    other.code = code ^ 1;
    return other;
  }
  friend constexpr auto operator<=>(Lit, Lit) = default;
};

/// True by definition: the reason of an edge that is always there.
inline constexpr Lit kTrue = [] {
  Lit lit;
  lit.code = 0xfffffffeu;
  return lit;
}();

enum class Value : std::uint8_t { False, True, Open };

}  // namespace txscope::check::sat
