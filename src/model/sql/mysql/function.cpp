#include "model/sql/mysql/function.h"

#include <algorithm>
#include <array>

namespace txscope::sql::mysql {
namespace {

using F = Function;

constexpr auto kFunctions = std::to_array<FunctionRow>({
    {"xor", F::Xor, 2, 2, "b", 'b'},
    {"concat", F::Concat, 1, 255, "t", 't'},
    {"concat_ws", F::ConcatWs, 2, 255, "t", 't'},
    {"length", F::Length, 1, 1, "t", 'i'},
    {"octet_length", F::Length, 1, 1, "t", 'i'},
    {"char_length", F::CharLength, 1, 1, "t", 'i'},
    {"character_length", F::CharLength, 1, 1, "t", 'i'},
    {"lower", F::Lower, 1, 1, "t", 't'},
    {"lcase", F::Lower, 1, 1, "t", 't'},
    {"upper", F::Upper, 1, 1, "t", 't'},
    {"ucase", F::Upper, 1, 1, "t", 't'},
    {"left", F::Left, 2, 2, "ti", 't'},
    {"right", F::Right, 2, 2, "ti", 't'},
    {"substring", F::Substring, 2, 3, "ti", 't'},
    {"substr", F::Substring, 2, 3, "ti", 't'},
    {"mid", F::Substring, 2, 3, "ti", 't'},
    {"substring_index", F::SubstringIndex, 3, 3, "tti", 't'},
    {"locate", F::Locate, 2, 3, "tti", 'i'},
    {"position", F::Locate, 2, 2, "tt", 'i'},
    {"instr", F::Instr, 2, 2, "t", 'i'},
    {"replace", F::Replace, 3, 3, "t", 't'},
    {"lpad", F::PadLeft, 2, 3, "tit", 't'},
    {"rpad", F::PadRight, 2, 3, "tit", 't'},
    {"trim", F::Trim, 1, 2, "t", 't'},
    {"btrim", F::Trim, 1, 2, "t", 't'},
    {"ltrim", F::TrimLeft, 1, 2, "t", 't'},
    {"rtrim", F::TrimRight, 1, 2, "t", 't'},
    {"repeat", F::Repeat, 2, 2, "ti", 't'},
    {"reverse", F::Reverse, 1, 1, "t", 't'},
    {"space", F::Space, 1, 1, "i", 'm'},
    {"ascii", F::Ascii, 1, 1, "t", 'i'},
    {"char", F::Char, 1, 255, "i", 'x'},
    {"strcmp", F::Strcmp, 2, 2, "t", 'i'},
    {"field", F::Field, 2, 255, "c", 'i'},
    {"elt", F::Elt, 2, 255, "it", 't'},
    {"find_in_set", F::FindInSet, 2, 2, "t", 'i'},
    {"insert", F::Insert, 4, 4, "tiit", 't'},
    {"hex", F::Hex, 1, 1, "a", 'm'},
    {"unhex", F::Unhex, 1, 1, "t", 'x'},
    {"md5", F::Md5, 1, 1, "t", 'm'},
    {"sha", F::Sha1, 1, 1, "t", 'm'},
    {"sha1", F::Sha1, 1, 1, "t", 'm'},
    {"sha2", F::Sha2, 2, 2, "ti", 'm'},
    {"crc32", F::Crc32, 1, 1, "t", 'i'},
    {"quote", F::Quote, 1, 1, "t", 't'},
    {"format", F::Format, 2, 2, "ni", 'm'},
    {"bin", F::Bin, 1, 1, "t", 'm'},
    {"to_base64", F::ToBase64, 1, 1, "t", 'm'},
    {"inet_aton", F::InetAton, 1, 1, "t", 'i'},
    {"bit_count", F::BitCount, 1, 1, "a", 'i'},
    {"round", F::Round, 1, 2, "ni", 'n'},
    {"truncate", F::Truncate, 2, 2, "ni", 'n'},
    {"floor", F::Floor, 1, 1, "n", 'n'},
    {"ceil", F::Ceil, 1, 1, "n", 'n'},
    {"ceiling", F::Ceil, 1, 1, "n", 'n'},
    {"abs", F::Abs, 1, 1, "n", 'n'},
    {"sign", F::Sign, 1, 1, "n", 'i'},
    {"pow", F::Power, 2, 2, "f", 'f'},
    {"power", F::Power, 2, 2, "f", 'f'},
    {"sqrt", F::Sqrt, 1, 1, "f", 'f'},
    {"exp", F::Exp, 1, 1, "f", 'f'},
    {"ln", F::Ln, 1, 1, "f", 'f'},
    {"log", F::Ln, 1, 1, "f", 'f'},
    {"log2", F::Log2, 1, 1, "f", 'f'},
    {"log10", F::Log10, 1, 1, "f", 'f'},
    {"greatest", F::Greatest, 2, 255, "c", 'c'},
    {"least", F::Least, 2, 255, "c", 'c'},
    {"year", F::Year, 1, 1, "d", 'i'},
    {"month", F::Month, 1, 1, "d", 'i'},
    {"day", F::Day, 1, 1, "d", 'i'},
    {"dayofmonth", F::Day, 1, 1, "d", 'i'},
    {"hour", F::Hour, 1, 1, "T", 'i'},
    {"minute", F::Minute, 1, 1, "T", 'i'},
    {"second", F::Second, 1, 1, "T", 'i'},
    {"microsecond", F::Microsecond, 1, 1, "T", 'i'},
    {"quarter", F::Quarter, 1, 1, "d", 'i'},
    {"dayofweek", F::DayOfWeek, 1, 1, "d", 'i'},
    {"weekday", F::Weekday, 1, 1, "d", 'i'},
    {"dayofyear", F::DayOfYear, 1, 1, "d", 'i'},
    {"week", F::Week, 1, 2, "di", 'i'},
    {"yearweek", F::YearWeek, 1, 2, "di", 'i'},
    {"dayname", F::DayName, 1, 1, "d", 'm'},
    {"monthname", F::MonthName, 1, 1, "d", 'm'},
    {"last_day", F::LastDay, 1, 1, "d", 'D'},
    {"to_days", F::ToDays, 1, 1, "d", 'i'},
    {"from_days", F::FromDays, 1, 1, "i", 'D'},
    {"makedate", F::MakeDate, 2, 2, "i", 'D'},
    {"datediff", F::DateDiff, 2, 2, "d", 'i'},
    {"timestampdiff", F::TimestampDiff, 3, 3, "add", 'i'},
    {"date_format", F::DateFormat, 2, 2, "dt", 'm'},
    {"str_to_date", F::StrToDate, 2, 2, "t", 'E'},
    {"unix_timestamp", F::UnixTimestamp, 1, 1, "d", 'i'},
    {"from_unixtime", F::FromUnixtime, 1, 1, "i", 'E'},
    {"sec_to_time", F::SecToTime, 1, 1, "i", 'T'},
    {"time_to_sec", F::TimeToSec, 1, 1, "T", 'i'},
    {"extract", F::Extract, 2, 2, "ad", 'i'},
    {"json_extract", F::JsonExtract, 2, 2, "t", 'm'},
    {"json_query", F::JsonExtract, 2, 2, "t", 'm'},
    {"json_value", F::JsonValue, 2, 2, "t", 'm'},
    {"json_unquote", F::JsonUnquote, 1, 1, "t", 'm'},
    {"json_object", F::JsonObject, 0, 255, "a", 'm'},
    {"json_array", F::JsonArray, 0, 255, "a", 'm'},
    {"json_valid", F::JsonValid, 1, 1, "t", 'b'},
    {"json_length", F::JsonLength, 1, 2, "t", 'i'},
    {"json_type", F::JsonType, 1, 1, "t", 'm'},
    {"json_contains", F::JsonContains, 2, 3, "t", 'b'},
    {"json_quote", F::JsonQuote, 1, 1, "t", 'm'},
});

}  // namespace

const FunctionRow* find_function(std::string_view name, std::size_t operands) {
  const auto* row =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& r) {
        return r.name == name && operands >= r.least &&
               (r.most == 255 || operands <= r.most);
      });
  return row == kFunctions.end() ? nullptr : row;
}

bool has_function(std::string_view name) {
  return std::any_of(kFunctions.begin(), kFunctions.end(),
                     [&](const FunctionRow& row) { return row.name == name; });
}

}  // namespace txscope::sql::mysql
