#include "read/sql/shape/control_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/ascii.h"

namespace txscope::sql {
namespace shape_words {
namespace {

using Kind = StatementShape::Kind;

constexpr std::size_t kMostWords = 24;

/// The first words, in lower case, without quotes; "=" and "," are words.
std::vector<std::string> first_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size() && words.size() < kMostWords;) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '=' || c == ',') {
      words.emplace_back(1, static_cast<char>(c));
      ++i;
    } else if (std::isalnum(c) != 0 || c == '_' || c == '@' || c == '.') {
      std::string word;
      while (i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
              text[i] == '_' || text[i] == '@' || text[i] == '.' ||
              text[i] == '-'))
        word += ascii::lower(text[i++]);
      words.push_back(std::move(word));
    } else if (c == '(' && words.empty()) {
      return words;
    } else {
      ++i;
    }
  }
  return words;
}

/// "serializable" of .. ISOLATION LEVEL SERIALIZABLE; empty: none is named.
std::string level_in(const std::vector<std::string>& words) {
  const auto level = std::find(words.begin(), words.end(), "level");
  if (level == words.end() || level == words.begin() ||
      *(level - 1) != "isolation" || level + 1 == words.end())
    return {};
  std::string name = *(level + 1);
  if (level + 2 != words.end() && (name == "read" || name == "repeatable"))
    name += "-" + *(level + 2);
  return name;
}

StatementShape made(Kind kind, std::string name = {}) {
  StatementShape shape;
  shape.kind = kind;
  shape.name = std::move(name);
  return shape;
}

std::optional<StatementShape> set(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    std::string_view name = words[i];
    for (const std::string_view prefix : {"@@session.", "@@local.", "@@"})
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    if (name != "autocommit") continue;
    const std::string& value =
        words[words[i + 1] == "=" && i + 2 < words.size() ? i + 2 : i + 1];
    const bool is_off = value == "0" || value == "off" || value == "false";
    return made(is_off ? Kind::NoAutocommit : Kind::Autocommit);
  }
  if (std::string level = level_in(words); !level.empty())
    return made(Kind::SetsLevel, std::move(level));
  return made(Kind::Nothing);
}

std::optional<StatementShape> of(const std::vector<std::string>& words) {
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < words.size() && words[i] == word;
  };
  const std::string last = words.empty() ? std::string() : words.back();
  if (words.empty()) return made(Kind::Nothing);
  if (is(0, "begin") || (is(0, "start") && is(1, "transaction")))
    return made(Kind::Begin, level_in(words));
  if (is(0, "commit") || (is(0, "end") && words.size() <= 2))
    return made(Kind::Commit);
  if (is(0, "rollback") || is(0, "abort")) {
    const auto to = std::find(words.begin(), words.end(), "to");
    return to != words.end() ? made(Kind::RollbackTo, last)
                             : made(Kind::Rollback);
  }
  if (is(0, "savepoint") && words.size() == 2)
    return made(Kind::Savepoint, last);
  if (is(0, "release")) return made(Kind::Release, last);
  if (is(0, "set")) return set(words);
  constexpr std::array<std::string_view, 22> kNothing = {
      "show",       "use",      "explain", "describe",  "desc",    "discard",
      "listen",     "unlisten", "notify",  "reset",     "analyze", "vacuum",
      "deallocate", "close",    "declare", "fetch",     "kill",    "flush",
      "checkpoint", "unlock",   "help",    "statistics"};
  if (std::find(kNothing.begin(), kNothing.end(), words[0]) != kNothing.end())
    return made(Kind::Nothing);
  return std::nullopt;
}

}  // namespace
}  // namespace shape_words

std::optional<StatementShape> control_statement(std::string_view text) {
  auto shape = shape_words::of(shape_words::first_words(text));
  if (shape) shape->text = std::string(text);
  return shape;
}

}  // namespace txscope::sql
