#include "race/outcome/condition_shape.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace txscope::race {
namespace {

/// A word or a sign of a condition that stands in no brackets and no quotes.
struct OuterToken {
  std::string text;  ///< words in capitals
  std::size_t from = 0;
  std::size_t to = 0;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && (ascii::is_space(text.back()) || text.back() == ';'))
    text.remove_suffix(1);
  return text;
}

bool is_sign(char c) {
  return std::string_view("+-*/<>=~!@#%^&|?").find(c) != std::string_view::npos;
}

bool is_in_word(char c) {
  return ascii::is_letter(c) || ascii::is_digit(c) || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

/// What stands outside of brackets.  Gives up on what it cannot read safely:
/// comments, dollar quotes, backslashes.
class OuterTokens {
 public:
  explicit OuterTokens(std::string_view text) : text_(text) {}

  std::optional<std::vector<OuterToken>> all() {
    for (const std::string_view unsafe : {"--", "/*", "\\", "#", "$"})
      if (text_.find(unsafe) != std::string_view::npos) return std::nullopt;
    while (at_ < text_.size())
      if (!take()) return std::nullopt;
    if (depth_ != 0) return std::nullopt;
    return std::move(tokens_);
  }

 private:
  bool take() {
    const char c = text_[at_];
    if (c == '\'' || c == '"' || c == '`') return skip_quoted(c);
    if (c == '(' || c == '[') return ++depth_, ++at_, true;
    if (c == ')' || c == ']') return ++at_, --depth_ >= 0;
    if (is_in_word(c)) return add(is_in_word), true;
    if (is_sign(c)) return add(is_sign), true;
    ++at_;
    return true;
  }

  bool skip_quoted(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    return end != std::string_view::npos;
  }

  template <class Belongs>
  void add(Belongs belongs) {
    const std::size_t from = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    if (depth_ > 0) return;
    OuterToken token{std::string(text_.substr(from, at_ - from)), from, at_};
    for (char& c : token.text) c = ascii::upper(c);
    tokens_.push_back(std::move(token));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<OuterToken> tokens_;
};

/// "<=-1" is a comparison with a number below zero.
std::string_view comparison(std::string_view sign) {
  while (sign.size() > 1 && (sign.back() == '-' || sign.back() == '+'))
    sign.remove_suffix(1);
  constexpr std::array kKnown = {"<=", ">=", "<>", "!=", "=", "<", ">"};
  const bool is_known =
      std::find(kKnown.begin(), kKnown.end(), sign) != kKnown.end();
  return is_known ? sign : std::string_view();
}

bool has_word(const std::vector<OuterToken>& tokens,
              std::initializer_list<std::string_view> words) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const auto& token) {
    return std::find(words.begin(), words.end(), token.text) != words.end();
  });
}

/// The text between the brackets that all of it is, "(SELECT 1)".
std::optional<std::string> in_brackets(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')')
    return std::nullopt;
  const std::string_view inner = trim(text.substr(1, text.size() - 2));
  // Not "(a) = (b)": what is inside must be whole by itself.
  if (!OuterTokens(inner).all()) return std::nullopt;
  return std::string(inner);
}

std::optional<ConditionShape> all_of(std::string_view text,
                                     const std::vector<OuterToken>& tokens) {
  ConditionShape shape{ConditionShape::Kind::All, {}, ""};
  std::size_t from = 0;
  for (const OuterToken& token : tokens) {
    if (token.text != "AND") continue;
    shape.parts.emplace_back(trim(text.substr(from, token.from - from)));
    from = token.to;
  }
  shape.parts.emplace_back(trim(text.substr(from)));
  return shape;
}

std::optional<ConditionShape> existence(std::string_view text,
                                        const std::vector<OuterToken>& tokens) {
  const bool is_not = tokens.size() == 2 && tokens[0].text == "NOT";
  if (tokens.empty() || tokens.back().text != "EXISTS" ||
      (tokens.size() != 1 && !is_not) ||
      !trim(text).starts_with(
          text.substr(tokens[0].from, tokens[0].to - tokens[0].from)))
    return std::nullopt;
  auto query = in_brackets(text.substr(tokens.back().to));
  if (!query) return std::nullopt;
  return ConditionShape{
      is_not ? ConditionShape::Kind::NoRow : ConditionShape::Kind::SomeRow,
      {*std::move(query)},
      ""};
}

}  // namespace

std::optional<ConditionShape> shape_of(std::string_view condition) {
  condition = trim(condition);
  const auto tokens = OuterTokens(condition).all();
  if (!tokens) return std::nullopt;
  if (tokens->empty())
    if (const auto inner = in_brackets(condition);
        inner && inner->size() < condition.size())
      return shape_of(*inner);
  // These bind weaker than a comparison, or are none that has two values.
  if (has_word(*tokens, {"OR",     "XOR",      "IS",      "IN",       "BETWEEN",
                         "LIKE",   "ILIKE",    "SIMILAR", "CASE",     "ANY",
                         "ALL",    "SOME",     "ISNULL",  "NOTNULL",  "REGEXP",
                         "RLIKE",  "COLLATE",  "SELECT",  "OVERLAPS", "SOUNDS",
                         "MEMBER", "DISTINCT", "BINARY"}))
    return std::nullopt;
  if (has_word(*tokens, {"AND"})) return all_of(condition, *tokens);
  if (auto shape = existence(condition, *tokens)) return shape;
  if (has_word(*tokens, {"NOT", "EXISTS", "UNION", "EXCEPT", "INTERSECT"}))
    return std::nullopt;
  std::optional<ConditionShape> shape;
  for (const OuterToken& token : *tokens) {
    const std::string_view sign = comparison(token.text);
    if (sign.empty()) {
      // An operator that we do not know may bind weaker.
      if (token.text.find_first_of("<>=!~@#%^&|?") != std::string::npos)
        return std::nullopt;
      continue;
    }
    if (shape) return std::nullopt;
    shape = ConditionShape{
        ConditionShape::Kind::Comparison,
        {std::string(trim(condition.substr(0, token.from))),
         std::string(trim(condition.substr(token.from + sign.size())))},
        std::string(sign)};
    if (shape->parts[0].empty() || shape->parts[1].empty()) return std::nullopt;
  }
  return shape;
}

}  // namespace txscope::race
