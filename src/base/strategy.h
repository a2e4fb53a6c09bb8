#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "base/budget.h"

namespace txscope {

/// What a strategy may say.  Those that say nothing leave the question to the
/// next one; only the last may leave it undecided.
enum class Says : std::uint8_t {
  Holds = 1,
  Violated = 2,
  Either = 3,
  Anything = 7,  ///< that it is undecided, too
};

inline constexpr std::uint64_t kAnyEffort =
    std::numeric_limits<std::uint64_t>::max();

/// One way to decide a question: a row of a table.
///
/// `effort` is how much it may do, in a measure of its own that is the same on
/// every machine (tries, runs of statements); the clock is the user's alone.
template <class Question, class Answer>
struct Strategy {
  std::string_view name;
  bool (*applies)(Question&);
  Says says;
  std::uint64_t (*effort)(const Question&);
  std::optional<Answer> (*run)(Question&, std::uint64_t effort, const Budget&);
};

/// The answer of the first strategy that applies and has one; it is named in
/// `Answer::strategy`.  `said(answer)` tells what it says.  The last strategy
/// of a table always answers.
template <class Question, class Answer, std::size_t N, class Said>
Answer decide_by(const std::array<Strategy<Question, Answer>, N>& strategies,
                 Question& question, const Budget& budget, const Said& said) {
  for (const Strategy<Question, Answer>& row : strategies) {
    if (!row.applies(question)) continue;
    auto answer = row.run(question, row.effort(question), budget);
    if (!answer) continue;
    assert((static_cast<unsigned>(said(*answer)) &
            ~static_cast<unsigned>(row.says)) == 0 &&
           "a strategy says only what its row allows");
    answer->strategy = row.name;
    return *std::move(answer);
  }
  assert(false && "the last strategy always answers");
  return {};
}

}  // namespace txscope
