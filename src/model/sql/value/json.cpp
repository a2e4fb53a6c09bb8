#include "model/sql/value/json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

constexpr int kDeepest = 200;

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&text](std::uint32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

bool is_before(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  std::optional<Json> read() {
    Json json;
    if (!value(json, 0)) return std::nullopt;
    skip();
    if (at_ != text_.size()) return std::nullopt;
    return json;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                  text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  bool value(Json& json, int depth) {
    skip();
    json.begin = at_;
    const bool is_read = unplaced(json, depth);
    json.end = at_;
    return is_read;
  }
  bool unplaced(Json& json, int depth) {
    if (depth > kDeepest || at_ >= text_.size()) return false;
    switch (text_[at_]) {
      case '{': return object(json, depth);
      case '[': return array(json, depth);
      case '"': json.kind = Json::Kind::String; return string(json.text);
      case 't': json.kind = Json::Kind::True; return word("true");
      case 'f': json.kind = Json::Kind::False; return word("false");
      case 'n': json.kind = Json::Kind::Null; return word("null");
      default: return number(json);
    }
  }
  bool array(Json& json, int depth) {
    json.kind = Json::Kind::Array;
    ++at_;
    if (take(']')) return true;
    do {
      json.items.emplace_back();
      if (!value(json.items.back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }
  bool object(Json& json, int depth) {
    json.kind = Json::Kind::Object;
    ++at_;
    if (take('}')) return true;
    do {
      skip();
      std::string name;
      if (at_ >= text_.size() || text_[at_] != '"' || !string(name) ||
          !take(':'))
        return false;
      Json member;
      if (!value(member, depth + 1)) return false;
      json.members.push_back({std::move(name), std::move(member)});
    } while (take(','));
    if (!take('}')) return false;
    auto& all = json.members;
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return is_before(a.name, b.name);
    });
    // Of equal names the last one stays.
    for (std::size_t i = 0; i + 1 < all.size();) {
      if (all[i].name == all[i + 1].name)
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      else
        ++i;
    }
    return true;
  }
  std::optional<std::uint32_t> four_digits() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ >= text_.size()) return std::nullopt;
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return code;
  }
  bool unicode(std::string& into) {
    auto code = four_digits();
    if (!code || *code == 0) return false;
    if (*code >= 0xd800 && *code < 0xdc00) {
      if (!word("\\u")) return false;
      const auto low = four_digits();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    } else if (*code >= 0xdc00 && *code < 0xe000) {
      return false;
    }
    append_utf8(into, *code);
    return true;
  }
  bool string(std::string& into) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        into += c;
        continue;
      }
      if (at_ >= text_.size()) return false;
      const char escaped = text_[at_++];
      switch (escaped) {
        case '"':
        case '\\':
        case '/': into += escaped; break;
        case 'b': into += '\b'; break;
        case 'f': into += '\f'; break;
        case 'n': into += '\n'; break;
        case 'r': into += '\r'; break;
        case 't': into += '\t'; break;
        case 'u':
          if (!unicode(into)) return false;
          break;
        default: return false;
      }
    }
    if (at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  std::size_t digits() {
    std::size_t count = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      ++at_;
      ++count;
    }
    return count;
  }
  bool number(Json& json) {
    json.kind = Json::Kind::Number;
    const std::size_t from = at_;
    if (text_[at_] == '-') ++at_;
    const std::size_t first = at_;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text_[first] == '0')) return false;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (digits() == 0) return false;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (digits() == 0) return false;
    }
    const auto value =
        parse_value(text_.substr(from, at_ - from), TypeName::Numeric);
    if (!value) return false;  // more digits than we hold
    json.text = to_string(*value);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::member(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

std::optional<Json> parse_json(std::string_view text) {
  return JsonReader(text).read();
}

std::string quoted_json(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': all += "\\\""; break;
      case '\\': all += "\\\\"; break;
      case '\b': all += "\\b"; break;
      case '\f': all += "\\f"; break;
      case '\n': all += "\\n"; break;
      case '\r': all += "\\r"; break;
      case '\t': all += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          std::array<char, 8> code{};
          std::snprintf(code.data(), code.size(), "\\u%04x",
                        static_cast<unsigned>(static_cast<unsigned char>(c)));
          all += code.data();
        } else {
          all += c;
        }
    }
  }
  return all + "\"";
}

std::string to_string(const Json& json) {
  std::string all;
  switch (json.kind) {
    case Json::Kind::Null: return "null";
    case Json::Kind::False: return "false";
    case Json::Kind::True: return "true";
    case Json::Kind::Number: return json.text;
    case Json::Kind::String: return quoted_json(json.text);
    case Json::Kind::Array:
      for (const Json& item : json.items)
        all += (all.empty() ? "" : ", ") + to_string(item);
      return "[" + all + "]";
    case Json::Kind::Object:
      for (const auto& [name, value] : json.members)
        all += (all.empty() ? "" : ", ") + quoted_json(name) + ": " +
               to_string(value);
      return "{" + all + "}";
  }
  return all;
}

std::optional<std::string> canonical_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return std::nullopt;
  return to_string(*json);
}

}  // namespace txscope::sql
