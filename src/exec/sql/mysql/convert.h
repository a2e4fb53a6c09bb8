#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exec/sql/query/halt.h"
#include "model/sql/mysql/types.h"
#include "model/sql/value/value.h"

namespace txscope::sql::mysql {

enum class Conversion : std::uint8_t {
  Cast,    ///< what does not fit is made to, what makes no sense is NULL or 0
  Assign,  ///< ... is an error: 1264, 1265, 1292, 1366, 1406
  Loose,   ///< into a column without strict mode: 0, the nearest, cut
};

/// A value as one of another type; NULL stays NULL.
[[nodiscard]] Value convert(const Value& value, const Type& type,
                            Conversion how, Halt& halt);

/// A number that a text begins with, the rest, and whether there is one.
struct Leading {
  double number = 0;
  std::string_view digits;  ///< as it is written
  std::string_view rest;
  [[nodiscard]] bool exists() const { return !digits.empty(); }
  /// Nothing but spaces behind it.
  [[nodiscard]] bool is_whole() const {
    return exists() && rest.find_first_not_of(" \t\n\r\v\f") == rest.npos;
  }
};
[[nodiscard]] Leading leading(std::string_view text, bool with_exponent = true);

/// Any value as a number of 53 bits.
[[nodiscard]] double real_of(const Value& value);
/// An exact number or an integer, as Numeric.
[[nodiscard]] Value exact_of(const Value& value, Halt& halt);
/// As an unsigned number of 64 bits, wrapped or at its end.
[[nodiscard]] std::uint64_t bits_of(const Value& value, Halt& halt);
/// By how many places << and >> move: reals to the nearest even number, of
/// texts the integer that they begin with.
[[nodiscard]] std::uint64_t places_of(const Value& value, Halt& halt);
/// As MySQL writes it.
[[nodiscard]] std::string text_of(const Value& value);
/// So, with as many decimals of a second as the type has.
[[nodiscard]] std::string text_of(const Value& value, const Type& type);

/// A moment that a text or a number says; nothing: it says none.
struct Moment {
  std::int64_t days = 0;    ///< since 2000-01-01
  std::int64_t micros = 0;  ///< of the day
  bool is_zero = false;     ///< 0000-00-00
  bool has_clock = false;   ///< more than a date was written
};
[[nodiscard]] std::optional<Moment> moment_of(const Value& value);
/// A time of day or a span of time, in microseconds.
[[nodiscard]] std::optional<std::int64_t> clock_of(const Value& value);
[[nodiscard]] Value value_of(const Moment& moment, const Type& type);
/// What a text says by a format of DATE_FORMAT; nothing: it is not so.
[[nodiscard]] std::optional<Moment> parse_moment(std::string_view text,
                                                 std::string_view format);

}  // namespace txscope::sql::mysql
