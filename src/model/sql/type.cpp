#include "model/sql/type.h"

#include "model/sql/value/composite.h"
#include "model/sql/value/enumeration.h"

namespace txscope::sql {
namespace {

const char* range_name(TypeName element) {
  switch (element) {
    case TypeName::Integer: return "int4range";
    case TypeName::BigInt: return "int8range";
    case TypeName::Numeric: return "numrange";
    case TypeName::Date: return "daterange";
    case TypeName::Timestamp: return "tsrange";
    case TypeName::TimestampTz: return "tstzrange";
    default: return "anyrange";
  }
}

}  // namespace

Kind kind_of(TypeName name) {
  switch (name) {
    case TypeName::Unknown:
    case TypeName::Void: return Kind::Null;
    case TypeName::Boolean: return Kind::Bool;
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: return Kind::Integer;
    case TypeName::Numeric: return Kind::Numeric;
    case TypeName::Real:
    case TypeName::Double: return Kind::Float;
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Char:
    case TypeName::Uuid:
    case TypeName::Bytea:
    case TypeName::Json:
    case TypeName::Jsonb:
    case TypeName::Opaque: return Kind::Text;
    case TypeName::Date: return Kind::Date;
    case TypeName::Timestamp: return Kind::Timestamp;
    case TypeName::TimestampTz: return Kind::TimestampTz;
    case TypeName::Time: return Kind::Time;
    case TypeName::Interval: return Kind::Interval;
    case TypeName::Enum: return Kind::Enum;
    case TypeName::Array: return Kind::Array;
    case TypeName::Range: return Kind::Range;
    case TypeName::Composite: return Kind::Row;
  }
  return Kind::Null;
}

std::string to_string(const Type& type) {
  const auto sized = [&type](std::string name) {
    if (type.size == 0) return name;
    name += "(" + std::to_string(type.size);
    if (type.name == TypeName::Numeric)
      name += "," + std::to_string(type.scale);
    return name + ")";
  };
  switch (type.name) {
    case TypeName::Unknown: return "unknown";
    case TypeName::Boolean: return "boolean";
    case TypeName::SmallInt: return "smallint";
    case TypeName::Integer: return "integer";
    case TypeName::BigInt: return "bigint";
    case TypeName::Numeric: return sized("numeric");
    case TypeName::Text: return "text";
    case TypeName::Varchar: return sized("character varying");
    case TypeName::Real: return "real";
    case TypeName::Double: return "double precision";
    case TypeName::Char: return sized("character");
    case TypeName::Date: return "date";
    case TypeName::Timestamp: return "timestamp without time zone";
    case TypeName::TimestampTz: return "timestamp with time zone";
    case TypeName::Time: return "time without time zone";
    case TypeName::Interval: return "interval";
    case TypeName::Uuid: return "uuid";
    case TypeName::Bytea: return "bytea";
    case TypeName::Json: return "json";
    case TypeName::Jsonb: return "jsonb";
    case TypeName::Enum:
    case TypeName::Opaque: return enumeration(type.of).name;
    case TypeName::Array: return to_string(element_of(type)) + "[]";
    case TypeName::Range: return range_name(type.element);
    case TypeName::Void: return "void";
    case TypeName::Composite: return composite(type).name;
  }
  return {};
}

}  // namespace txscope::sql
