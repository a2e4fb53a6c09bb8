#pragma once

#include <string>

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

/// Seconds since the program started.
[[nodiscard]] double seconds_since_start();

}  // namespace txscope::cli
