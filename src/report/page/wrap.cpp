#include "report/page/wrap.h"

#include <algorithm>

#include "report/page/char_width.h"

namespace txscope::report {
namespace {

std::size_t width_of_reports = 80;
constexpr std::size_t kWidestProse = 132;

}  // namespace

std::size_t text_width() { return width_of_reports; }
void set_text_width(std::size_t columns) { width_of_reports = columns; }

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const CharWidth next = first_char(text);
    count += next.columns;
    text.remove_prefix(next.bytes);
  }
  return count;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t have = columns(text);
  if (have < width) out.append(width - have, ' ');
  return out;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  const std::size_t room = width > 2 ? width - 2 : 0;
  return std::string(text.substr(0, bytes_within(text, room))) + "..";
}

std::string wrapped(std::string_view first, std::string_view text) {
  const std::size_t width = std::min(text_width(), kWidestProse);
  const std::string indent(columns(first), ' ');
  std::string out(first);
  std::size_t column = indent.size();
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line_is_empty && column + 1 + columns(word) > width) {
      out += '\n' + indent;
      column = indent.size();
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns(word);
    line_is_empty = false;
  }
  return out + '\n';
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string lines(std::string_view first, std::string_view text) {
  std::string out = wrapped(first, text);
  if (!out.ends_with('\n')) out += "\n";
  return out;
}

std::string joined(const std::vector<std::string>& parts,
                   std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(begin, end - begin);
    out += line.empty() ? "\n" : by + line + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace txscope::report
