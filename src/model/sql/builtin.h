#pragma once

#include <cstdint>

namespace txscope::sql {

/// Functions and operators of PostgreSQL that compute a value from values.
/// Their arguments' types were settled by the front end; where it matters the
/// evaluator looks at the types of the operands.
enum class Builtin : std::uint16_t {
  // Texts.
  Trim,  ///< text [, characters]: both ends
  TrimLeft,
  TrimRight,
  Left,  ///< text, count
  Right,
  Substring,  ///< text, from [, count]
  Position,   ///< text, part
  Replace,
  Concat,    ///< any values; NULLs are left out
  ConcatWs,  ///< separator, any values
  Format,    ///< format, any values: %s, %I, %L, %%
  PadLeft,   ///< text, length [, fill]
  PadRight,
  Repeat,
  Reverse,
  InitCap,
  SplitPart,
  Md5,
  StartsWith,
  Ascii,
  Chr,
  OctetLength,
  Translate,
  QuoteLiteral,
  QuoteIdent,
  HashText,          ///< hashtext(): PostgreSQL's hash of a text
  HashTextExtended,  ///< text, seed
  QuoteNullable,
  Encode,       ///< bytea, format
  Decode,       ///< text, format
  Digest,       ///< text or bytea, name of a method: bytea
  Hmac,         ///< text, key, name of a method: bytea
  GetByte,      ///< bytea, position from 0
  SetByte,      ///< bytea, position from 0, byte
  ConvertTo,    ///< text, encoding: bytea
  ConvertFrom,  ///< bytea, encoding: text
  NumberBytes,  ///< of a bigint, the highest first: bytea
  UuidBytes,
  BitsToNumber,  ///< text, count, result in how many bits: bit(count)::bigint
  FormatNumber,  ///< to_char(number, format)
  ToHex,
  // Numbers.
  Trunc,  ///< numeric [, digits] or double
  Power,
  Sqrt,
  Sign,
  Exp,
  Ln,
  BitAnd,  ///< of integers: & | # << >> ~
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  BitNot,
  Log10,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Degrees,
  Radians,
  Gcd,
  Lcm,
  Div,
  // Times.
  Extract,   ///< field, value: numeric
  DatePart,  ///< the same as double
  DateTrunc,
  Age,
  MakeInterval,
  MakeDate,
  ToTimestamp,
  ToChar,
  AtTimeZone,     ///< zone, value: between timestamp and timestamptz
  Overlaps,       ///< start, end, start, end, of one type
  DateBin,        ///< step, time, origin
  MakeTime,       ///< hour, minute, second
  MakeTimestamp,  ///< year, month, day, hour, minute, second
  JustifyHours,
  JustifyDays,
  // JSON.
  BuildObject,  ///< name, value, ...
  BuildArray,
  ToJson,
  RowToJson,  ///< name, value, ...: as row_to_json writes it
  JsonField,  ///< json, name or position
  JsonFieldText,
  JsonPath,  ///< json, text[]
  JsonPathText,
  JsonConcat,
  JsonHas,
  JsonContains,
  JsonLength,
  JsonTypeOf,
  JsonRemove,
  JsonPretty,
  JsonStripNulls,
  JsonHasAny,      ///< json, text[]
  JsonHasAll,      ///< the same
  JsonDeletePath,  ///< json, text[]
  JsonSet,         ///< json, text[], json [, boolean]
  // Arrays.
  MakeArray,
  ArrayItem,   ///< array, position
  ArraySlice,  ///< array, from, to
  ArrayLength,
  Cardinality,
  ArrayAppend,
  ArrayPrepend,
  ArrayCat,
  ArrayPosition,
  ArrayRemove,
  ArraySet,  ///< array, position, value: array[position] := value
  ArrayToString,
  StringToArray,
  ArrayContains,
  ArrayOverlaps,
  EqualsAny,  ///< value, array: = ANY
  LessAny,    ///< <, <=, >, >= ANY: value, array
  LessEqualAny,
  GreaterAny,
  GreaterEqualAny,
  NotEqualAny,
  EqualsAll,
  LessAll,
  LessEqualAll,
  GreaterAll,
  GreaterEqualAll,
  ArrayPositions,
  ArrayReplace,
  ArrayLower,
  ArrayFill,    ///< value, length
  NotEqualAll,  ///< value, array: <> ALL
  // Ranges.
  MakeRange,  ///< lower, upper [, bounds]
  RangeLower,
  RangeUpper,
  RangeIsEmpty,
  RangeLowerIn,    ///< lower_inc
  RangeUpperIn,    ///< upper_inc
  RangeLowerOpen,  ///< lower_inf
  RangeUpperOpen,  ///< upper_inf
  RangeHas,        ///< range, element
  RangeContains,   ///< range, range
  RangeOverlaps,
  RangeBefore,  ///< <<
  // Rows.
  MakeRow,
  RowField,      ///< row, position
  RowIsNull,     ///< it is, or all its fields are
  RowIsNotNull,  ///< none of its fields is
  // Others.
  NumNulls,
  Matches,         ///< text, regular expression: ~
  MatchesAnyCase,  ///< ~*
  RegexReplace,    ///< text, regular expression, new text [, flags]
  RegexMatch,      ///< text, regular expression [, flags]: text[]
  RegexSplit,      ///< the same
  NextNumber,      ///< nextval(): the next number of the sequence (a constant)
  CurrentNumber,   ///< currval(): the last one that it gave to the session
  LastNumber,      ///< lastval(): so, of whichever sequence was asked last
  FreshUuid,       ///< gen_random_uuid(): made of such a number
  Random,          ///< random(): so, too
  Nothing,         ///< NULL of type void: pg_notify(), pg_sleep()
  Setting,         ///< of the session: number of Application::settings
};

/// Another value at every call.
[[nodiscard]] constexpr bool is_volatile(Builtin function) {
  return function >= Builtin::NextNumber && function <= Builtin::Random;
}

/// What it gives is not decided by its arguments.
[[nodiscard]] constexpr bool is_of_session(Builtin function) {
  return is_volatile(function) || function == Builtin::Setting;
}

/// Takes a number from a sequence, its first argument.
[[nodiscard]] constexpr bool takes_number(Builtin function) {
  return is_volatile(function) && function != Builtin::CurrentNumber &&
         function != Builtin::LastNumber;
}

/// NULL if one of the arguments is.
[[nodiscard]] constexpr bool is_strict(Builtin function) {
  switch (function) {
    case Builtin::Overlaps:
    case Builtin::Concat:
    case Builtin::ConcatWs:
    case Builtin::Format:
    case Builtin::BuildObject:
    case Builtin::BuildArray:
    case Builtin::RowToJson:
    case Builtin::MakeArray:
    case Builtin::ArrayAppend:
    case Builtin::ArrayPrepend:
    case Builtin::ArrayCat:
    case Builtin::ArrayRemove:
    case Builtin::ArraySet:
    case Builtin::ArrayPosition:
    case Builtin::ArrayToString:
    case Builtin::StringToArray:
    case Builtin::EqualsAny:
    case Builtin::LessAny:
    case Builtin::LessEqualAny:
    case Builtin::GreaterAny:
    case Builtin::GreaterEqualAny:
    case Builtin::NotEqualAny:
    case Builtin::EqualsAll:
    case Builtin::LessAll:
    case Builtin::LessEqualAll:
    case Builtin::GreaterAll:
    case Builtin::GreaterEqualAll:
    case Builtin::ArrayPositions:
    case Builtin::ArrayReplace:
    case Builtin::ArrayFill:
    case Builtin::QuoteNullable:
    case Builtin::MakeRow:
    case Builtin::RowIsNull:
    case Builtin::RowIsNotNull:
    case Builtin::NotEqualAll:
    case Builtin::MakeRange:
    case Builtin::NumNulls:
    case Builtin::Nothing: return false;
    default: return true;
  }
}

}  // namespace txscope::sql
