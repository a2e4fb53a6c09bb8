#include "cli/colour.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <map>

namespace txscope::cli {
namespace {

constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kCyan = "\033[36m";
constexpr std::string_view kPlain = "\033[0m";

struct Word {
  std::string_view text;
  std::string_view colour;
};
// As the reports of all verbs spell verdicts.  Only in lines that give one: the
// first of a report, and those of its tables.
constexpr std::array<Word, 11> kVerdicts = {{
    {"VIOLATED", kRed},
    {"NOT EXPLAINED", kRed},
    {"RACE", kRed},
    {"NOT ROBUST", kRed},
    {"NOT robust", kRed},
    {"also violated", kRed},
    {"holds", kGreen},
    {"robust", kGreen},
    {"undecided", kYellow},
    {"vacuous", kYellow},
    {"VACUOUS", kYellow},
}};

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

/// The verdict that begins there, as a word by itself.
const Word* verdict_at(std::string_view line, std::size_t at) {
  if (at > 0 && is_letter(line[at - 1])) return nullptr;
  for (const Word& word : kVerdicts) {
    const std::size_t end = at + word.text.size();
    if (line.substr(at).starts_with(word.text) &&
        (end >= line.size() || !is_letter(line[end])))
      return &word;
  }
  return nullptr;
}

/// A row of a table has a verdict per column.
std::string coloured_line(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const Word* word = verdict_at(line, at);
    if (word == nullptr) {
      out += line[at++];
      continue;
    }
    out += std::string(word->colour) + std::string(word->text) +
           std::string(kPlain);
    at += word->text.size();
  }
  return out;
}

/// The numbers that break a rule, "270 = 120"; they end the sentence.
std::string with_numbers(std::string_view line) {
  constexpr std::string_view kSign = "is false: ";
  const std::size_t at = line.find(kSign);
  if (at == std::string_view::npos) return std::string(line);
  const std::string_view numbers = line.substr(at + kSign.size());
  return std::string(line.substr(0, at + kSign.size())) + std::string(kRed) +
         std::string(numbers) + std::string(kPlain);
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

/// A line of a diff: "- 37:  SELECT ..", with its sign in front.
std::string_view diff_colour(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || at < 6 || line.size() < at + 5) return "";
  const std::string_view rest = line.substr(at);
  const std::size_t digits = rest.find_first_not_of("0123456789", 2);
  const bool is_diff = rest[1] == ' ' && digits != std::string_view::npos &&
                       digits > 2 && rest.substr(digits).starts_with(": ");
  if (!is_diff) return "";
  return rest[0] == '-' ? kRed : rest[0] == '+' ? kGreen : "";
}

// "  level      verdict": two columns apart, which prose never has.
bool is_row(std::string_view line) {
  return line.starts_with("  ") && !line.starts_with("   ") &&
         line.find("  ", 2) != std::string_view::npos;
}

// The states of a behaviour: "  2  Begin(t1)   place", below it each value as
// "       stage[t1] = ...", which goes on in lines that are indented further.
// What a state has otherwise than the ones before it is what changed.
class ChangedValues {
 public:
  // True if the line belongs to a value that changed.
  bool is_changed(std::string_view line, std::string_view rest) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent < 3 && is_state(line.substr(indent))) {
      ++states_;
      return is_now_ = false;
    }
    if (states_ == 0 || indent < kIndent || indent == std::string_view::npos)
      return is_now_ = false;
    if (indent > kIndent) return is_now_;
    const std::size_t sign = line.find(" = ");
    if (sign == std::string_view::npos) return is_now_ = states_ > 1;
    std::string& known = values_[std::string(line.substr(0, sign))];
    std::string value = value_of(rest.substr(sign));
    is_now_ = states_ > 1 && known != value;
    known = std::move(value);
    return is_now_;
  }

 private:
  static constexpr std::size_t kIndent = 7;

  static bool is_state(std::string_view text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos &&
           text.substr(digits).starts_with("  ") &&
           text.find_first_not_of(' ', digits) == digits + 2;
  }
  // To its end, some lines further down.
  static std::string value_of(std::string_view rest) {
    const std::string deeper(kIndent + 1, ' ');
    std::size_t end = rest.find('\n');
    while (end != std::string_view::npos &&
           rest.substr(end + 1).starts_with(deeper))
      end = rest.find('\n', end + 1);
    return std::string(rest.substr(0, end));
  }

  std::size_t states_ = 0;
  bool is_now_ = false;
  std::map<std::string, std::string> values_;  // as last shown
};

}  // namespace

namespace {

/// As the process has one terminal, it has one answer.
ColourUse& colour_use() {
  static ColourUse use = ColourUse::Auto;
  return use;
}

}  // namespace

void set_colour_use(ColourUse use) { colour_use() = use; }

bool has_colour(int descriptor) {
  if (colour_use() != ColourUse::Auto) return colour_use() == ColourUse::Always;
  const char* none = std::getenv("NO_COLOR");
  if (none != nullptr && *none != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(descriptor) == 1;
}

std::string coloured_report(std::string_view text) {
  bool is_first = true;
  ChangedValues values;
  return by_lines(text, [&](std::size_t, std::string_view line) {
    const auto offset = static_cast<std::size_t>(line.data() - text.data());
    if (values.is_changed(line, text.substr(offset))) {
      const std::size_t at = line.find_first_not_of(' ');
      return std::string(line.substr(0, at)) + std::string(kCyan) +
             std::string(line.substr(at)) + std::string(kPlain);
    }
    if (const std::string_view colour = diff_colour(line); !colour.empty())
      return std::string(colour) + std::string(line) + std::string(kPlain);
    const bool gives_verdict = is_first || is_row(line);
    is_first = line.empty();  // a report begins after an empty line, too
    return gives_verdict || line.find("VIOLATED") != std::string_view::npos
               ? coloured_line(line)
               : with_numbers(line);
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
  if (isatty(STDOUT_FILENO) == 1)
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0
               ? std::optional<std::size_t>(size.ws_col)
               : std::nullopt;
  const char* columns = std::getenv("COLUMNS");
  if (columns == nullptr) return std::nullopt;
  char* end = nullptr;
  const unsigned long number = std::strtoul(columns, &end, 10);
  if (end == columns || *end != '\0' || number == 0) return std::nullopt;
  return number;
}

}  // namespace txscope::cli
