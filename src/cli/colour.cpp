#include "cli/colour.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>

namespace txscope::cli {
namespace {

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kPlain = "\033[0m";

struct Word {
  std::string_view text;
  std::string_view colour;
};
// As the reports of all verbs spell verdicts.  Only in lines that give one: the
// first of a report, and those of its tables.
constexpr std::array<Word, 7> kVerdicts = {{
    {"VIOLATED", kRed},
    {"NOT ROBUST", kRed},
    {"also not", kRed},
    {"holds", kGreen},
    {"robust", kGreen},
    {"undecided", kYellow},
    {"vacuous", kYellow},
}};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

std::string coloured_line(std::string_view line) {
  for (const Word& word : kVerdicts) {
    const std::size_t at = line.find(word.text);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + word.text.size();
    if (at > 0 && is_letter(line[at - 1])) continue;
    if (end < line.size() && is_letter(line[end])) continue;
    return std::string(line.substr(0, at)) + std::string(word.colour) +
           std::string(word.text) + std::string(kPlain) +
           std::string(line.substr(end));
  }
  return std::string(line);
}

template <class Change>
std::string by_lines(std::string_view text, const Change& change) {
  std::string out;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += change(number, text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// "  level      verdict": two columns apart, which prose never has.
bool is_row(std::string_view line) {
  return line.starts_with("  ") && !line.starts_with("   ") &&
         line.find("  ", 2) != std::string_view::npos;
}

}  // namespace

bool has_colour(int descriptor) {
  const char* none = std::getenv("NO_COLOR");
  if (none != nullptr && *none != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

std::string coloured_report(std::string_view text) {
  bool is_first = true;
  return by_lines(text, [&](std::size_t, std::string_view line) {
    const bool gives_verdict = is_first || is_row(line);
    is_first = line.empty();  // a report begins after an empty line, too
    return gives_verdict || line.find("VIOLATED") != std::string_view::npos
               ? coloured_line(line)
               : std::string(line);
  });
}

std::string coloured_error(std::string_view text) {
  return by_lines(text, [](std::size_t, std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    const bool is_caret =
        at != std::string_view::npos && at >= 2 && line.substr(at) == "^";
    if (!is_caret) return std::string(line);
    return std::string(line.substr(0, at)) + std::string(kRed) + "^" +
           std::string(kPlain);
  });
}

std::optional<std::size_t> terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 ||
      ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

}  // namespace txscope::cli
