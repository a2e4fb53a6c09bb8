#include "db/column_type.h"

namespace txscope::db {

std::string_view log_name(ColumnType type) {
  switch (type) {
    case ColumnType::Text:
    case ColumnType::Boolean:
    case ColumnType::Integer: return "";
    case ColumnType::Double: return "double";
    case ColumnType::Decimal: return "decimal";
    case ColumnType::Date: return "date";
    case ColumnType::Time: return "time";
    case ColumnType::Timestamp: return "timestamp";
    case ColumnType::TimestampTz: return "timestamptz";
    case ColumnType::Uuid: return "uuid";
    case ColumnType::Bytes: return "bytes";
    case ColumnType::Json: return "json";
    case ColumnType::Other: return "other";
    case ColumnType::Unknown: return "unknown";
  }
  return "";
}

sql::Kind kind_of(ColumnType type) {
  switch (type) {
    case ColumnType::Boolean: return sql::Kind::Bool;
    case ColumnType::Integer: return sql::Kind::Integer;
    case ColumnType::Decimal: return sql::Kind::Numeric;
    case ColumnType::Date: return sql::Kind::Date;
    case ColumnType::Timestamp: return sql::Kind::Timestamp;
    case ColumnType::Text:
    case ColumnType::Double:
    case ColumnType::Time:
    case ColumnType::TimestampTz:
    case ColumnType::Uuid:
    case ColumnType::Bytes:
    case ColumnType::Json:
    case ColumnType::Other:
    case ColumnType::Unknown: break;
  }
  return sql::Kind::Text;
}

ColumnType column_type(sql::Kind kind) {
  switch (kind) {
    case sql::Kind::Bool: return ColumnType::Boolean;
    case sql::Kind::Integer: return ColumnType::Integer;
    case sql::Kind::Numeric: return ColumnType::Decimal;
    case sql::Kind::Date: return ColumnType::Date;
    case sql::Kind::Timestamp: return ColumnType::Timestamp;
    case sql::Kind::Null:
    case sql::Kind::Text: break;
    default: break;
  }
  return ColumnType::Text;
}

}  // namespace txscope::db
