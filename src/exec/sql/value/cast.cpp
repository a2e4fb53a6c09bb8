#include "exec/sql/value/cast.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "exec/sql/mysql/convert.h"
#include "exec/sql/value/date.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/read_text.h"
#include "exec/sql/value/real.h"
#include "exec/sql/value/text.h"
#include "exec/sql/value/times.h"
#include "model/sql/value/calendar.h"
#include "model/sql/value/composite.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

Value undefined(const Value& value, const Type& type, Halt& halt) {
  return halt.raise_ours("a cast of " + to_string(value) + " to " +
                         to_string(type));
}

Value to_integer(const Value& v, const Type& type, Halt& halt) {
  switch (v.kind()) {
    case Kind::Bool:
    case Kind::Integer: return fit_integer(v.integer(), type.name, halt);
    case Kind::Text: return read_text(v, type, halt);
    case Kind::Numeric: {
      const Int128 digits = round_numeric(v, 0, halt).digits();
      if (digits < std::numeric_limits<std::int64_t>::min() ||
          digits > std::numeric_limits<std::int64_t>::max())
        return halt.raise("22003", to_string(type) + " out of range");
      return fit_integer(static_cast<std::int64_t>(digits), type.name, halt);
    }
    case Kind::Float: {
      const double whole = std::rint(v.real());
      if (!(whole >= -9223372036854775808.0 && whole < 9223372036854775808.0))
        return halt.raise("22003", to_string(type) + " out of range");
      return fit_integer(static_cast<std::int64_t>(whole), type.name, halt);
    }
    default: return undefined(v, type, halt);
  }
}

Value to_numeric(const Value& v, const Type& type, Halt& halt) {
  Value number = v;
  if (v.kind() == Kind::Integer)
    number = Value::numeric(v.integer(), 0);
  else if (v.kind() == Kind::Text)
    number = read_text(v, type, halt);
  else if (v.kind() == Kind::Float)
    number = numeric_of_real(v, halt);
  else if (v.kind() != Kind::Numeric)
    return undefined(v, type, halt);
  if (halt.is_set() || type.size == 0) return number;
  return fit_numeric(number, type.size, type.scale, halt);
}

Value to_text(const Value& v, const Type& type, CastContext context,
              Halt& halt) {
  Value text = v;
  if (v.kind() == Kind::Bool)
    text = Value::text(v.is_true() ? "true" : "false");
  else if (v.kind() != Kind::Text)
    text = Value::text(to_string(v));
  if (type.name == TypeName::Char) {
    if (type.size != 0)
      text = fit_text(text, type.size, context == CastContext::Explicit, halt);
    if (halt.is_set()) return {};
    return parse_value(text.text(), TypeName::Char).value_or(text);
  }
  if (type.name != TypeName::Varchar || type.size == 0) return text;
  return fit_text(text, type.size, context == CastContext::Explicit, halt);
}

Value to_float(const Value& v, const Type& type, Halt& halt) {
  if (v.kind() == Kind::Text) return read_text(v, type, halt);
  if (v.kind() != Kind::Float && v.kind() != Kind::Numeric &&
      v.kind() != Kind::Integer)
    return undefined(v, type, halt);
  const double number = to_real(v);
  return checked_real(number, type.name == TypeName::Real,
                      std::isfinite(number), number == 0, halt);
}

Value to_array(const Value& v, const Type& type, CastContext context,
               Halt& halt) {
  if (v.kind() == Kind::Text) return read_text(v, type, halt);
  if (v.kind() != Kind::Array) return undefined(v, type, halt);
  std::vector<Value> items;
  for (const Value& item : v.items())
    items.push_back(cast(item, element_of(type), context, halt));
  if (halt.is_set()) return {};
  return Value::array(items);
}

Value to_row(const Value& v, const Type& type, CastContext context,
             Halt& halt) {
  if (v.kind() == Kind::Text) return read_text(v, type, halt);
  const auto& fields = composite(type).fields;
  if (v.kind() != Kind::Row || v.items().size() != fields.size())
    return undefined(v, type, halt);
  std::vector<Value> items;
  for (std::size_t i = 0; i < fields.size(); ++i)
    items.push_back(cast(v.items()[i], fields[i].second, context, halt));
  if (halt.is_set()) return {};
  return Value::row(items);
}

/// A number that is never used again as an identifier of version 4.
Value uuid_of_number(std::int64_t number) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "00000000-0000-4000-8000-%012llx",
                static_cast<unsigned long long>(number));
  return Value::text(text.data());
}

/// Texts in a form of their own: what has it keeps it.
Value to_form(const Value& v, const Type& type, Halt& halt) {
  if (type.name == TypeName::Uuid && v.kind() == Kind::Integer)
    return uuid_of_number(v.integer());
  if (v.kind() == Kind::Text) return read_text(v, type, halt);
  return undefined(v, type, halt);
}

Value to_time(const Value& v, const Type& type, Halt& halt) {
  const std::int64_t micros = v.integer();
  switch (type.name) {
    case TypeName::Date:
      if (v.kind() == Kind::Timestamp || v.kind() == Kind::TimestampTz)
        return date_of_timestamp(v);
      break;
    case TypeName::Timestamp:
      if (v.kind() == Kind::Date) return timestamp_of_date(v, halt);
      if (v.kind() == Kind::Timestamp || v.kind() == Kind::TimestampTz)
        return Value::timestamp(micros);
      break;
    case TypeName::TimestampTz:
      if (v.kind() == Kind::Date)
        return Value::timestamptz(timestamp_of_date(v, halt).integer());
      if (v.kind() == Kind::Timestamp || v.kind() == Kind::TimestampTz)
        return Value::timestamptz(micros);
      break;
    case TypeName::Time:
      if (v.kind() == Kind::Time) return v;
      if (v.kind() == Kind::Timestamp || v.kind() == Kind::TimestampTz ||
          v.kind() == Kind::Interval)
        return Value::time(split_day(micros).micros);
      break;
    case TypeName::Interval:
      if (v.kind() == Kind::Interval) return v;
      if (v.kind() == Kind::Time) return Value::interval(0, 0, micros);
      break;
    default: break;
  }
  return undefined(v, type, halt);
}

/// timestamp(3) and the like: `size` is one more than the digits.
Value rounded_time(const Value& v, const Type& type) {
  if (type.size == 0 || v.is_null()) return v;
  const std::int64_t micros = rounded_micros(v.integer(), type.size - 1u);
  switch (v.kind()) {
    case Kind::Timestamp: return Value::timestamp(micros);
    case Kind::TimestampTz: return Value::timestamptz(micros);
    case Kind::Time: return Value::time(micros);
    default: return v;
  }
}

}  // namespace

Value fit_integer(std::int64_t value, TypeName type, Halt& halt) {
  if (!fits(value, type))
    return halt.raise("22003", to_string(Type{type}) + " out of range");
  return Value::integer(value);
}

bool needs_cast(const Value& value, const Type& type) {
  if (value.is_null()) return false;
  if (mysql::is_own(type)) return true;
  switch (type.name) {
    case TypeName::Unknown:
    case TypeName::Void: return false;
    case TypeName::SmallInt:
    case TypeName::Integer: return true;  // a range to check
    case TypeName::Numeric:
    case TypeName::Varchar:
    case TypeName::Timestamp:
    case TypeName::TimestampTz:
    case TypeName::Time:
      if (type.size != 0) return true;
      break;
    case TypeName::Real: return true;
    case TypeName::Double:
      return value.kind() != Kind::Float || value.scale() != 0;
    case TypeName::Char:
    case TypeName::Uuid:
    case TypeName::Bytea:
    case TypeName::Json:
    case TypeName::Jsonb: return true;  // a form to check
    case TypeName::Array:
    case TypeName::Composite: return true;
    default: break;
  }
  return value.kind() != kind_of(type.name);
}

Value cast(const Value& v, const Type& type, CastContext context, Halt& halt) {
  if (!needs_cast(v, type)) return v;
  if (mysql::is_own(type)) {
    return mysql::convert(v, type,
                          context == CastContext::Assignment
                              ? mysql::Conversion::Assign
                              : mysql::Conversion::Cast,
                          halt);
  }
  switch (type.name) {
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: return to_integer(v, type, halt);
    case TypeName::Numeric: return to_numeric(v, type, halt);
    case TypeName::Real:
    case TypeName::Double: return to_float(v, type, halt);
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Char: return to_text(v, type, context, halt);
    case TypeName::Boolean:
      if (v.kind() == Kind::Integer) return Value::boolean(v.integer() != 0);
      if (v.kind() == Kind::Text) return read_text(v, type, halt);
      break;
    case TypeName::Date:
    case TypeName::Timestamp:
    case TypeName::TimestampTz:
    case TypeName::Time:
    case TypeName::Interval:
      return rounded_time(v.kind() == Kind::Text ? read_text(v, type, halt)
                                                 : to_time(v, type, halt),
                          type);
    case TypeName::Uuid:
    case TypeName::Bytea:
    case TypeName::Json:
    case TypeName::Jsonb:
    case TypeName::Enum:
    case TypeName::Opaque: return to_form(v, type, halt);
    case TypeName::Array: return to_array(v, type, context, halt);
    case TypeName::Composite: return to_row(v, type, context, halt);
    case TypeName::Range:
      if (v.kind() == Kind::Text) return read_text(v, type, halt);
      break;
    case TypeName::Unknown:
    case TypeName::Void: break;
  }
  return undefined(v, type, halt);
}

}  // namespace txscope::sql
