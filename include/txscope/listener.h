#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/outcome.h"

namespace txscope::verb {

/// A level that is asked about, and what is known about it so far.
struct Promise {
  std::string level;
  std::string order;  ///< empty: the verb has no orders
  enum class Known : std::uint8_t { Nothing, Holds, Violated };
  Known known = Known::Nothing;
  std::string verdict = {};   ///< in the verb's own word: "not-robust"
  std::string property = {};  ///< a rule; empty: the level as a whole
};
[[nodiscard]] constexpr Promise::Known known(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return Promise::Known::Holds;
    case Outcome::Violated: return Promise::Known::Violated;
    case Outcome::Undecided: break;
  }
  return Promise::Known::Nothing;
}

/// What a verb calls while it works.  Each function may be empty; each may be
/// called from any thread, one at a time.
struct Listener {
  /// The progress, in one line.  Empty: nobody looks, and nothing is
  /// estimated.
  std::function<void(const std::string& line)> on_progress;
  /// All questions, before anything is decided.
  std::function<void(const std::vector<Promise>& all)> on_questions;
  /// One of them is decided, and stays so whatever ends the verb.
  std::function<void(const Promise& decided)> on_verdict;
  /// Not every question was decided.
  std::function<void()> on_forget;
  /// Mistakes in an input besides the one that the verb returns.
  std::function<void(const std::vector<Error>& others)> on_more_errors;

  void questions(const std::vector<Promise>& all) const {
    if (on_questions) on_questions(all);
  }
  void decided(const Promise& one) const {
    if (on_verdict && one.known != Promise::Known::Nothing) on_verdict(one);
  }
};

}  // namespace txscope::verb
