#include "exec/sql/value/to_json.h"

#include <cmath>

#include "model/sql/value/composite.h"
#include "model/sql/value/json.h"

namespace txscope::sql {

std::string json_of(const Value& value, const Type& type) {
  switch (value.kind()) {
    case Kind::Null: return "null";
    case Kind::Bool: return value.is_true() ? "true" : "false";
    case Kind::Integer:
    case Kind::Numeric: return to_string(value);
    case Kind::Float:
      if (std::isfinite(value.real())) return to_string(value);
      return quoted_json(to_string(value));
    case Kind::Timestamp:
    case Kind::TimestampTz: {
      std::string text = to_string(value);
      if (const auto space = text.find(' '); space != std::string::npos)
        text[space] = 'T';
      if (value.kind() == Kind::TimestampTz) text += ":00";
      return quoted_json(text);
    }
    case Kind::Array: {
      std::string all = "[";
      for (const Value& item : value.items())
        all += (all.size() > 1 ? "," : "") + json_of(item, element_of(type));
      return all + "]";
    }
    case Kind::Row: {
      const auto& fields = composite(type).fields;
      std::string all = "{";
      for (std::size_t i = 0; i < value.items().size(); ++i) {
        if (i >= fields.size()) break;
        all += (i > 0 ? "," : "") + quoted_json(fields[i].first) + ":" +
               json_of(value.items()[i], fields[i].second);
      }
      return all + "}";
    }
    default: break;
  }
  if (type.name == TypeName::Json || type.name == TypeName::Jsonb)
    return value.text();
  return quoted_json(to_string(value));
}

Value json_part(const Json* part, std::string_view whole, Type type,
                bool as_text) {
  if (part == nullptr) return {};
  if (as_text && part->kind == Json::Kind::Null) return {};
  if (as_text && part->kind == Json::Kind::String)
    return Value::text(part->text);
  return Value::text(
      type.name == TypeName::Json
          ? std::string(whole.substr(part->begin, part->end - part->begin))
          : to_string(*part));
}

}  // namespace txscope::sql
