#include "report/html/markup.h"

#include <cctype>
#include <cstdint>

#include "base/printable.h"
#include "exec/sql/value/sha256.h"

namespace txscope::report::html_page {
namespace {

/// Bytes of the first character; 0: it is no UTF-8.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0u) != 0x80) return 0;
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j)
      bits = bits << 8u |
             (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j])
                                   : 0u);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * j) & 63u];
  }
  return out;
}

}  // namespace

std::string text(std::string_view text) {
  return escaped(printable(std::string(text), Lines::Show));
}

std::string lines(std::string_view text) {
  return escaped(printable(std::string(text), Lines::Keep));
}

std::string anchor(std::string_view id) {
  std::string out;
  for (const char c : id) {
    const bool is_plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
    if (is_plain)
      out += c;
    else
      out += "_" + std::to_string(static_cast<unsigned char>(c));
  }
  return "f-" + out;
}

std::string data_block(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else
      out += c;
  }
  return out;
}

std::string policy_hash(std::string_view content) {
  const std::string digits = sql::sha256(content);
  std::string bytes;
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(value(digits[i]) << 4u | value(digits[i + 1]));
  return "'sha256-" + base64(bytes) + "'";
}

std::string PlaceRules::of(const std::string& declarations) {
  const auto [entry, is_new] =
      known_.emplace(declarations, "p" + std::to_string(known_.size()));
  return entry->second;
}

std::string PlaceRules::css() const {
  std::string out;
  for (const auto& [declarations, name] : known_)
    out += "." + name + "{" + declarations + "}\n";
  return out;
}

}  // namespace txscope::report::html_page
