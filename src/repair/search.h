#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "repair/kind.h"

namespace txscope::repair {

/// What is left with a change.
struct Trial {
  bool helps = false;    ///< what was asked about goes wrong no more
  bool all_hold = true;  ///< nor does any other rule
  /// Errors after which a transaction is to be run again.
  std::vector<std::string> retried;
  std::string leaves;  ///< what is known to go wrong still; may be empty
};

/// Does it still break?  `text` is the changed one.  None: it cannot be said.
using Question = std::function<std::optional<Trial>(const Change& change,
                                                    const std::string& text)>;

struct SearchLimits {
  std::size_t most = 4;          ///< repairs in all
  std::size_t most_of_kind = 1;  ///< of one kind
  std::size_t tries_of_kind = 24;
  std::vector<std::string_view> kinds;  ///< empty: all
};

/// Changes of the user's text after which a question is answered otherwise.
///
/// Method.  Kind by kind, in the order of kinds(): every change alone; else, if
/// all together help, the smallest sets of two and three, or all without those
/// that are not needed.  Nothing is told that was not tried.
[[nodiscard]] std::vector<Repair> find_repairs(const Problem& problem,
                                               const Question& question,
                                               const SearchLimits& limits,
                                               const Budget& budget);

}  // namespace txscope::repair
