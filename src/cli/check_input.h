#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "cli/options.h"
#include "cli/ticker.h"
#include "model/level.h"

namespace txscope::cli {

/// What is said about one input, format by format, while its histories come
/// and go.
struct CheckedInput {
  struct Line {  ///< one per history
    std::string name;
    std::string headline;
  };
  std::vector<std::string> texts;  ///< one per output of the call
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<Line> lines;
  std::size_t holding = 0;  ///< histories in which every level holds
  std::size_t violated = 0;
  std::size_t undecided = 0;     ///< and nothing violated
  std::optional<Error> problem;  ///< it is no input; then nothing else counts
};

/// Judges every history of an input.  Prints nothing but progress, so several
/// may run side by side.
[[nodiscard]] CheckedInput check_input(const std::string& input,
                                       bool is_one_of_many,
                                       const Options& options,
                                       const std::vector<Level>& levels,
                                       const Budget& budget, Ticker& ticker);

}  // namespace txscope::cli
