#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "read/histories/history_source.h"

namespace txscope::read {

/// What registers start as, where the user knows and the input does not say:
/// `KEY=VALUE` for one register, `*=VALUE` for all that have none of their own.
/// A key is as reports show it, a keyword also without its colon.  A value is
/// an integer, `nil` or `null`, a `:keyword`, or text, in double quotes if it
/// would be one of these.
struct StartValue {
  std::string key;    ///< "*" for all
  std::string value;  ///< as it was written
};
[[nodiscard]] Result<std::vector<StartValue>> parse_start_values(
    std::span<const std::string> settings);

/// The histories of `source`, whose registers start so.  A key that is in none
/// of them, or is a list, is an error.
[[nodiscard]] std::unique_ptr<HistorySource> starting_with(
    std::unique_ptr<HistorySource> source, std::vector<StartValue> values);

}  // namespace txscope::read
