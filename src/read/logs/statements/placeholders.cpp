#include "read/logs/statements/placeholders.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

bool is_name_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Filler {
 public:
  Filler(std::string_view text, const SentValues& values)
      : text_(text), values_(values) {}

  std::string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const char before = at_ > 0 ? text_[at_ - 1] : ' ';
    if (c == '\'' || c == '"' || c == '`') return copy_quoted(c);
    if (c == '$' && std::isdigit(static_cast<unsigned char>(next)) != 0 &&
        !is_name_part(before))
      return numbered();
    if (c == '?' && next != '|' && next != '&' && next != '?' && before != '?')
      return put_place(1);
    if (c == '%' && next == 's') return put_place(2);
    if (c == '%' && next == '(') return named(at_ + 2, ")s");
    if (c == '%' && next == '%') {
      ++at_;
      out_ += '%';
      ++at_;
      return;
    }
    if (c == ':' && next != ':' && before != ':' && !is_name_part(before) &&
        (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_'))
      return named(at_ + 1, "");
    out_ += c;
    ++at_;
  }

  void copy_quoted(char quote) {
    out_ += text_[at_++];
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      out_ += c;
      if (c == '\\' && quote == '\'' && at_ < text_.size() && is_escaped())
        out_ += text_[at_++];
      if (c == quote) return;
    }
  }
  /// A backslash before a quote: only where another quote comes later.
  [[nodiscard]] bool is_escaped() const {
    return text_[at_] == '\\' ||
           (text_[at_] == '\'' && text_.find('\'', at_ + 1) != text_.npos);
  }

  void numbered() {
    std::size_t end = at_ + 1;
    std::size_t number = 0;
    while (end < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[end])) != 0 &&
           number < 100'000)
      number = number * 10 + static_cast<std::size_t>(text_[end++] - '0');
    at_ = end;
    if (number > 0 && number <= values_.by_place.size() &&
        !values_.by_place[number - 1].empty())
      out_ += values_.by_place[number - 1];
    else
      out_ += "$" + std::to_string(number);
  }

  void put_place(std::size_t length) {
    at_ += length;
    const std::size_t place = place_++;
    if (place < values_.by_place.size() && !values_.by_place[place].empty())
      out_ += values_.by_place[place];
    else
      out_ += "$" + std::to_string(place + 1);
  }

  void named(std::size_t begin, std::string_view close) {
    std::size_t end = begin;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    if (text_.substr(end, close.size()) != close) {
      out_ += text_[at_++];
      return;
    }
    const std::string name(text_.substr(begin, end - begin));
    at_ = end + close.size();
    const auto found = values_.by_name.find(name);
    if (found != values_.by_name.end() && !found->second.empty()) {
      out_ += found->second;
      return;
    }
    const auto [number, is_new] =
        unknown_.try_emplace(name, unknown_.size() + 1);
    out_ += "$" + std::to_string(number->second);
  }

  std::string_view text_;
  const SentValues& values_;
  std::size_t at_ = 0;
  std::size_t place_ = 0;
  std::map<std::string, std::size_t> unknown_;
  std::string out_;
};

/// Values as Python, Ruby and PostgreSQL write them.
class ValueReader {
 public:
  explicit ValueReader(std::string_view text, bool has_escapes = true)
      : text_(text), has_escapes_(has_escapes) {}

  void blanks() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
  }
  bool eat(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool is_over() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() {
    blanks();
    return is_over() ? '\0' : text_[at_];
  }

  /// The text between quotes, unescaped; none: there is no such.
  std::optional<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    ++at_;
    std::string out;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) {
        if (at_ < text_.size() && text_[at_] == quote && quote == '\'') {
          ++at_;
        } else {
          return out;
        }
      }
      if (c == '\\' && has_escapes_ && at_ < text_.size()) {
        const char escaped = text_[at_++];
        out += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
        continue;
      }
      out += c;
    }
    return out;
  }

  /// One value as a literal; empty: it has none that is known.
  std::string value() {
    const char c = peek();
    if (c == '\'' || c == '"') return sql_quoted(*string());
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_name_part(text_[at_]) || text_[at_] == '.' ||
            text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) {
      nested();
      return {};
    }
    if (peek() == '(') return made_by(word);
    if ((word == "b" || word == "u") && (peek() == '\'' || peek() == '"'))
      return sql_quoted(*string());
    if (word == "None" || word == "nil" || word == "NULL" || word == "null")
      return "NULL";
    if (word == "True" || word == "true") return "true";
    if (word == "False" || word == "false") return "false";
    return is_number(word) ? word : std::string();
  }

 private:
  static bool is_number(const std::string& word) {
    bool has_digit = false;
    for (const char c : word) {
      has_digit |= std::isdigit(static_cast<unsigned char>(c)) != 0;
      if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.' &&
          c != '-' && c != '+' && c != 'e' && c != 'E')
        return false;
    }
    return has_digit;
  }

  /// Decimal('2.5'), UUID('..'), datetime.datetime(2026, 1, 2, 3, 4).
  std::string made_by(const std::string& maker) {
    eat('(');
    std::vector<std::string> parts;
    while (!is_over() && peek() != ')') {
      const std::size_t before = at_;
      parts.push_back(value());
      if (peek() == '=') {  // tzinfo=..
        ++at_;
        (void)value();
        parts.pop_back();
      }
      eat(',');
      if (at_ == before) break;
    }
    eat(')');
    if (maker.ends_with("Decimal") && parts.size() == 1 && parts[0].size() > 2)
      return parts[0].substr(1, parts[0].size() - 2);
    if (maker.ends_with("UUID") && parts.size() == 1) return parts[0];
    const bool is_time = maker.ends_with("datetime");
    if ((is_time || maker.ends_with("date")) && parts.size() >= 3)
      return time_of(parts, is_time);
    return {};
  }

  static std::string time_of(const std::vector<std::string>& parts,
                             bool is_time) {
    std::array<int, 6> n{};
    for (std::size_t i = 0; i < n.size() && i < parts.size(); ++i)
      if (std::sscanf(parts[i].c_str(), "%d", &n[i]) != 1) return {};
    std::array<char, 64> out{};
    if (is_time)
      std::snprintf(out.data(), out.size(), "'%04d-%02d-%02d %02d:%02d:%02d'",
                    n[0], n[1], n[2], n[3], n[4], n[5]);
    else
      std::snprintf(out.data(), out.size(), "'%04d-%02d-%02d'", n[0], n[1],
                    n[2]);
    return out.data();
  }

  /// A list or anything else that is no value: passed over.
  void nested() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        (void)string();
        continue;
      }
      if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
      if (c == ')' || c == ']' || c == '}' || c == '>') {
        if (depth == 0) return;
        --depth;
      }
      if (c == ',' && depth == 0) return;
      ++at_;
    }
  }

  std::string_view text_;
  bool has_escapes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string filled(std::string_view text, const SentValues& values) {
  return Filler(text, values).run();
}

SentValues python_values(std::string_view text) {
  SentValues values;
  ValueReader reader(text);
  if (reader.peek() == '[') reader.eat('[');
  if (reader.eat('{')) {
    while (!reader.is_over() && reader.peek() != '}') {
      const auto key = reader.string();
      if (!key || !reader.eat(':')) break;
      values.by_name[*key] = reader.value();
      if (!reader.eat(',')) break;
    }
    return values;
  }
  if (!reader.eat('(')) return values;
  while (!reader.is_over() && reader.peek() != ')') {
    values.by_place.push_back(reader.value());
    if (!reader.eat(',')) break;
  }
  return values;
}

SentValues ruby_binds(std::string_view text) {
  SentValues values;
  ValueReader reader(text);
  if (!reader.eat('[')) return values;
  while (reader.eat('[')) {
    (void)reader.value();  // the name of the column
    reader.eat(',');
    values.by_place.push_back(reader.value());
    if (!reader.eat(']')) break;
    reader.eat(',');
  }
  return values;
}

SentValues postgres_parameters(std::string_view text) {
  SentValues values;
  ValueReader reader(text, false);
  while (reader.eat('$')) {
    const std::string number = reader.value();
    if (number.empty() || number.size() > 5 || !reader.eat('=')) break;
    const auto place = static_cast<std::size_t>(std::atoi(number.c_str()));
    if (place == 0) break;
    if (values.by_place.size() < place) values.by_place.resize(place);
    values.by_place[place - 1] = reader.value();
    if (!reader.eat(',')) break;
  }
  return values;
}

}  // namespace txscope::logs
