#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/replay/script.h"

namespace txscope::verb {

/// The steps of a race's outcome, as `race` saved them, to be typed into one
/// terminal per connection.  `result` is the report's, `setup` what makes the
/// tables; empty: they are there.
[[nodiscard]] report::SentScript race_script(const nlohmann::json& result,
                                     const nlohmann::json& outcome,
                                     const std::string& setup);

/// A test that replays the finding in that file: it fails until the requests
/// no longer do what they did.
[[nodiscard]] std::string race_pytest(const std::string& file,
                                      const std::string& title);

}  // namespace txscope::verb
