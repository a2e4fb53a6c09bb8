#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace txscope::sql::mysql {

/// Of Op::Builtin: those with a smaller number are Builtin's.
inline constexpr std::uint16_t kFirstMysql = 1000;
[[nodiscard]] constexpr bool is_of_mysql(std::uint32_t function) {
  return function >= kFirstMysql;
}

/// Functions and operators of MySQL and MariaDB that are not those of SQL: as
/// Op::Builtin, `index` is one of these.  Operands have been converted to what
/// a function takes (typing.h); the type of the expression says of which type
/// the value is.
enum class Function : std::uint16_t {
  Convert = kFirstMysql,  ///< any value as one of the expression's type
  Assign,                 ///< so, into a column, in strict mode
  AssignLoose,            ///< what does not fit is made to
  Compared,               ///< Convert, for a comparison: no moment is the first
  ConvertOrFail,  ///< Convert in what writes: a text is all number, else 1292
  FitBig,         ///< a number of BIGINT UNSIGNED, else error 1690
  Divide,         ///< by 0: NULL
  DivideOrFail,   ///< by 0: error 1365, in what writes
  IntDivide,
  IntDivideOrFail,
  Modulo,
  ModuloOrFail,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  BitNot,
  BitCount,
  Xor,
  Like,    ///< text, pattern [, escape]
  Regexp,  ///< text, pattern
  // Texts.
  SortKey,  ///< equal for texts that are equal by their collation
  Concat,
  ConcatWs,
  Length,  ///< in bytes
  CharLength,
  Lower,
  Upper,
  Left,
  Right,
  Substring,
  SubstringIndex,
  Locate,  ///< part, text [, from]
  Instr,   ///< text, part
  Replace,
  PadLeft,
  PadRight,
  Trim,  ///< text [, what]
  TrimLeft,
  TrimRight,
  Repeat,
  Reverse,
  Space,
  Ascii,
  Char,
  Strcmp,
  Field,
  Elt,
  FindInSet,
  Insert,  ///< text, from, count, what
  Hex,
  Unhex,
  Md5,
  Sha1,
  Sha2,
  Crc32,
  Quote,
  Format,  ///< number, decimals
  Bin,
  ToBase64,
  InetAton,
  // Numbers.
  Round,  ///< number [, decimals]
  Truncate,
  Floor,
  Ceil,
  Abs,
  Sign,
  Power,
  Sqrt,
  Exp,
  Ln,
  Log2,
  Log10,
  Greatest,  ///< NULL if an operand is
  Least,
  // Times.
  Year,
  Month,
  Day,
  Hour,
  Minute,
  Second,
  Microsecond,
  Quarter,
  DayOfWeek,
  Weekday,
  DayOfYear,
  Week,
  YearWeek,
  DayName,
  MonthName,
  LastDay,
  ToDays,
  FromDays,
  MakeDate,
  DateAdd,  ///< time, amount, unit
  DateSub,
  DateDiff,
  TimestampDiff,  ///< unit, time, time
  DateFormat,
  StrToDate,  ///< text, format
  UnixTimestamp,
  FromUnixtime,
  SecToTime,
  TimeToSec,
  Extract,  ///< unit, time
  // JSON, as texts.
  JsonExtract,
  JsonUnquote,
  JsonValue,
  JsonObject,
  JsonArray,
  JsonValid,
  JsonLength,
  JsonType,
  JsonContains,
  JsonQuote,
};

/// What the operands of a function become, one letter each; the last one is
/// that of all further ones: t text, i integer, n number, f double, d DATE or
/// DATETIME, D DATE, T TIME, b truth value, a as they are, c of one type.
struct FunctionRow {
  std::string_view name;  ///< in lower case
  Function function;
  std::uint8_t least = 0;
  std::uint8_t most = 0;  ///< 255: any number
  std::string_view operands;
  /// And the result: t text of the operands' collation, m of the connection's,
  /// x bytes, i BIGINT, u BIGINT UNSIGNED, f double, n as the first operand, c
  /// as all operands, D DATE, E DATETIME, T TIME, b truth value.
  char result = 'i';
};

[[nodiscard]] const FunctionRow* find_function(std::string_view name,
                                               std::size_t operands);
/// Whether there is one with this name, whatever its operands.
[[nodiscard]] bool has_function(std::string_view name);

}  // namespace txscope::sql::mysql
