#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace txscope::cli {

/// Writes a report to where the user wants it; a file appears whole or not at
/// all.  Text is written without control characters.  After Ctrl-C the report
/// is a part of one: its text goes to standard error, and no file is touched.
[[nodiscard]] Result<Done> write_output(const Output& output,
                                        const std::string& text);

/// Writes what standard output has not taken yet; an error if it took less
/// than it was given since the program started.
[[nodiscard]] Result<Done> finish_standard_output();

/// The envelope that all JSON reports share.  Takes time and memory when it is
/// made, so make it last.
[[nodiscard]] std::string json_report(std::string_view verb,
                                      const std::string& input,
                                      nlohmann::ordered_json results,
                                      double seconds);
/// The same of several inputs: "input" is an array of their names.
[[nodiscard]] std::string json_report(std::string_view verb,
                                      const std::vector<std::string>& inputs,
                                      nlohmann::ordered_json results,
                                      double seconds);

/// Seconds since the program started.
[[nodiscard]] double seconds_since_start();

}  // namespace txscope::cli
