#pragma once

#include <optional>

#include "tla/code/code.h"

namespace txscope::tla {

/// The body of an operator that adds up over a set, as specifications write it:
///   Sum(f, S) == IF S = {} THEN base
///                ELSE LET x == CHOOSE x \in S : TRUE
///                     IN  term + Sum(f, S \ {x})
/// or with the operands of + the other way round.
struct Fold {
  std::uint32_t set = 0;      ///< the slot of S
  std::uint32_t element = 0;  ///< that of x
  const Code* base = nullptr;
  const Code* term = nullptr;
  const Code* rest = nullptr;  ///< the call
  bool is_term_first = false;
};

/// Whether `code` has this form.  Whether its term mentions S is not asked.
[[nodiscard]] std::optional<Fold> fold_of(const Code& code);

}  // namespace txscope::tla
