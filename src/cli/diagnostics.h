#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "txscope/status.h"
#include "verb/input/wrong_call.h"

namespace txscope::cli {

using verb::kHolds;
using verb::kUndecided;
using verb::kViolated;
using verb::kWrong;
using verb::wrong_call;

/// "file:line:column: what", the source line with a caret, and the hint.
[[nodiscard]] std::string render(const Error& error);
/// Prints it on standard error.
void tell_error(const Error& error);
/// Prints it on standard error and returns kWrong.  If JSON errors are
/// expected, {"error":{...}} is printed on standard output, too.
int report_error(const Error& error);
/// The same for all mistakes of a file.
int report_errors(const std::vector<Error>& errors);
/// Prints what a reader should know, on standard error.
void report_notes(const std::vector<std::string>& notes);

/// From here on errors are wanted as JSON on standard output, or not.
void expect_json_errors(bool are_expected);
/// True if the call has `--format json` and no file for it; works on calls
/// that cannot be parsed.
[[nodiscard]] bool asks_for_json(std::span<const char* const> arguments);

/// The text as a terminal may get it: control characters from names and values
/// of the user are written as \xNN; line ends and tabs stay.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace txscope::cli
