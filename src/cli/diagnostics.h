#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"

namespace txscope::cli {

// Exit statuses; a contract.
inline constexpr int kHolds = 0;
inline constexpr int kViolated = 1;
inline constexpr int kWrong = 2;
inline constexpr int kUndecided = 3;
/// What an outcome means to the shell.
[[nodiscard]] constexpr int status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Holds: return kHolds;
    case Outcome::Violated: return kViolated;
    case Outcome::Undecided: break;
  }
  return kUndecided;
}

/// An error of the call, not of a file.
[[nodiscard]] Error wrong_call(std::string what, std::string hint);
/// "file:line:column: what", the source line with a caret, and the hint.
[[nodiscard]] std::string render(const Error& error);
/// The same as an object for JSON.
[[nodiscard]] nlohmann::ordered_json error_fields(const Error& error);
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
