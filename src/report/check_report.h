#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/history.h"
#include "model/verdict.h"

namespace txscope {

/// The verdicts on one history, ready to be shown.
struct CheckReport {
  struct Row {
    Verdict verdict;
    /// Set if it is violated only because this weaker level is: "also not".
    std::optional<Level> follows_from;
  };
  std::string input;
  const History* history = nullptr;
  /// Position among the histories of the input, from 1; 0 if it is alone.
  std::size_t number = 0;
  std::vector<Row> rows;       ///< weakest level first
  bool with_evidence = false;  ///< JSON has the commit order of what holds
  bool is_certified = false;   ///< every verdict was re-checked
};

/// For people: verdict first, then the transactions, why, and where to go on.
[[nodiscard]] std::string check_text(const CheckReport& report);
/// An array with one element of "results" per level.
[[nodiscard]] nlohmann::ordered_json check_json(const CheckReport& report);
/// The cycles of the violated levels of one history, for Graphviz; and one
/// graph of the parts of all histories.
[[nodiscard]] std::string check_dot_part(const CheckReport& report);
[[nodiscard]] std::string check_dot(const std::string& parts);

/// An assumption of a case in words: "a#1 is before b#1".
[[nodiscard]] std::string describe(const History& history,
                                   const Assumption& assumption);

}  // namespace txscope
