#include "db/record/json_text.h"

#include <cctype>

namespace txscope::db {
namespace {

/// The length of the UTF-8 character that `text` begins with; 0: it is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    if (!follows(1) || !follows(2)) return 0;
    const bool is_overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  if (first < 0xf0 || first > 0xf4 || !follows(1) || !follows(2) || !follows(3))
    return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  return first == 0xf4 && byte(1) >= 0x90 ? 0 : 4;
}

void append_escape(std::string& out, unsigned char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  out += "\\u00";
  out += kDigits[c >> 4];
  out += kDigits[c & 15];
}

bool is_digits(std::string_view text) {
  for (const char c : text)
    if (c < '0' || c > '9') return false;
  return !text.empty();
}

/// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text, bool is_integer) {
  if (text.starts_with('-')) text.remove_prefix(1);
  std::string_view exponent;
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    exponent = text.substr(e + 1);
    text = text.substr(0, e);
    if (exponent.starts_with('+') || exponent.starts_with('-'))
      exponent.remove_prefix(1);
    if (is_integer || !is_digits(exponent)) return false;
  }
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos &&
      (is_integer || !is_digits(text.substr(dot + 1))))
    return false;
  const std::string_view whole = text.substr(0, dot);
  return is_digits(whole) && (whole.size() == 1 || whole[0] != '0');
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    out.append(text.substr(copied, end - copied));
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    const std::size_t size = c < 0x80 ? 0 : character(text.substr(i));
    if (size > 0) {
      i += size;
      continue;
    }
    copy_to(i);
    if (c < 0x80)
      append_escape(out, c);
    else
      out += "\\ufffd";
    copied = ++i;
  }
  copy_to(text.size());
  out += '"';
}

void append_json_cell(std::string& out, const Cell& cell, ColumnType type) {
  if (!cell) {
    out += "null";
    return;
  }
  if (type == ColumnType::Boolean) {
    out += *cell == "t" || *cell == "1" || *cell == "true" ? "true" : "false";
    return;
  }
  const bool is_integer = type == ColumnType::Integer;
  if ((is_integer || type == ColumnType::Double) &&
      is_json_number(*cell, is_integer)) {
    out += *cell;
    return;
  }
  std::string_view text = *cell;
  if (type == ColumnType::Bytes && text.starts_with("\\x"))
    text.remove_prefix(2);
  append_json_text(out, text);
}

}  // namespace txscope::db
