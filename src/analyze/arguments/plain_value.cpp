#include "analyze/arguments/plain_value.h"

#include <array>
#include <string>
#include <vector>

#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "model/sql/value/composite.h"
#include "model/sql/value/enumeration.h"

namespace txscope::analyze {
namespace {

using sql::TypeName;
using sql::Value;

std::string letter(std::int64_t number) {
  constexpr std::int64_t kLetters = 26;
  return {static_cast<char>('a' + (number + kLetters - 1) % kLetters)};
}

/// Twelve digits of a number, as the last group of a UUID.
std::string twelve_digits(std::int64_t number) {
  constexpr std::size_t kDigits = 12;
  std::string digits = std::to_string(number < 0 ? 0 : number);
  if (digits.size() > kDigits) digits.resize(kDigits);
  return std::string(kDigits - digits.size(), '0') + digits;
}

/// What PostgreSQL reads as a value of the type.
std::string written(const sql::Type& type, std::int64_t number) {
  switch (type.name) {
    case TypeName::Uuid:
      return "00000000-0000-4000-8000-" + twelve_digits(number);
    case TypeName::Bytea: return "\\x" + twelve_digits(number);
    case TypeName::Json:
    case TypeName::Jsonb: return "{}";
    case TypeName::Time:
      return "0" + std::to_string(number % 10) + ":00";  // an hour each
    case TypeName::Interval: return std::to_string(number) + " days";
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Char: return letter(number);
    default: return std::to_string(number);
  }
}

std::optional<Value> range_value(const sql::Type& type, std::int64_t number) {
  const auto from = plain_value(element_of(type), number);
  const auto to = plain_value(element_of(type), number + 1);
  if (!from || !to) return std::nullopt;
  return Value::text("[\"" + to_string(*from) + "\",\"" + to_string(*to) +
                     "\")");
}

std::optional<Value> row_value(const sql::Type& type, std::int64_t number) {
  std::vector<Value> fields;
  for (const auto& [name, field] : composite(type).fields)
    fields.push_back(plain_value(field, number).value_or(Value()));
  return Value::row(fields);
}

std::optional<Value> unconverted(const sql::Type& type, std::int64_t number) {
  switch (type.name) {
    case TypeName::Boolean: return Value::boolean(number % 2 != 0);
    case TypeName::Date: return Value::date(number);
    case TypeName::Timestamp: return Value::timestamp(number * 1'000'000);
    case TypeName::TimestampTz: return Value::timestamptz(number * 1'000'000);
    case TypeName::Enum: {
      const auto& labels = sql::enumeration(type.of).labels;
      if (labels.empty()) return std::nullopt;
      const auto at =
          static_cast<std::size_t>(number < 1 ? 0 : number - 1) % labels.size();
      return Value::text(labels[at]);
    }
    case TypeName::Array: {
      const auto item = plain_value(element_of(type), number);
      if (!item) return std::nullopt;
      return Value::array(std::array<Value, 1>{*item});
    }
    case TypeName::Range: return range_value(type, number);
    case TypeName::Composite: return row_value(type, number);
    case TypeName::Unknown:
    case TypeName::Void: return std::nullopt;
    default: return Value::text(written(type, number));
  }
}

}  // namespace

std::optional<Value> plain_value(const sql::Type& type, std::int64_t number) {
  const auto value = unconverted(type, number);
  if (!value) return std::nullopt;
  sql::Halt halt;
  const Value made = sql::cast(*value, type, sql::CastContext::Explicit, halt);
  if (halt.is_set()) return std::nullopt;
  return made;
}

}  // namespace txscope::analyze
