#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "model/level.h"
#include "report/document/document.h"
#include "txscope/check.h"

namespace txscope::verb {

/// What is said about one input, format by format, while its histories come
/// and go.
struct CheckedInput {
  struct Line {  ///< one per history
    std::string name;
    std::string headline;
  };
  std::string text;  ///< as the formats of the request ask for it
  std::string dot;
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  /// Tables, findings and overviews, for the formats that share them.
  report::document::Document document;
  std::vector<Line> lines;
  std::vector<Finding> findings;
  /// Of each finding the order that shows that its level holds, if that was
  /// asked for.
  std::vector<std::optional<evidence::CommitOrder>> orders;
  Checked checked;
  std::size_t holding = 0;  ///< histories in which every level holds
  std::size_t violated = 0;
  std::size_t undecided = 0;     ///< and nothing violated
  std::optional<Error> problem;  ///< it is no input; then nothing else counts
};

/// Judges every history of an input.  Several may run side by side.
[[nodiscard]] CheckedInput check_input(const std::string& input,
                                       bool is_one_of_many,
                                       const CheckRequest& request,
                                       const std::vector<Level>& levels,
                                       const Budget& budget);

}  // namespace txscope::verb
