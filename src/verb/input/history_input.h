#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "read/histories/history_source.h"

namespace txscope::verb {

/// How a history is read.
struct HistoryInput {
  std::string input_format;  ///< empty: it is looked at
  bool judge_aborted = false;
  bool reads_ahead = false;
  std::vector<std::string> initial = {};  ///< KEY=VALUE: how registers start
};

/// `budget`, if there is one, ends the reading, too.
[[nodiscard]] Result<std::unique_ptr<read::HistorySource>> open_input(
    const HistoryInput& how, const std::string& input,
    const std::optional<std::string>& text, const Budget* budget = nullptr);

}  // namespace txscope::verb
