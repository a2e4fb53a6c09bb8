#include "cli/diagnostics.h"

#include <cstdio>

namespace txscope::cli {
namespace {

constexpr std::size_t kShown = 72;  // of a long source line

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
  for (std::size_t i = begin; i + 1 < column && i < line.size(); ++i) {
    if ((line[i] & 0xc0) == 0x80) continue;
    pad += line[i] == '\t' ? '\t' : ' ';
  }
  return text + pad + "^\n";
}

}  // namespace

Error wrong_call(std::string what, std::string hint) {
  return Error{Place{"txscope", 0, 0, {}}, std::move(what), std::move(hint),
               ""};
}

std::string render(const Error& error) {
  std::string text = to_string(error.where);
  if (!text.empty()) text += ": ";
  text += error.what + "\n";
  if (!error.source_line.empty())
    text += excerpt(error.source_line, error.where.column);
  if (!error.hint.empty()) text += "  hint: " + error.hint + "\n";
  return text;
}

int report_error(const Error& error) {
  std::fputs(render(error).c_str(), stderr);
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

}  // namespace txscope::cli
