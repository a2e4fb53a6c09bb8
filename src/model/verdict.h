#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/budget.h"
#include "model/evidence.h"
#include "model/level.h"
#include "model/outcome.h"

namespace txscope {

/// The answer to one question about one history, with its evidence: a
/// CommitOrder if it holds, a Refutation if it is violated, which budget ended
/// if it is undecided.
struct Verdict {
  Level level;
  std::variant<CommitOrder, Refutation, Spent> evidence = Spent::Nothing;
  /// Which of the ways to decide it did: the name of a row of check's table.
  std::string_view strategy = {};

  [[nodiscard]] Outcome outcome() const {
    return static_cast<Outcome>(evidence.index());
  }
  [[nodiscard]] const CommitOrder& commit_order() const {
    return std::get<0>(evidence);
  }
  [[nodiscard]] const Refutation& refutation() const {
    return std::get<1>(evidence);
  }
  [[nodiscard]] Spent spent() const { return std::get<2>(evidence); }
};

}  // namespace txscope
