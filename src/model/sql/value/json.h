#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace txscope::sql {

/// A JSON value as jsonb keeps it: members ordered by the length of their names
/// and then bytewise, the last of equal names.
struct Json {
  enum class Kind : unsigned char {
    Null,
    False,
    True,
    Number,
    String,
    Array,
    Object
  };
  Kind kind = Kind::Null;
  std::string text;  ///< of a Number as written; of a String its characters
  std::size_t begin = 0;  ///< where it stands in the text that was parsed
  std::size_t end = 0;
  std::vector<Json> items;
  struct Member;
  std::vector<Member> members;

  [[nodiscard]] const Json* member(std::string_view name) const;
};

struct Json::Member {
  std::string name;
  Json value;
};

/// Nothing if it is no JSON, or nested too deeply.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);
/// As jsonb is shown: {"a": 1, "b": [2, null]}.
[[nodiscard]] std::string to_string(const Json& json);
/// The text of a JSON string with its quotes.
[[nodiscard]] std::string quoted_json(std::string_view text);
/// to_string(parse_json(text)).
[[nodiscard]] std::optional<std::string> canonical_json(std::string_view text);

}  // namespace txscope::sql
