#include "model/sql/type.h"

namespace txscope::sql {

Kind kind_of(TypeName name) {
  switch (name) {
    case TypeName::Unknown:
    case TypeName::Void: return Kind::Null;
    case TypeName::Boolean: return Kind::Bool;
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: return Kind::Integer;
    case TypeName::Numeric: return Kind::Numeric;
    case TypeName::Text:
    case TypeName::Varchar: return Kind::Text;
    case TypeName::Date: return Kind::Date;
    case TypeName::Timestamp: return Kind::Timestamp;
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
    case TypeName::Date: return "date";
    case TypeName::Timestamp: return "timestamp without time zone";
    case TypeName::Void: return "void";
  }
  return {};
}

}  // namespace txscope::sql
