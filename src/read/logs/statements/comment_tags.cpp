#include "read/logs/statements/comment_tags.h"

#include <cctype>
#include <map>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = ascii::lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string url_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 +
                               hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// key='value' or key:value, by commas; none: it is an ordinary comment.
std::optional<std::map<std::string, std::string>> tags_of(
    std::string_view body) {
  std::map<std::string, std::string> tags;
  while (!(body = trim(body)).empty()) {
    std::size_t mark = 0;
    while (mark < body.size() &&
           (std::isalnum(static_cast<unsigned char>(body[mark])) != 0 ||
            body[mark] == '_' || body[mark] == '%' || body[mark] == '-'))
      ++mark;
    if (mark == 0 || mark >= body.size() ||
        (body[mark] != '=' && body[mark] != ':'))
      return std::nullopt;
    const std::string key = url_decoded(body.substr(0, mark));
    const bool is_quoted = body[mark] == '=';
    body.remove_prefix(mark + 1);
    std::size_t end = 0;
    if (is_quoted) {
      if (!body.starts_with('\'')) return std::nullopt;
      for (end = 1; end < body.size() && body[end] != '\''; ++end)
        if (body[end] == '\\') ++end;
      if (end >= body.size()) return std::nullopt;
      tags[key] = url_decoded(body.substr(1, end - 1));
      ++end;
    } else {
      end = std::min(body.find(','), body.size());
      tags[key] = std::string(trim(body.substr(0, end)));
    }
    body.remove_prefix(std::min(end, body.size()));
    if (body.starts_with(',')) body.remove_prefix(1);
  }
  if (tags.empty()) return std::nullopt;
  return tags;
}

}  // namespace

CommentTags take_comment_tags(std::string& text) {
  CommentTags found;
  const auto first = [](std::map<std::string, std::string>& tags,
                        std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (!tags[key].empty()) return tags[key];
    return std::string();
  };
  const std::string_view whole = trim(text);
  std::size_t begin = whole.npos;
  std::size_t end = whole.npos;
  if (whole.starts_with("/*")) {
    begin = 0;
    end = whole.find("*/", 2);
  } else if (whole.ends_with("*/") || whole.ends_with("*/;")) {
    begin = whole.rfind("/*");
    end = whole.rfind("*/");
  }
  if (begin == whole.npos || end == whole.npos || end < begin + 2) return found;
  auto tags = tags_of(whole.substr(begin + 2, end - begin - 2));
  if (!tags) return found;
  const std::string action = first(*tags, {"action"});
  found.route = first(*tags, {"route", "controller", "job", "view_name"});
  if (found.route == (*tags)["controller"] && !action.empty())
    found.route += "#" + action;
  found.source = first(*tags, {"source_location", "line", "file"});
  found.request = first(*tags, {"traceparent", "request_id", "trace_id"});
  text =
      std::string(whole.substr(0, begin)) + std::string(whole.substr(end + 2));
  return found;
}

}  // namespace txscope::logs
