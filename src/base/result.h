#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace txscope {

/// A position in one of the user's files.  Text formats fill line and column
/// (both from 1); binary formats fill `offset`, in bytes from 0.
struct Place {
  std::string file;
  std::uint64_t line = 0;    ///< 0: no line is known
  std::uint32_t column = 0;  ///< 0: the line as a whole
  std::optional<std::uint64_t> offset;

  friend bool operator==(const Place&, const Place&) = default;
};

/// "file:line:column", "file: byte 17" or just "file".
[[nodiscard]] std::string to_string(const Place& place);

/// Something the user can repair.  Bugs of ours are assertions instead.
struct Error {
  Place where;
  std::string what;  ///< lower case, no full stop, names the culprit
  std::string hint;  ///< how to repair it; may be empty
  std::string
      source_line;  ///< the text of that line, for the caret; may be empty
  std::uint32_t caret = 0;  ///< the caret's column in source_line where that is
                            ///< only a part of the line; 0: where.column
};

/// A value, or the Error that prevented it; stands in for std::expected.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Result*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Result*>(this)->value(); }

  [[nodiscard]] const Error& error() const& {
    assert(!*this && "an error was asked of a Result that has a value");
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    assert(!*this && "an error was asked of a Result that has a value");
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  T& value() {
    assert(*this && "a value was asked of a Result that has an error");
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

/// The value of an operation that only succeeds or fails.
struct Done {};

}  // namespace txscope
