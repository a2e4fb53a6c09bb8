#include "read/edn_reader.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "read/input.h"

namespace txscope {
namespace {

constexpr std::uint8_t kBlank = 1;      // white space and the comma
constexpr std::uint8_t kDelimiter = 2;  // ends a token

constexpr std::array<std::uint8_t, 256> kClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v', ','})
    table[static_cast<unsigned char>(c)] = kBlank | kDelimiter;
  for (const char c : {'(', ')', '[', ']', '{', '}', '"', ';'})
    table[static_cast<unsigned char>(c)] = kDelimiter;
  return table;
}();

constexpr bool is_blank(char c) {
  return (kClass[static_cast<unsigned char>(c)] & kBlank) != 0;
}
constexpr bool is_delimiter(char c) {
  return (kClass[static_cast<unsigned char>(c)] & kDelimiter) != 0;
}
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view noun(FormKind kind) { return with_article(kind).substr(2); }

FormKind kind_of(char bracket) {
  switch (bracket) {
    case '{': return FormKind::Map;
    case '[': return FormKind::Vector;
    default: return FormKind::List;
  }
}

char closing(FormKind kind) {
  if (kind == FormKind::Vector) return ']';
  return kind == FormKind::List ? ')' : '}';
}

void append_utf8(std::uint32_t code, std::string& to) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xc0 | code >> 6);
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    to += static_cast<char>(0xe0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    to += static_cast<char>(0xf0 | code >> 18);
    to += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    to += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    to += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Four hexadecimal digits at the beginning of `text`, or -1.
std::int32_t hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  std::int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The code point of an escape \uXXXX (or two of them, a surrogate pair) at the
// beginning of `text`; how many bytes it took, 0 if it is malformed.
std::size_t read_unicode(std::string_view text, std::uint32_t& code) {
  const std::int32_t high = hex4(text.substr(2));
  if (high < 0 || (high >= 0xdc00 && high < 0xe000)) return 0;
  code = static_cast<std::uint32_t>(high);
  if (high < 0xd800 || high >= 0xe000) return 6;
  if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return 0;
  const std::int32_t low = hex4(text.substr(8));
  if (low < 0xdc00 || low >= 0xe000) return 0;
  code = 0x10000 + (static_cast<std::uint32_t>(high - 0xd800) << 10) +
         static_cast<std::uint32_t>(low - 0xdc00);
  return 12;
}

// Clojure prints the addresses of objects that way; EDN has no such numbers.
bool is_hexadecimal(std::string_view word) {
  return word.size() > 2 && word.starts_with("0x") &&
         word.find_first_not_of("0123456789abcdefABCDEF", 2) ==
             std::string_view::npos;
}

// True if `text`, which follows the digits of a number, makes it a float, an
// exact decimal or a ratio.
bool is_fraction(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i != from;
  };
  if (text.starts_with('/')) {
    ++i;
    return digits() && i == text.size();
  }
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits();
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && text[i] == 'M') ++i;
  return i == text.size() && i != 0;
}

}  // namespace

std::string_view with_article(FormKind kind) {
  switch (kind) {
    case FormKind::Nil: return "nil";
    case FormKind::Bool: return "a boolean";
    case FormKind::Integer: return "an integer";
    case FormKind::Number: return "a number that is no 64-bit integer";
    case FormKind::String: return "a string";
    case FormKind::Character: return "a character";
    case FormKind::Keyword: return "a keyword";
    case FormKind::Symbol: return "a symbol";
    case FormKind::Map: return "a map";
    case FormKind::Vector: return "a vector";
    case FormKind::List: return "a list";
    case FormKind::Set: return "a set";
  }
  return "";
}

EdnReader::EdnReader(Input& input) : input_(&input) {}

Result<bool> EdnReader::next_element() {
  if (error_) return *error_;
  if (input_->line() == 0) input_->line_begins(0);
  for (;;) {
    skip_blank();
    forget_text();
    if (at_end()) return end_of_elements();
    const char c = text_[pos_];
    if (outer_ == 0 && !has_element_ && (c == '[' || c == '(')) {
      outer_ = closing(kind_of(c));
      outer_line_ = input_->line();
      has_tag_ = false;
      ++pos_;
      continue;
    }
    if (is_outer_closed_) {
      fail(pos_, "text after the end of the history",
           "a file holds one vector of events, or events one after the other");
      return *error_;
    }
    if (c == outer_) {
      if (has_tag_) return end_of_elements();
      is_outer_closed_ = true;
      ++pos_;
      continue;
    }
    if (c == '#' && skip_tag()) continue;
    form_line_ = input_->line();
    switch (parse()) {
      case Step::Value:
        has_element_ = true;
        has_tag_ = false;
        return true;
      case Step::Nothing: continue;
      case Step::Failed: return *error_;
    }
  }
}

// Tags around the elements and around all of them count for nothing.
bool EdnReader::skip_tag() {
  ++pos_;
  const bool is_tag = !at_end() && !is_delimiter(text_[pos_]) &&
                      text_[pos_] != '_' && text_[pos_] != '#';
  if (!is_tag) {
    --pos_;
    return false;
  }
  scan_token();
  has_tag_ = true;
  return true;
}

Result<bool> EdnReader::end_of_elements() {
  if (input_->error()) {
    error_ = input_->error();
  } else if (has_tag_) {
    fail(pos_, "a tag without a value", "");
  } else if (outer_ != 0 && !is_outer_closed_) {
    fail(
        pos_,
        std::string("the file ends before the '") + outer_ + "' that closes it",
        "it was opened in line " + std::to_string(outer_line_) +
            "; the file may be cut off");
  }
  if (error_) return *error_;
  return false;
}

Result<bool> EdnReader::next_in(std::string_view text, std::size_t& at) {
  is_line_ = true;
  error_.reset();
  text_ = text.data();
  size_ = text.size();
  pos_ = at;
  form_line_ = input_->line();
  for (;;) {
    skip_blank();
    if (at_end()) return false;
    const Step step = parse();
    at = pos_;
    if (step == Step::Failed) return *error_;
    if (step == Step::Value) return true;
  }
}

Error EdnReader::error_at(const FormNode& node, std::string what,
                          std::string hint) {
  return error_at(node.at, std::move(what), std::move(hint));
}

Error EdnReader::error_at(std::size_t at, std::string what, std::string hint) {
  if (!is_line_) note_lines(at);
  return input_->error_at(text_ + at, std::move(what), std::move(hint));
}

bool EdnReader::fail(std::size_t at, std::string what, std::string hint) {
  if (error_) return false;
  if (input_->error())
    error_ = input_->error();
  else
    error_ = error_at(at, std::move(what), std::move(hint));
  return false;
}

// What is missing at the end of the text is missing after its last character,
// not in the empty line behind it.
bool EdnReader::fail_at_end(std::string what) {
  std::size_t at = size_;
  while (at > 0 && is_blank(text_[at - 1])) --at;
  std::string hint;
  if (!open_.empty()) {
    const auto newlines = static_cast<std::uint64_t>(
        std::count(text_, text_ + open_.back().at, '\n'));
    hint = "it began in line " + std::to_string(form_line_ + newlines) +
           "; the file may be cut off";
  }
  return fail(at, std::move(what), std::move(hint));
}

bool EdnReader::refill() {
  if (is_line_) return false;
  if (size_ > kMaxSize)
    return fail(0, "the value is longer than 2,147,483,647 bytes");
  const bool has_more = input_->more();
  text_ = input_->window().data();
  size_ = input_->window().size();
  return has_more;
}

void EdnReader::note_lines(std::size_t to) {
  while (noted_ < to) {
    const void* found = std::memchr(text_ + noted_, '\n', to - noted_);
    if (found == nullptr) break;
    noted_ =
        static_cast<std::size_t>(static_cast<const char*>(found) - text_) + 1;
    input_->line_begins(noted_);
  }
}

void EdnReader::forget_text() {
  if (pos_ == 0) return;
  note_lines(pos_);
  input_->consume(pos_);
  text_ += pos_;
  size_ -= pos_;
  pos_ = 0;
  noted_ = 0;
}

void EdnReader::skip_blank() {
  while (!at_end()) {
    while (pos_ < size_ && is_blank(text_[pos_])) ++pos_;
    if (pos_ == size_) continue;
    if (text_[pos_] != ';') return;
    while (!at_end()) {
      const void* found = std::memchr(text_ + pos_, '\n', size_ - pos_);
      if (found == nullptr) {
        pos_ = size_;
        continue;
      }
      pos_ = static_cast<std::size_t>(static_cast<const char*>(found) - text_);
      break;
    }
  }
}

EdnReader::Step EdnReader::parse() {
  form_.nodes.clear();
  form_.unescaped.clear();
  open_.clear();
  do {
    skip_blank();
    if (at_end()) {
      fail_at_end(open_.empty() ? "the file ends where a value is expected"
                                : "the file ends inside " + open_description());
      return Step::Failed;
    }
    if (!parse_token()) return Step::Failed;
  } while (!open_.empty());
  form_.source = std::string_view(text_, size_);
  return form_.nodes.empty() ? Step::Nothing : Step::Value;
}

std::string EdnReader::open_description() const {
  const Open& top = open_.back();
  if (top.frame == Frame::Discard) return "a '#_'";
  if (top.frame == Frame::Tag) return "a tagged value";
  return std::string(with_article(form_.nodes[top.node].kind));
}

bool EdnReader::parse_token() {
  const char c = text_[pos_];
  switch (c) {
    case '{':
    case '[':
    case '(': return open(kind_of(c), 1);
    case '}':
    case ']':
    case ')': return close(c);
    case '#': return parse_hash();
    case '"': return parse_string();
    case '\\': return parse_character();
    default: return parse_word();
  }
}

bool EdnReader::push(Frame frame, std::size_t at) {
  if (open_.size() >= kMaxDepth)
    return fail(at, "values are nested more than " + std::to_string(kMaxDepth) +
                        " deep");
  open_.push_back({frame, static_cast<std::uint32_t>(form_.nodes.size()),
                   static_cast<std::uint32_t>(at), 0});
  return true;
}

bool EdnReader::open(FormKind kind, std::size_t bracket_size) {
  if (!push(Frame::Collection, pos_)) return false;
  FormNode node;
  node.kind = kind;
  node.at = static_cast<std::uint32_t>(pos_);
  form_.nodes.push_back(node);
  pos_ += bracket_size;
  return true;
}

bool EdnReader::close(char bracket) {
  if (open_.empty())
    return fail(pos_, std::string("unexpected '") + bracket + "'");
  const Open top = open_.back();
  if (top.frame == Frame::Tag) return fail(pos_, "a tag without a value");
  if (top.frame == Frame::Discard)
    return fail(pos_, "nothing follows the '#_'");
  FormNode& node = form_.nodes[top.node];
  if (closing(node.kind) != bracket)
    return fail(pos_,
                std::string("expected '") + closing(node.kind) + "', found '" +
                    bracket + "'",
                "the " + std::string(noun(node.kind)) + " is still open");
  if (node.kind == FormKind::Map && top.count % 2 != 0)
    return fail(pos_, "the last key of the map has no value");
  node.size = static_cast<std::uint32_t>(form_.nodes.size() - top.node - 1);
  open_.pop_back();
  ++pos_;
  finish_value();
  return true;
}

// A value is complete: it is an element, or what a tag or a #_ waited for.
void EdnReader::finish_value() {
  while (!open_.empty()) {
    Open& top = open_.back();
    if (top.frame == Frame::Collection) {
      ++top.count;
      return;
    }
    const bool is_discard = top.frame == Frame::Discard;
    if (is_discard) form_.nodes.resize(top.node);
    open_.pop_back();
    if (is_discard) return;
  }
}

bool EdnReader::parse_hash() {
  const std::size_t at = pos_++;
  if (at_end()) return fail(at, "expected a tag after '#'");
  switch (text_[pos_]) {
    case '{': --pos_; return open(FormKind::Set, 2);
    case '_': ++pos_; return push(Frame::Discard, at);
    case '"': return parse_string();
    case '#': {
      ++pos_;
      const std::size_t size = scan_token();
      add_scalar(FormKind::Number, at, at, size + 2);
      return true;
    }
    default:
      if (is_delimiter(text_[pos_]))
        return fail(at, "expected a tag after '#'");
      scan_token();
      return push(Frame::Tag, at);
  }
}

void EdnReader::add_scalar(FormKind kind, std::size_t at, std::size_t text,
                           std::size_t size) {
  FormNode node;
  node.kind = kind;
  node.at = static_cast<std::uint32_t>(at);
  node.text = static_cast<std::uint32_t>(text);
  node.size = static_cast<std::uint32_t>(size);
  form_.nodes.push_back(node);
  finish_value();
}

bool EdnReader::parse_string() {
  const std::size_t at = pos_++;
  const std::size_t from = pos_;
  bool has_escape = false;
  for (;;) {
    while (pos_ < size_ && text_[pos_] != '"' && text_[pos_] != '\\') ++pos_;
    if (pos_ == size_) {
      if (!refill()) return fail(at, "the string is never closed");
      continue;
    }
    if (text_[pos_] == '"') break;
    has_escape = true;
    ++pos_;
    if (at_end()) return fail(at, "the string is never closed");
    ++pos_;
  }
  const std::size_t to = pos_++;
  if (has_escape) return unescape(at, from, to);
  add_scalar(FormKind::String, at, from, to - from);
  return true;
}

bool EdnReader::unescape(std::size_t at, std::size_t from, std::size_t to) {
  std::string& out = form_.unescaped;
  const std::size_t begin = out.size();
  for (std::size_t i = from; i < to; ++i) {
    if (text_[i] != '\\') {
      out += text_[i];
      continue;
    }
    const std::size_t escape = i++;
    constexpr std::string_view kLetters = "tbnrf\"\\/'";
    constexpr std::string_view kMeanings = "\t\b\n\r\f\"\\/'";
    const auto letter = kLetters.find(text_[i]);
    if (letter != std::string_view::npos) {
      out += kMeanings[letter];
    } else if (text_[i] == 'u') {
      std::uint32_t code = 0;
      const std::size_t size =
          read_unicode(std::string_view(text_ + escape, to - escape), code);
      if (size == 0)
        return fail(escape, "malformed \\u escape in a string",
                    "it takes four hexadecimal digits, and surrogates come in "
                    "pairs");
      append_utf8(code, out);
      i = escape + size - 1;
    } else if (text_[i] >= '0' && text_[i] <= '7') {
      std::uint32_t code = 0;
      std::size_t digits = 0;
      for (; digits < 3 && i + digits < to && text_[i + digits] >= '0' &&
             text_[i + digits] <= '7';
           ++digits)
        code = code * 8 + static_cast<std::uint32_t>(text_[i + digits] - '0');
      append_utf8(code, out);
      i += digits - 1;
    } else {
      return fail(escape, "unknown escape in a string",
                  "write \\\\ for a backslash");
    }
  }
  FormNode node;
  node.kind = FormKind::String;
  node.is_unescaped = true;
  node.at = static_cast<std::uint32_t>(at);
  node.text = static_cast<std::uint32_t>(begin);
  node.size = static_cast<std::uint32_t>(out.size() - begin);
  form_.nodes.push_back(node);
  finish_value();
  return true;
}

// A character is a backslash and at least one character, be it a delimiter.
bool EdnReader::parse_character() {
  const std::size_t at = pos_++;
  if (at_end() || (is_blank(text_[pos_]) && text_[pos_] != ','))
    return fail(at, "expected a character after '\\'");
  ++pos_;
  const std::size_t rest = scan_token();
  add_scalar(FormKind::Character, at, at + 1, rest + 1);
  return true;
}

// Moves to the next delimiter; how many bytes that was.
std::size_t EdnReader::scan_token() {
  const std::size_t from = pos_;
  do {
    while (pos_ < size_ && !is_delimiter(text_[pos_])) ++pos_;
  } while (pos_ == size_ && refill());
  return pos_ - from;
}

bool EdnReader::parse_word() {
  const std::size_t at = pos_;
  const std::size_t size = scan_token();
  if (error_) return false;
  const std::string_view word(text_ + at, size);
  assert(!word.empty() && "delimiters have been dealt with");
  const char c = word[0];
  if (c == ':') {
    if (size == 1) return fail(at, "a keyword needs a name after its ':'");
    add_scalar(FormKind::Keyword, at, at + 1, size - 1);
    return true;
  }
  if (is_digit(c) || ((c == '-' || c == '+') && size > 1 && is_digit(word[1])))
    return parse_number(at, word);
  const bool is_bool = word == "true" || word == "false";
  add_scalar(word == "nil" ? FormKind::Nil
             : is_bool     ? FormKind::Bool
                           : FormKind::Symbol,
             at, at, size);
  return true;
}

bool EdnReader::parse_number(std::size_t at, std::string_view word) {
  if (is_hexadecimal(word)) {
    add_scalar(FormKind::Number, at, at, word.size());
    return true;
  }
  const bool is_negative = word[0] == '-';
  const std::size_t first = is_digit(word[0]) ? 0 : 1;
  std::size_t i = first;
  std::uint64_t magnitude = 0;
  bool fits = true;
  for (; i < word.size() && is_digit(word[i]); ++i) {
    const auto digit = static_cast<std::uint64_t>(word[i] - '0');
    fits = fits && magnitude <= (UINT64_MAX - digit) / 10;
    magnitude = magnitude * 10 + digit;
  }
  const std::string_view rest = word.substr(i);
  const bool is_integer = rest.empty() || rest == "N";
  if ((!is_integer && !is_fraction(rest)) ||
      (word[first] == '0' && i - first > 1))
    return fail(at, "malformed number '" + std::string(word) + "'");
  fits = fits && (!is_negative || magnitude <= std::uint64_t{1} << 63);
  FormNode node;
  node.kind = is_integer && fits ? FormKind::Integer : FormKind::Number;
  node.at = node.text = static_cast<std::uint32_t>(at);
  node.size = static_cast<std::uint32_t>(word.size());
  node.is_unsigned = !is_negative && magnitude > INT64_MAX;
  node.integer =
      static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
  form_.nodes.push_back(node);
  finish_value();
  return true;
}

}  // namespace txscope
