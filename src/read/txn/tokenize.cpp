#include <algorithm>
#include <array>

#include "read/scan.h"
#include "read/txn/token.h"

namespace txscope::txn {
namespace {

constexpr std::array<std::string_view, 16> kKeywords = {
    "var", "const", "txn", "session", "invariant", "assert", "read",  "write",
    "if",  "else",  "for", "in",      "while",     "assume", "abort", "exists"};

// Longest first, so that `<<` is not taken for two `<`.
constexpr std::array<std::string_view, 33> kSymbols = {
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "..", "(", ")",
    "[",  "]",  "{",  "}",  ",",  ";",  ":",  "?",  "=",  "<", ">",
    "+",  "-",  "*",  "/",  "%",  "!",  "~",  "&",  "|",  "^", "."};

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_name(char c) { return starts_name(c) || read::is_digit(c); }

int digit_value(char c) {
  if (read::is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Length of the UTF-8 sequence at the start of `s`; 0 if it is none.
std::size_t utf8_length(std::string_view s) {
  const auto at = [s](std::size_t i) {
    return static_cast<unsigned char>(s[i]);
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xf0 && lead <= 0xf4   ? 4
                        : lead >= 0xe0 && lead < 0xf0  ? 3
                        : lead >= 0xc2 && lead <= 0xdf ? 2
                                                       : 0;
  if (n == 0 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && at(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && at(1) >= 0xa0) return 0;  // surrogate
  if (lead == 0xf0 && at(1) < 0x90) return 0;
  if (lead == 0xf4 && at(1) >= 0x90) return 0;
  return n;
}

/// The code point of a well-formed sequence.
std::uint32_t code_point(std::string_view s) {
  const auto at = [s](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(s[i]));
  };
  switch (s.size()) {
    case 1: return at(0);
    case 2: return (at(0) & 0x1f) << 6 | (at(1) & 0x3f);
    case 3: return (at(0) & 0x0f) << 12 | (at(1) & 0x3f) << 6 | (at(2) & 0x3f);
    default:
      return (at(0) & 0x07) << 18 | (at(1) & 0x3f) << 12 | (at(2) & 0x3f) << 6 |
             (at(3) & 0x3f);
  }
}

/// Whether a character beyond ASCII may be part of a name: all but spaces,
/// punctuation, arrows and mathematical signs, which somebody may have meant as
/// something else.
bool is_foreign_letter(std::uint32_t c) {
  if (c < 0xc0) return c == 0xaa || c == 0xb5 || c == 0xba;
  if (c == 0xd7 || c == 0xf7) return false;     // times, divided by
  if (c >= 0x2000 && c < 0x2070) return false;  // spaces, dashes, quotes
  if (c >= 0x2190 && c < 0x2c00) return false;  // arrows, operators, symbols
  if (c >= 0x3000 && c < 0x3005) return false;  // wide space and punctuation
  if (c >= 0x3008 && c < 0x3021) return false;  // wide brackets
  if (c >= 0xe000 && c < 0xf900) return false;  // private use
  if (c == 0xfeff || (c >= 0xfff0 && c <= 0xffff)) return false;
  if (c >= 0xff01 && c < 0xff10) return false;  // wide ASCII punctuation
  if (c >= 0xff1a && c < 0xff21) return false;
  return c < 0xe0000;
}

class Tokenizer {
 public:
  Tokenizer(const std::string& file, std::string_view text)
      : file_(file), text_(text) {}

  Result<std::vector<Token>> run() {
    if (text_.size() >= UINT32_MAX) {
      return fail(here(0), "the file is larger than 4 GB");
    }
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_start_ = 3;
    while (at_ < text_.size()) {
      if (!step()) return std::move(*error_);
    }
    newline();
    push(TokenKind::End, 0);
    return std::move(tokens_);
  }

 private:
  bool step() {
    const char c = text_[at_];
    if (c == '\n') {
      newline();
      ++at_;
      ++line_;
      line_start_ = at_;
      extra_bytes_ = 0;
      return true;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
      return true;
    }
    if (c == '#' || text_.substr(at_).starts_with("//")) return comment();
    if (c == '"') return string();
    if (read::is_digit(c)) return number();
    if (starts_name(c) || foreign_letter(at_) > 0) return name();
    return symbol();
  }

  /// Passes one character, which may have several bytes.
  bool pass_character() {
    const std::size_t n = utf8_length(text_.substr(at_));
    if (n == 0 || text_[at_] == '\0') {
      error_ = fail(here(1), n == 0 ? "invalid UTF-8" : "a NUL byte",
                    "a program is a text file in UTF-8");
      return false;
    }
    at_ += n;
    extra_bytes_ += n - 1;
    return true;
  }

  bool comment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (!pass_character()) return false;
    }
    return true;
  }

  bool string() {
    const Span begin = here(1);
    const std::size_t from = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() &&
          (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\')) {
        ++at_;
      }
      if (!pass_character()) return false;
    }
    if (at_ >= text_.size() || text_[at_] == '\n') {
      error_ = fail(begin, "this string is not closed on its line",
                    "end it with '\"'");
      return false;
    }
    Token token{TokenKind::String, text_.substr(from, at_ - from), 0, begin};
    ++at_;
    token.at.length = static_cast<std::uint32_t>(at_ - begin.offset);
    tokens_.push_back(token);
    return true;
  }

  bool number() {
    std::size_t end = at_;
    while (end < text_.size() && in_name(text_[end])) ++end;
    const std::string_view all = text_.substr(at_, end - at_);
    const bool hex = all.starts_with("0x") || all.starts_with("0X");
    const std::string_view digits = hex ? all.substr(2) : all;
    const int base = hex ? 16 : 10;
    std::uint64_t value = 0;
    bool fits = true;
    bool valid = !digits.empty();
    for (const char c : digits) {
      const int digit = digit_value(c);
      if (digit < 0 || digit >= base) {
        valid = false;
        break;
      }
      fits = fits &&
             !__builtin_mul_overflow(value, static_cast<std::uint64_t>(base),
                                     &value) &&
             !__builtin_add_overflow(value, static_cast<std::uint64_t>(digit),
                                     &value);
    }
    if (!valid) {
      error_ = fail(here(all.size()), "bad number '" + std::string(all) + "'",
                    "literals are decimal or 0x; names begin with a letter");
      return false;
    }
    if (!fits || value > kMinMagnitude) {
      error_ = fail(here(all.size()),
                    "the number " + std::string(all) + " is out of range",
                    "values are 64-bit signed integers, up to "
                    "9223372036854775807");
      return false;
    }
    push(TokenKind::Number, all.size());
    tokens_.back().value = value;
    at_ = end;
    return true;
  }

  /// The bytes of the letter beyond ASCII there; 0 if there is none.
  [[nodiscard]] std::size_t foreign_letter(std::size_t at) const {
    if (static_cast<unsigned char>(text_[at]) < 0x80) return 0;
    const std::size_t n = utf8_length(text_.substr(at));
    if (n == 0 || !is_foreign_letter(code_point(text_.substr(at, n)))) return 0;
    return n;
  }

  bool name() {
    std::size_t end = at_;
    std::size_t extra_bytes = 0;
    while (end < text_.size()) {
      const std::size_t foreign = foreign_letter(end);
      if (foreign == 0 && !in_name(text_[end])) break;
      end += std::max<std::size_t>(1, foreign);
      extra_bytes += foreign == 0 ? 0 : foreign - 1;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    const bool keyword =
        std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
    push(keyword ? TokenKind::Keyword : TokenKind::Name, word.size());
    at_ = end;
    extra_bytes_ += extra_bytes;
    return true;
  }

  bool symbol() {
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_).starts_with(symbol)) {
        push(TokenKind::Symbol, symbol.size());
        at_ += symbol.size();
        return true;
      }
    }
    const Span begin = here(1);
    const std::size_t from = at_;
    if (!pass_character()) return false;
    error_ = fail(begin, "unexpected character '" +
                             std::string(text_.substr(from, at_ - from)) + "'");
    return false;
  }

  void newline() {
    if (!tokens_.empty() && tokens_.back().kind == TokenKind::Newline) return;
    push(TokenKind::Newline, 0);
  }

  void push(TokenKind kind, std::size_t length) {
    tokens_.push_back({kind, text_.substr(at_, length), 0, here(length)});
  }

  [[nodiscard]] Span here(std::size_t length) const {
    return {
        line_, static_cast<std::uint32_t>(at_ - line_start_ - extra_bytes_ + 1),
        static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(length)};
  }

  Error fail(Span at, std::string what, std::string hint = {}) const {
    return error_at(file_, text_, at, std::move(what), std::move(hint));
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::size_t extra_bytes_ = 0;  // of characters with several, on this line
  std::uint32_t line_ = 1;
  std::vector<Token> tokens_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::vector<Token>> tokenize(const std::string& file,
                                    std::string_view text) {
  return Tokenizer(file, text).run();
}

Error error_at(const std::string& file, std::string_view text, Span at,
               std::string what, std::string hint) {
  constexpr std::size_t kLongestLine = 400;
  const std::size_t offset = std::min<std::size_t>(at.offset, text.size());
  std::size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  std::size_t end = text.find('\n', offset);
  if (end == std::string_view::npos) end = text.size();
  std::string line(text.substr(begin, std::min(end - begin, kLongestLine)));
  if (line.ends_with('\r')) line.pop_back();
  if (begin == 0 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  return {{file, at.line, at.column, std::nullopt},
          std::move(what),
          std::move(hint),
          std::move(line)};
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::Newline: return "the end of the line";
    case TokenKind::End: return "the end of the file";
    case TokenKind::String: return "a string";
    case TokenKind::Name:
    case TokenKind::Keyword:
    case TokenKind::Number:
    case TokenKind::Symbol: break;
  }
  return "'" + std::string(token.text) + "'";
}

}  // namespace txscope::txn
