#include "db/record/passwords.h"

#include <algorithm>
#include <array>

#include "db/lexeme.h"

namespace txscope::db {
namespace {

constexpr std::array<std::string_view, 6> kObjects = {
    "ROLE", "USER", "GROUP", "SERVER", "SUBSCRIPTION", "SYSTEM"};
constexpr const char* kHidden = "'***'";

/// Most texts have none of these words, and this tells without cutting them.
bool may_have_secret(std::string_view sql) {
  constexpr std::array<std::string_view, 8> kWords = {
      "ROLE",         "USER",   "GROUP",    "SERVER",
      "SUBSCRIPTION", "SYSTEM", "PASSWORD", "IDENTIFIED"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return std::search(sql.begin(), sql.end(), word.begin(), word.end(),
                       [](char a, char b) { return (a & ~32) == b; }) !=
           sql.end();
  });
}

/// Whether secrets follow, after the words `before` and `word`.
bool begins_secret(const Lexeme& before, const Lexeme& word) {
  if (before.is("CREATE") || before.is("ALTER"))
    return std::any_of(
        kObjects.begin(), kObjects.end(),
        [&](std::string_view object) { return word.is(object); });
  return before.is("SET") && word.is("PASSWORD");
}

std::string in_tags(const Lexeme& literal, const std::string& content) {
  const std::string_view text = literal.text;
  const std::string tag(text.substr(0, text.find('$', 1) + 1));
  return tag + content + tag;
}

/// `is_code`: statements begin anywhere in it, and its literals may be ones.
std::optional<std::string> hidden(const std::string& sql, bool is_code) {
  if (!may_have_secret(sql)) return std::nullopt;
  const std::vector<Lexeme> all = lexemes(sql);
  const bool holds_code = is_code || code_in(all) != CodeIn::None;
  std::string result;
  bool is_secret = false;
  bool is_changed = false;
  std::size_t words = 0;  // of this statement
  bool is_grant = false;
  Lexeme before;
  for (const Lexeme& one : all) {
    std::optional<std::string> other;
    if (one.is_literal() && is_secret)
      other = kHidden;
    else if (one.is_literal() && holds_code)
      if (const auto inside = hidden(one.content(), true))
        other =
            one.kind == Lexeme::Kind::Dollar ? in_tags(one, *inside) : kHidden;
    result += other ? *other : std::string(one.text);
    is_changed |= other.has_value();
    if (one.is_blank()) continue;
    words = one.is(';') ? 0 : words + 1;
    if (words == 0) is_secret = false;
    if (words == 1) is_grant = one.is("GRANT");
    is_secret |= (is_code || words == 2) && begins_secret(before, one);
    is_secret |= is_grant && one.is("IDENTIFIED");
    before = one;
  }
  if (!is_changed) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::string> without_passwords(const std::string& sql) {
  return hidden(sql, false);
}

}  // namespace txscope::db
