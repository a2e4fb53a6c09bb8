#include "db/mariadb_type.h"

namespace txscope::db {

ColumnType mariadb_type(unsigned type, unsigned charset) {
  constexpr unsigned kBinaryCharset = 63;
  switch (type) {
    case 1:   // TINY
    case 2:   // SHORT
    case 3:   // LONG
    case 8:   // LONGLONG
    case 9:   // INT24
    case 13:  // YEAR
      return ColumnType::Integer;
    case 4:  // FLOAT
    case 5:  // DOUBLE
      return ColumnType::Double;
    case 0:    // DECIMAL
    case 246:  // NEWDECIMAL
      return ColumnType::Decimal;
    case 10: return ColumnType::Date;
    case 11: return ColumnType::Time;
    case 7:   // TIMESTAMP
    case 12:  // DATETIME
      return ColumnType::Timestamp;
    case 16: return ColumnType::Bytes;  // BIT
    case 249:                           // TINY_BLOB
    case 250:                           // MEDIUM_BLOB
    case 251:                           // LONG_BLOB
    case 252:                           // BLOB
    case 253:                           // VAR_STRING
    case 254:                           // STRING
      return charset == kBinaryCharset ? ColumnType::Bytes : ColumnType::Text;
    default: return ColumnType::Text;
  }
}

}  // namespace txscope::db
