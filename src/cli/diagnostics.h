#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace txscope::cli {

// Exit statuses; a contract.
inline constexpr int kHolds = 0;
inline constexpr int kViolated = 1;
inline constexpr int kWrong = 2;
inline constexpr int kUndecided = 3;

/// An error of the call, not of a file.
[[nodiscard]] Error wrong_call(std::string what, std::string hint);
/// "file:line:column: what", the source line with a caret, and the hint.
[[nodiscard]] std::string render(const Error& error);
/// Prints that on standard error and returns kWrong.
int report_error(const Error& error);
/// The same for all mistakes of a file.
int report_errors(const std::vector<Error>& errors);
/// Prints what a reader should know, on standard error.
void report_notes(const std::vector<std::string>& notes);

}  // namespace txscope::cli
