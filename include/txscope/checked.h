#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace txscope::verb {

/// What an answer is based on.  A number that a verb does not have stays 0.
struct Checked {
  std::uint64_t rules = 0;  ///< conditions of the user, levels of a history
  std::uint64_t sessions = 0;
  std::uint64_t transactions = 0;
  std::uint64_t committed = 0;  ///< transactions that committed in some run
  std::uint64_t statements = 0;
  std::uint64_t skipped = 0;  ///< statements that were not judged
  std::vector<std::string> skipped_because;  ///< why, a sentence each
  /// For robust: the transactions that the answer is about.
  std::vector<std::string> considered;
  std::uint64_t executions = 0;  ///< histories, outcomes, states
  /// Why nothing was checked, so that "holds" is vacuous; empty: it is not.
  std::string vacuous_because;
  /// What of it was not checked, a clause each: "2 of 5 statements match no
  /// row".
  std::vector<std::string> partly;

  [[nodiscard]] bool is_vacuous() const { return !vacuous_because.empty(); }
};

}  // namespace txscope::verb
