#include "exec/sql/cast.h"

#include <limits>
#include <string>

#include "exec/sql/date.h"
#include "exec/sql/numeric.h"
#include "exec/sql/read_text.h"
#include "exec/sql/text.h"
#include "model/sql/parse_value.h"

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
    default: return undefined(v, type, halt);
  }
}

Value to_numeric(const Value& v, const Type& type, Halt& halt) {
  Value number = v;
  if (v.kind() == Kind::Integer)
    number = Value::numeric(v.integer(), 0);
  else if (v.kind() == Kind::Text)
    number = read_text(v, type, halt);
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
  if (type.name != TypeName::Varchar || type.size == 0) return text;
  return fit_text(text, type.size, context == CastContext::Explicit, halt);
}

}  // namespace

Value fit_integer(std::int64_t value, TypeName type, Halt& halt) {
  if (!fits(value, type))
    return halt.raise("22003", to_string(Type{type}) + " out of range");
  return Value::integer(value);
}

bool needs_cast(const Value& value, const Type& type) {
  if (value.is_null()) return false;
  switch (type.name) {
    case TypeName::Unknown:
    case TypeName::Void: return false;
    case TypeName::SmallInt:
    case TypeName::Integer: return true;  // a range to check
    case TypeName::Numeric:
    case TypeName::Varchar:
      if (type.size != 0) return true;
      break;
    default: break;
  }
  return value.kind() != kind_of(type.name);
}

Value cast(const Value& v, const Type& type, CastContext context, Halt& halt) {
  if (!needs_cast(v, type)) return v;
  switch (type.name) {
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: return to_integer(v, type, halt);
    case TypeName::Numeric: return to_numeric(v, type, halt);
    case TypeName::Text:
    case TypeName::Varchar: return to_text(v, type, context, halt);
    case TypeName::Boolean:
      if (v.kind() == Kind::Integer) return Value::boolean(v.integer() != 0);
      if (v.kind() == Kind::Text) return read_text(v, type, halt);
      break;
    case TypeName::Date:
      if (v.kind() == Kind::Timestamp) return date_of_timestamp(v);
      if (v.kind() == Kind::Text) return read_text(v, type, halt);
      break;
    case TypeName::Timestamp:
      if (v.kind() == Kind::Date) return timestamp_of_date(v, halt);
      if (v.kind() == Kind::Text) return read_text(v, type, halt);
      break;
    case TypeName::Unknown:
    case TypeName::Void: break;
  }
  return undefined(v, type, halt);
}

}  // namespace txscope::sql
