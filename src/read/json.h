#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/atom.h"
#include "read/input.h"
#include "read/list_text.h"

namespace txscope::read {

/// Reads JSON (RFC 8259) from an Input as the caller asks for it, so that a
/// document is never in memory as a whole and integers stay exact.
///
///     if (!json.enter_array()) return json.error();
///     while (json.next_element()) {
///       std::int64_t value;
///       if (!json.read_int64(value)) break;
///     }
///     if (!json.ok()) return json.error();
///
/// The first mistake is kept, with its place; from then on every call returns
/// false, so a caller may look at ok() as late as it likes.  Views of strings
/// are valid until the next call.
class JsonReader {
 public:
  enum class Kind : std::uint8_t {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
    End,   ///< of the input
    None,  ///< nothing that begins a value, or an earlier error
  };
  static constexpr std::size_t kMaxDepth = 1000;

  explicit JsonReader(Input& input);

  [[nodiscard]] bool ok() const { return !error_; }
  [[nodiscard]] const Error& error() const { return *error_; }

  /// The kind of the value that comes next.
  [[nodiscard]] Kind peek();

  bool enter_array();
  /// True if an element follows; false after the last, which leaves the array.
  bool next_element();
  /// Right after enter_array(), where much the same array comes again and
  /// again: skips a whole array that is a prefix of what is known, which
  /// leaves the array, or all that is known and goes on behind that, or
  /// nothing.
  struct Skipped {
    std::size_t elements = 0;
    bool is_over = false;  ///< the array was left
  };
  Skipped skip_known(const ListText& known);
  /// Where the next character is, for text_since().
  [[nodiscard]] std::uint64_t offset() const { return input_.offset_of(p_); }
  /// What was read from there on, or nothing if it is no longer in memory.
  [[nodiscard]] std::string_view text_since(std::uint64_t offset) const;

  bool enter_object();
  /// True if a member follows, whose value is to be read next; false after
  /// the last, which leaves the object.
  bool next_member(std::string_view& name);

  bool read_string(std::string_view& text);
  bool read_bool(bool& value);
  bool read_null();
  bool read_int64(std::int64_t& value);
  /// An integer (-2^63 .. 2^64-1), a string or null.
  bool read_atom(AtomTable& atoms, Atom& atom);
  /// Whatever value comes next, nested no deeper than kMaxDepth.
  bool skip_value();

  /// From here on a value must not go beyond its line, until end_of_line().
  void stay_on_line() { stays_on_line_ = true; }
  /// Nothing but blanks may follow on this line.
  bool end_of_line();
  /// Nothing but white space may follow.
  bool end_of_input();

  [[nodiscard]] std::uint64_t line() const { return input_.line(); }
  /// An error at the beginning of what was read last.  Returns false.
  bool fail(std::string what, std::string hint = "");
  /// The error of something found out later, at what was read last.
  bool fail(const Error& late) { return fail(late.what, late.hint); }

 private:
  [[nodiscard]] char first_char();
  bool refill(const char*& keep);
  bool ensure(std::size_t count);
  bool fail_at(const char* where, std::string what, std::string hint = "");
  bool fail_expected(std::string_view what);
  bool read_escaped(const char* first, std::string_view& text);
  bool read_escape();
  bool read_hex(std::uint32_t& unit);
  bool read_integer(bool& is_negative, std::uint64_t& magnitude);
  bool read_word(std::string_view word);
  bool skip_number();

  Input& input_;
  const char* p_;
  const char* end_;
  std::uint64_t last_ = 0;  // offset of what was read last
  bool is_first_ = false;   // an array or object was just entered
  bool stays_on_line_ = false;
  std::string scratch_;
  std::optional<Error> error_;
};

}  // namespace txscope::read
