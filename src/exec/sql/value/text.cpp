#include "exec/sql/value/text.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"

namespace txscope::sql {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The bytes of the character at `at`.
std::size_t width(std::string_view text, std::size_t at) {
  std::size_t n = 1;
  while (at + n < text.size() && continues(text[at + n])) ++n;
  return n;
}

/// Matches a text against a pattern.  After a '%' that fails to match only the
/// last '%' has to be tried again further on.
class Matcher {
 public:
  Matcher(std::string_view text, std::string_view pattern,
          std::string_view escape, Halt& halt)
      : text_(text), pattern_(pattern), escape_(escape), halt_(halt) {}

  bool matches() {
    while (t_ < text_.size()) {
      if (step()) continue;
      if (halt_.is_set() || !has_percent_) return false;
      // The last '%' takes one character more.
      percent_text_ += width(text_, percent_text_);
      if (percent_text_ > text_.size()) return false;
      t_ = percent_text_;
      p_ = percent_pattern_;
    }
    while (p_ < pattern_.size() && pattern_[p_] == '%' && !is_escape()) ++p_;
    return p_ == pattern_.size();
  }

 private:
  [[nodiscard]] bool is_escape() const {
    return !escape_.empty() && pattern_.substr(p_, escape_.size()) == escape_;
  }
  bool ends_with_escape() {
    if (!is_escape() || p_ + escape_.size() < pattern_.size()) return false;
    (void)halt_.raise("22025",
                      "LIKE pattern must not end with escape character");
    return true;
  }
  /// Matches the next part of the pattern; there is text left.
  bool step() {
    if (p_ == pattern_.size() || ends_with_escape()) return false;
    if (is_escape()) {
      p_ += escape_.size();
      return literal();
    }
    if (pattern_[p_] == '%') {
      has_percent_ = true;
      percent_text_ = t_;
      percent_pattern_ = ++p_;
      return !(p_ < pattern_.size() && ends_with_escape());
    }
    if (pattern_[p_] == '_') {
      ++p_;
      t_ += width(text_, t_);
      return true;
    }
    return literal();
  }
  bool literal() {
    if (pattern_[p_] != text_[t_]) return false;
    ++p_;
    ++t_;
    return true;
  }

  std::string_view text_;
  std::string_view pattern_;
  std::string_view escape_;
  Halt& halt_;
  std::size_t t_ = 0;
  std::size_t p_ = 0;
  bool has_percent_ = false;
  std::size_t percent_text_ = 0;     ///< what it has taken ends here
  std::size_t percent_pattern_ = 0;  ///< what follows it
};

}  // namespace

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t i = 0; i < text.size(); i += all.back().size())
    all.push_back(text.substr(i, width(text, i)));
  return all;
}

std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return !continues(c); }));
}

Value lower(const Value& value) {
  return Value::text(ascii::lower(value.text()));
}

Value upper(const Value& value) {
  return Value::text(ascii::upper(value.text()));
}

Value like(std::string_view text, std::string_view pattern,
           std::string_view escape, Halt& halt) {
  if (length(escape) > 1) return halt.raise("22025", "invalid escape string");
  const bool is_match = Matcher(text, pattern, escape, halt).matches();
  return halt.is_set() ? Value() : Value::boolean(is_match);
}

Value fit_text(const Value& value, std::size_t size, bool is_explicit,
               Halt& halt) {
  const std::string& text = value.text();
  if (text.size() <= size || length(text) <= size) return value;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < size; ++i) cut += width(text, cut);
  if (!is_explicit && text.find_first_not_of(' ', cut) != std::string::npos)
    return halt.raise("22001", "value too long for type character varying(" +
                                   std::to_string(size) + ")");
  return Value::text(std::string_view(text).substr(0, cut));
}

}  // namespace txscope::sql
