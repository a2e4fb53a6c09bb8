#include "cli/diagnostics.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/colour.h"
#include "report/page/char_width.h"
#include "verb/answer/envelope.h"

namespace txscope::cli {
namespace {

constexpr std::size_t kShown = 72;  // of a long source line

bool json_errors_are_expected = false;

}  // namespace

namespace {

std::string error_json(const Error& error) {
  using Json = nlohmann::ordered_json;
  return Json{{"error", verb::error_fields(error)}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

// The source line, cut around the column if it is long, and the caret below.
std::string excerpt(const std::string& line, std::size_t column) {
  std::size_t begin = 0;
  if (column > kShown - 12) begin = column - (kShown - 12);
  while (begin > 0 && begin < line.size() && (line[begin] & 0xc0) == 0x80)
    --begin;  // not inside a UTF-8 character
  std::string shown = line.substr(std::min(begin, line.size()), kShown);
  std::string text = "  " + std::string(begin > 0 ? "..." : "") + shown;
  if (begin + kShown < line.size()) text += "...";
  text += '\n';
  if (column == 0) return text;
  std::string pad = begin > 0 ? "     " : "  ";
  for (std::size_t i = begin; i + 1 < column && i < line.size();) {
    const report::CharWidth next = report::first_char(std::string_view(line).substr(i));
    pad.append(next.columns, line[i] == '\t' ? '\t' : ' ');
    i += next.bytes;
  }
  return text + pad + "^\n";
}

}  // namespace

std::string render(const Error& error) {
  const auto one_line = [](const std::string& part) {
    return printable(part, Lines::Show);
  };
  std::string text = one_line(to_string(error.where));
  if (!text.empty()) text += ": ";
  text += one_line(error.what) + "\n";
  if (!error.source_line.empty())
    text += excerpt(error.source_line, error.where.column);
  if (!error.hint.empty()) text += "  hint: " + one_line(error.hint) + "\n";
  return text;
}

void tell_error(const Error& error) {
  const std::string text = shown(render(error));
  std::fputs(
      has_colour(STDERR_FILENO) ? coloured_error(text).c_str() : text.c_str(),
      stderr);
}

int report_error(const Error& error) {
  tell_error(error);
  if (json_errors_are_expected) {
    json_errors_are_expected = false;  // one object, whatever follows
    std::fputs(error_json(error).c_str(), stdout);
  }
  return kWrong;
}

int report_errors(const std::vector<Error>& errors) {
  constexpr std::size_t kMost = 50;
  for (std::size_t i = 0; i < errors.size() && i < kMost; ++i)
    (void)report_error(errors[i]);
  if (errors.size() > kMost)
    std::fprintf(stderr, "... and %zu more\n", errors.size() - kMost);
  return kWrong;
}

void report_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    std::fprintf(stderr, "note: %s\n", note.c_str());
}

void expect_json_errors(bool are_expected) {
  json_errors_are_expected = are_expected;
}

bool asks_for_json(std::span<const char* const> arguments) {
  bool is_asked = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    const bool is_last = i + 1 == arguments.size();
    if (word == "--format=json" ||
        (word == "--format" && !is_last &&
         std::string_view(arguments[i + 1]) == "json")) {
      is_asked = true;
      if (word == "--format") ++i;
      const std::string_view next =
          i + 1 < arguments.size() ? arguments[i + 1] : "";
      // The file of this format follows it; then standard output is free.
      if (next.starts_with("-o") || next.starts_with("--output"))
        is_asked = false;
    }
  }
  return is_asked;
}

std::string shown(std::string_view text) {
  return printable(std::string(text), Lines::Keep);
}

}  // namespace txscope::cli
