#include "race/wire/in_full.h"

#include <algorithm>

#include "base/ascii.h"

namespace txscope::race {
namespace {

bool is_name_part(char c) {
  return ascii::is_letter(c) || ascii::is_digit(c) || c == '_' || c == '$';
}

bool is_all_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), ascii::is_digit);
}

std::string literal(const std::optional<std::string>& value) {
  if (!value) return "NULL";
  std::string text = "'";
  for (const char c : *value) text += c == '\'' ? "''" : std::string(1, c);
  return text + "'";
}

/// Copies a statement, and looks at what is neither text nor comment.
class Filler {
 public:
  explicit Filler(const Statement& statement)
      : sql_(statement.sql), params_(statement.params) {}

  std::string run() {
    while (at_ < sql_.size()) {
      const char c = sql_[at_];
      if (c == '\'' || c == '"' || c == '`')
        copy_to(sql_.find(c, at_ + 1), 1);
      else if (sql_.compare(at_, 2, "--") == 0)
        copy_to(sql_.find('\n', at_), 1);
      else if (sql_.compare(at_, 2, "/*") == 0)
        copy_to(sql_.find("*/", at_), 2);
      else if (c == '$' && !is_in_name())
        dollar();
      else if (c == '?' && next_ < params_.size())
        question();
      else
        result_ += sql_[at_++];
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_in_name() const {
    return at_ > 0 && is_name_part(sql_[at_ - 1]);
  }

  /// Up to and including what ends there; all, if nothing does.
  void copy_to(std::size_t end, std::size_t length) {
    const std::size_t until =
        end == std::string::npos ? sql_.size() : end + length;
    result_.append(sql_, at_, until - at_);
    at_ = until;
  }

  /// $1, or a text between $tag$.
  void dollar() {
    std::size_t end = at_ + 1;
    while (end < sql_.size() && ascii::is_digit(sql_[end])) ++end;
    if (end > at_ + 1) {
      const auto number = std::stoul(sql_.substr(at_ + 1, end - at_ - 1));
      result_ += number >= 1 && number <= params_.size()
                     ? literal(params_[number - 1])
                     : sql_.substr(at_, end - at_);
      at_ = end;
      return;
    }
    const std::size_t tag_end = sql_.find('$', at_ + 1);
    if (tag_end == std::string::npos) return copy_to(tag_end, 0);
    const std::string tag = sql_.substr(at_, tag_end + 1 - at_);
    copy_to(sql_.find(tag, tag_end + 1), tag.size());
  }

  void question() {
    const auto& value = params_[next_++];
    result_ += value && is_all_digits(*value) ? *value : literal(value);
    ++at_;
  }

  const std::string& sql_;
  const std::vector<std::optional<std::string>>& params_;
  std::size_t at_ = 0;
  std::size_t next_ = 0;  ///< of those for ?
  std::string result_;
};

}  // namespace

std::string in_full(const Statement& statement) {
  if (statement.params.empty()) return statement.sql;
  return Filler(statement).run();
}

}  // namespace txscope::race
