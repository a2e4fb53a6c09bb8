#include "read/json.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "read/scan.h"

namespace txscope::read {
namespace {

constexpr std::size_t kLongestToken = 64;  // of numbers and words
constexpr std::size_t kMaxString = Input::kMaxLine;

JsonReader::Kind kind_at(char c) {
  using Kind = JsonReader::Kind;
  switch (c) {
    case '{': return Kind::Object;
    case '[': return Kind::Array;
    case '"': return Kind::String;
    case 't':
    case 'f': return Kind::Bool;
    case 'n': return Kind::Null;
    case '-': return Kind::Number;
    case '\0': return Kind::End;
    default: return is_digit(c) ? Kind::Number : Kind::None;
  }
}

/// What stands there, for "expected ... but found ...".
std::string name_of(char c) {
  switch (kind_at(c)) {
    case JsonReader::Kind::Object: return "an object";
    case JsonReader::Kind::Array: return "an array";
    case JsonReader::Kind::String: return "a string";
    case JsonReader::Kind::Number: return "a number";
    case JsonReader::Kind::Bool: return "a boolean";
    case JsonReader::Kind::Null: return "null";
    case JsonReader::Kind::End: return "the end of the file";
    case JsonReader::Kind::None: break;
  }
  if (c == '\n') return "the end of the line";
  return c > 0x20 && c < 0x7f ? std::string("'") + c + "'"
                              : std::string("something else");
}

void append_utf8(std::string& text, std::uint32_t c) {
  const auto byte = [](std::uint32_t b) { return static_cast<char>(b); };
  if (c < 0x80) {
    text += byte(c);
  } else if (c < 0x800) {
    text += {byte(0xc0 | (c >> 6)), byte(0x80 | (c & 0x3f))};
  } else if (c < 0x10000) {
    text += {byte(0xe0 | (c >> 12)), byte(0x80 | ((c >> 6) & 0x3f)),
             byte(0x80 | (c & 0x3f))};
  } else {
    text += {byte(0xf0 | (c >> 18)), byte(0x80 | ((c >> 12) & 0x3f)),
             byte(0x80 | ((c >> 6) & 0x3f)), byte(0x80 | (c & 0x3f))};
  }
}

}  // namespace

JsonReader::JsonReader(Input& input) : input_(input) {
  input_.line_begins(0);
  p_ = input_.window().data();
  end_ = p_ + input_.window().size();
}

// Fetches more text; what begins at `keep` stays in memory, and `keep` and p_
// are moved along with it.
bool JsonReader::refill(const char*& keep) {
  const auto ahead = p_ - keep;
  input_.consume(static_cast<std::size_t>(keep - input_.window().data()));
  const bool got_more = input_.more();
  keep = input_.window().data();
  p_ = keep + ahead;
  end_ = keep + input_.window().size();
  if (!got_more && input_.error() && !error_) error_ = *input_.error();
  return got_more;
}

// Makes sure that a short token at p_ is in memory as a whole.
bool JsonReader::ensure(std::size_t count) {
  while (static_cast<std::size_t>(end_ - p_) < count) {
    const char* keep = p_;
    if (!refill(keep)) return !error_;
  }
  return true;
}

// The first character that is no white space, which p_ then points at; 0 at
// the end of the input or at an error.
char JsonReader::first_char() {
  for (;;) {
    while (p_ != end_) {
      const char c = *p_;
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
      if (c == '\n') {
        if (stays_on_line_) return c;
        input_.line_begins(
            static_cast<std::size_t>(p_ + 1 - input_.window().data()));
      }
      ++p_;
    }
    if (error_) return '\0';
    const char* keep = p_;
    if (!refill(keep)) return '\0';
  }
}

JsonReader::Kind JsonReader::peek() {
  const char c = first_char();
  return error_ ? Kind::None : kind_at(c);
}

bool JsonReader::fail_at(const char* where, std::string what,
                         std::string hint) {
  if (!error_)
    error_ = input_.error_at(where, std::move(what), std::move(hint));
  p_ = end_;
  return false;
}

bool JsonReader::fail(std::string what, std::string hint) {
  const std::string_view window = input_.window();
  const std::uint64_t start = input_.offset();
  const char* where = window.data();
  if (last_ >= start)
    where += std::min<std::uint64_t>(last_ - start, window.size());
  else
    where -= std::min<std::uint64_t>(start - last_, input_.behind());
  return fail_at(where, std::move(what), std::move(hint));
}

bool JsonReader::fail_expected(std::string_view what) {
  const char c = first_char();
  if (error_) return false;
  if (c == '\n')
    return fail_at(p_,
                   "expected " + std::string(what) + " but the line ends here",
                   "a record must be on one line");
  if (c == 'N' || c == 'I')
    return fail_at(
        p_, "expected " + std::string(what) + " but found NaN or an infinity");
  return fail_at(p_, "expected " + std::string(what) + " but found " +
                         (p_ == end_ ? "the end of the file" : name_of(c)));
}

bool JsonReader::enter_array() {
  if (first_char() != '[') return fail_expected("an array");
  last_ = input_.offset_of(p_);
  ++p_;
  return is_first_ = true;
}

JsonReader::Skipped JsonReader::skip_known(const ListText& list) {
  const auto known =
      list.beginning_of({p_, static_cast<std::size_t>(end_ - p_)});
  if (known.is_whole) {
    p_ += known.bytes + 1;
    is_first_ = false;
    return {known.elements, true};
  }
  if (known.bytes == 0 || p_[known.bytes] != ',') return {};
  p_ += known.bytes;
  is_first_ = false;
  return {known.elements, false};
}

std::string_view JsonReader::text_since(std::uint64_t from) const {
  const std::uint64_t length = offset() - from;
  const auto in_window = static_cast<std::size_t>(p_ - input_.window().data());
  if (length > in_window + input_.behind()) return {};
  return {p_ - length, static_cast<std::size_t>(length)};
}

bool JsonReader::enter_object() {
  if (first_char() != '{') return fail_expected("an object");
  last_ = input_.offset_of(p_);
  ++p_;
  return is_first_ = true;
}

bool JsonReader::next_element() {
  const char c = first_char();
  if (c == ']') {
    ++p_;
    return is_first_ = false;
  }
  if (is_first_) {
    is_first_ = false;
    return c != '\0' || fail_expected("a value or ']'");
  }
  if (c != ',') return fail_expected("',' or ']'");
  ++p_;
  return true;
}

bool JsonReader::next_member(std::string_view& name) {
  const char c = first_char();
  if (c == '}') {
    ++p_;
    return is_first_ = false;
  }
  if (is_first_) {
    is_first_ = false;
    if (c != '"') return fail_expected("a name in quotes or '}'");
  } else {
    if (c != ',') return fail_expected("',' or '}'");
    ++p_;
    if (first_char() != '"') return fail_expected("a name in quotes");
  }
  if (!read_string(name)) return false;
  // The name may be moved by what follows; a colon right behind it is common.
  if (p_ != end_ && *p_ == ':') return ++p_, true;
  if (name.data() != scratch_.data()) scratch_.assign(name);
  name = scratch_;
  if (first_char() != ':') return fail_expected("':'");
  ++p_;
  return true;
}

bool JsonReader::read_string(std::string_view& text) {
  if (first_char() != '"') return fail_expected("a string");
  last_ = input_.offset_of(p_);
  const char* first = p_;
  ++p_;
  for (;;) {
    while (p_ != end_) {
      const char c = *p_;
      if (c == '"') {
        text = {first + 1, static_cast<std::size_t>(p_ - first - 1)};
        ++p_;
        return true;
      }
      if (c == '\\') return read_escaped(first + 1, text);
      if (static_cast<unsigned char>(c) < 0x20)
        return fail_at(p_,
                       c == '\n' ? "the string has no closing quote"
                                 : "a control character in a string",
                       c == '\n' ? "" : "write it as \\u00..");
      ++p_;
    }
    if (static_cast<std::size_t>(end_ - first) > kMaxString)
      return fail_at(p_, "the string is longer than 2 GB");
    if (!refill(first))
      return error_ ? false : fail_at(first, "the string has no closing quote");
  }
}

// The rest of a string from its first backslash; [first, p_) is taken as it is.
bool JsonReader::read_escaped(const char* first, std::string_view& text) {
  scratch_.assign(first, p_);
  for (;;) {
    if (!ensure(2 * 6)) return false;  // two escapes
    if (p_ == end_) return fail("the string has no closing quote");
    const char c = *p_;
    if (c == '"') {
      ++p_;
      text = scratch_;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20)
      return fail_at(p_, "a control character in a string",
                     "write it as \\u00..");
    if (c == '\\') {
      if (!read_escape()) return false;
      continue;
    }
    scratch_ += c;
    ++p_;
    if (scratch_.size() > kMaxString)
      return fail_at(p_, "the string is longer than 2 GB");
  }
}

bool JsonReader::read_escape() {
  const char* const start = p_;
  ++p_;
  if (p_ == end_) return fail("the string has no closing quote");
  const char c = *p_++;
  switch (c) {
    case '"':
    case '\\':
    case '/': scratch_ += c; return true;
    case 'b': scratch_ += '\b'; return true;
    case 'f': scratch_ += '\f'; return true;
    case 'n': scratch_ += '\n'; return true;
    case 'r': scratch_ += '\r'; return true;
    case 't': scratch_ += '\t'; return true;
    case 'u': break;
    default: return fail_at(start, "an unknown escape in a string");
  }
  std::uint32_t unit = 0;
  if (!read_hex(unit)) return fail_at(start, "\\u needs four hex digits");
  if (unit >= 0xd800 && unit < 0xdc00) {
    std::uint32_t low = 0;
    if (end_ - p_ < 2 || p_[0] != '\\' || p_[1] != 'u' ||
        (p_ += 2, !read_hex(low)) || low < 0xdc00 || low > 0xdfff)
      return fail_at(start, "half a surrogate pair in a string");
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  } else if (unit >= 0xdc00 && unit < 0xe000) {
    return fail_at(start, "half a surrogate pair in a string");
  }
  append_utf8(scratch_, unit);
  return true;
}

bool JsonReader::read_hex(std::uint32_t& unit) {
  if (end_ - p_ < 4) return false;
  for (int i = 0; i < 4; ++i) {
    const char c = *p_++;
    const int digit = is_digit(c)              ? c - '0'
                      : (c >= 'a' && c <= 'f') ? c - 'a' + 10
                      : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                               : -1;
    if (digit < 0) return false;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return true;
}

bool JsonReader::read_integer(bool& is_negative, std::uint64_t& magnitude) {
  const char c = first_char();
  if (c != '-' && !is_digit(c)) return fail_expected("an integer");
  if (!ensure(kLongestToken)) return false;
  last_ = input_.offset_of(p_);
  const char* const first = p_;
  is_negative = c == '-';
  if (is_negative) ++p_;
  const char* const digits = p_;
  magnitude = 0;
  bool fits = true;
  for (; p_ != end_ && is_digit(*p_); ++p_) {
    const auto digit = static_cast<std::uint64_t>(*p_ - '0');
    fits =
        fits && (p_ - digits < 19 ||
                 (p_ - digits == 19 && magnitude <= (UINT64_MAX - digit) / 10));
    magnitude = magnitude * 10 + digit;
  }
  if (p_ == digits) return fail_at(first, "a '-' without digits");
  if (*digits == '0' && p_ - digits > 1)
    return fail_at(first, "a number with a leading zero");
  if (p_ != end_ && (*p_ == '.' || *p_ == 'e' || *p_ == 'E'))
    return fail_at(first, "expected an integer but found a fraction",
                   "numbers are integers from -2^63 to 2^64-1");
  if (is_negative && magnitude > std::uint64_t{1} << 63) fits = false;
  if (!fits)
    return fail_at(first, "an integer out of range",
                   "integers go from -2^63 to 2^64-1; longer ones can be "
                   "strings");
  return true;
}

bool JsonReader::read_int64(std::int64_t& value) {
  bool is_negative = false;
  std::uint64_t magnitude = 0;
  if (!read_integer(is_negative, magnitude)) return false;
  if (!is_negative && magnitude > INT64_MAX)
    return fail("an integer out of range", "at most 2^63-1 is possible here");
  value = static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude);
  return true;
}

bool JsonReader::read_atom(AtomTable& atoms, Atom& atom) {
  const char c = first_char();
  if (c == '"') {
    std::string_view text;
    if (!read_string(text)) return false;
    atom = atoms.of_string(text);
    return true;
  }
  if (c == '-' || is_digit(c)) {
    bool is_negative = false;
    std::uint64_t magnitude = 0;
    if (!read_integer(is_negative, magnitude)) return false;
    atom = is_negative ? atoms.of_int(static_cast<std::int64_t>(0 - magnitude))
                       : atoms.of_uint(magnitude);
    return true;
  }
  if (c != 'n') return fail_expected("an integer, a string or null");
  atom = Atom::null();
  return read_null();
}

bool JsonReader::read_word(std::string_view word) {
  if (!ensure(kLongestToken)) return false;
  last_ = input_.offset_of(p_);
  const std::string_view there(p_, static_cast<std::size_t>(end_ - p_));
  if (!there.starts_with(word)) return fail_at(p_, "an unknown word");
  p_ += word.size();
  return true;
}

bool JsonReader::read_null() {
  return first_char() == 'n' ? read_word("null") : fail_expected("null");
}

bool JsonReader::read_bool(bool& value) {
  const char c = first_char();
  if (c != 't' && c != 'f') return fail_expected("true or false");
  value = c == 't';
  return read_word(value ? "true" : "false");
}

bool JsonReader::skip_number() {
  if (!ensure(kLongestToken)) return false;
  last_ = input_.offset_of(p_);
  const auto is_part = [](char c) {
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' ||
           c == 'E';
  };
  const char* const first = p_;
  while (p_ != end_ && is_part(*p_)) ++p_;
  if (p_ == end_ && p_ - first >= static_cast<std::ptrdiff_t>(kLongestToken))
    return fail_at(first, "a number with too many digits");
  return true;
}

bool JsonReader::skip_value() {
  std::vector<bool> is_array;  // the containers that are open
  bool is_inside = false;      // something was entered and not yet left
  do {
    if (is_inside) {
      std::string_view name;
      const bool goes_on = is_array.back() ? next_element() : next_member(name);
      if (!ok()) return false;
      if (!goes_on) {
        is_array.pop_back();
        is_inside = !is_array.empty();
        continue;
      }
    }
    bool flag = false;
    std::string_view text;
    switch (peek()) {
      case Kind::Object:
      case Kind::Array:
        if (is_array.size() == kMaxDepth)
          return fail_at(p_, "nested deeper than 1000 levels");
        is_array.push_back(*p_ == '[');
        is_inside = is_array.back() ? enter_array() : enter_object();
        break;
      case Kind::String: read_string(text); break;
      case Kind::Number: skip_number(); break;
      case Kind::Bool: read_bool(flag); break;
      case Kind::Null: read_null(); break;
      case Kind::End:
      case Kind::None: return fail_expected("a value");
    }
  } while (ok() && is_inside);
  return ok();
}

bool JsonReader::end_of_line() {
  const char c = first_char();
  if (c != '\n' && c != '\0') return fail_expected("the end of the line");
  stays_on_line_ = false;
  return ok();
}

bool JsonReader::end_of_input() {
  if (first_char() != '\0') return fail_expected("the end of the file");
  return ok();
}

}  // namespace txscope::read
