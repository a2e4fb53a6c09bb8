#include "db/postgresql_type.h"

namespace txscope::db {

ColumnType postgresql_type(std::uint32_t oid) {
  switch (oid) {
    case 16: return ColumnType::Boolean;
    case 17: return ColumnType::Bytes;
    case 20:  // bigint
    case 21:  // smallint
    case 23:  // integer
    case 26:  // oid
      return ColumnType::Integer;
    case 18:    // "char"
    case 19:    // name
    case 25:    // text
    case 705:   // unknown: a literal without a type
    case 1042:  // char(n)
    case 1043:  // varchar
      return ColumnType::Text;
    case 700:  // real
    case 701:  // double precision
      return ColumnType::Double;
    case 1700: return ColumnType::Decimal;
    case 1082: return ColumnType::Date;
    case 1083: return ColumnType::Time;
    case 1114: return ColumnType::Timestamp;
    case 1184: return ColumnType::TimestampTz;
    case 2950: return ColumnType::Uuid;
    case 114:   // json
    case 3802:  // jsonb
      return ColumnType::Json;
    default: return ColumnType::Other;
  }
}

}  // namespace txscope::db
