#include "read/histories/form/form_scalar.h"

#include <cstdint>

#include "read/scan.h"

namespace txscope::read {
namespace {

void append_utf8(std::uint32_t code, std::string& to) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | code >> 18);
    to += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Four hexadecimal digits at the beginning of `text`, or -1.
std::int32_t hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  std::int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The code point of an escape, \u and four digits (or two of them, a surrogate
// pair) at the beginning of `text`; how many bytes it took, 0 if it is
// malformed.
std::size_t read_unicode(std::string_view text, std::uint32_t& code) {
  const std::int32_t high = hex4(text.substr(2));
  if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return 0;
  code = static_cast<std::uint32_t>(high);
  if (high < 0xd800 || high >= 0xe000) return 6;
  if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return 0;
  const std::int32_t low = hex4(text.substr(8));
  if (low < 0xdc00 || low >= 0xe000) return 0;
  code = 0x10000 + (static_cast<std::uint32_t>(high - 0xd800) << 10) +
         static_cast<std::uint32_t>(low - 0xdc00);
  return 12;
}

// Clojure prints the addresses of objects that way; EDN has no such numbers.
bool is_hexadecimal(std::string_view word) {
  return word.size() > 2 && word.starts_with("0x") &&
         word.find_first_not_of("0123456789abcdefABCDEF", 2) ==
             std::string_view::npos;
}

// True if `text`, which follows the digits of a number, makes it a float, an
// exact decimal or a ratio; JSON has only floats.
bool is_fraction(std::string_view text, Notation notation) {
  const bool is_json = notation == Notation::Json;
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i != from;
  };
  if (text.starts_with('/')) {
    ++i;
    return !is_json && digits() && i == text.size();
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits() && is_json) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && text[i] == 'M' && !is_json) ++i;
  return i == text.size() && i != 0;
}

// The octal digits at the beginning of `text`, at most three.
std::size_t read_octal(std::string_view text, std::uint32_t& code) {
  std::size_t size = 0;
  for (;
       size < 3 && size < text.size() && text[size] >= '0' && text[size] <= '7';
       ++size)
    code = code * 8 + static_cast<std::uint32_t>(text[size] - '0');
  return size;
}

}  // namespace

std::optional<FormNode> to_number(std::string_view word, Notation notation) {
  FormNode node;
  node.kind = FormKind::Number;
  if (notation == Notation::Edn && is_hexadecimal(word)) return node;
  const bool is_negative = word[0] == '-';
  const std::size_t first = is_digit(word[0]) ? 0 : 1;
  if (word[0] == '+' && notation == Notation::Json) return std::nullopt;
  std::size_t i = first;
  std::uint64_t magnitude = 0;
  bool fits = true;
  for (; i < word.size() && is_digit(word[i]); ++i) {
    const auto digit = static_cast<std::uint64_t>(word[i] - '0');
    fits = fits && magnitude <= (UINT64_MAX - digit) / 10;
    magnitude = magnitude * 10 + digit;
  }
  const std::string_view rest = word.substr(i);
  const bool is_integer =
      rest.empty() || (rest == "N" && notation == Notation::Edn);
  if (i == first || (!is_integer && !is_fraction(rest, notation)) ||
      (word[first] == '0' && i - first > 1))
    return std::nullopt;
  fits = fits && (!is_negative || magnitude <= std::uint64_t{1} << 63);
  if (!is_integer || !fits) return node;
  node.kind = FormKind::Integer;
  node.is_unsigned = !is_negative && magnitude > INT64_MAX;
  node.integer =
      static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
  return node;
}

std::optional<BadEscape> unescape(std::string_view text, Notation notation,
                                  std::string& to) {
  constexpr std::string_view kLetters = "tbnrf\"\\/";
  constexpr std::string_view kMeanings = "\t\b\n\r\f\"\\/";
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      to += text[i++];
      continue;
    }
    const std::string_view escape = text.substr(i);
    const char c = escape.size() < 2 ? '\0' : escape[1];
    std::uint32_t code = 0;
    std::size_t size = 2;
    if (const auto letter = kLetters.find(c);
        letter != std::string_view::npos) {
      to += kMeanings[letter];
    } else if (c == 'u') {
      size = read_unicode(escape, code);
      if (size == 0)
        return BadEscape{i, "malformed \\u escape in a string",
                         "it takes four hexadecimal digits, and surrogates "
                         "come in pairs"};
      append_utf8(code, to);
    } else if (c >= '0' && c <= '7' && notation == Notation::Edn) {
      size = 1 + read_octal(escape.substr(1), code);
      append_utf8(code, to);
    } else {
      return BadEscape{i, "unknown escape in a string",
                       "write \\\\ for a backslash"};
    }
    i += size;
  }
  return std::nullopt;
}

}  // namespace txscope::read
