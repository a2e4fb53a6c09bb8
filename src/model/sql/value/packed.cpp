#include "model/sql/value/packed.h"

#include <bit>

namespace txscope::sql {
namespace {

std::uint64_t unsigned_of(std::int64_t n) {
  return static_cast<std::uint64_t>(n);
}

std::int64_t signed_of(std::uint64_t n) { return static_cast<std::int64_t>(n); }

}  // namespace

void write(const Value& value, ByteWriter& to) {
  to.number(static_cast<std::uint64_t>(value.kind()));
  switch (value.kind()) {
    case Kind::Null: return;
    case Kind::Bool:
    case Kind::Integer:
    case Kind::Date:
    case Kind::Timestamp:
    case Kind::TimestampTz:
    case Kind::Time: return to.number(unsigned_of(value.integer()));
    case Kind::Numeric:
      to.number(static_cast<std::uint64_t>(value.digits()));
      to.number(static_cast<std::uint64_t>(value.digits() >> 64));
      return to.number(value.scale());
    case Kind::Text: to.number(value.scale()); return to.text(value.text());
    case Kind::Interval:
      to.number(unsigned_of(value.months()));
      to.number(unsigned_of(value.days()));
      return to.number(unsigned_of(value.integer()));
    case Kind::Float:
      to.number(value.scale());
      return to.number(std::bit_cast<std::uint64_t>(value.real()));
    case Kind::Enum:
      to.number(value.scale());
      to.number(unsigned_of(value.integer()));
      return to.text(value.text());
    case Kind::Range: to.number(value.flags()); [[fallthrough]];
    case Kind::Array:
    case Kind::Row: return write(value.items(), to);
  }
}

Value read_value(ByteReader& from) {
  const auto kind = static_cast<Kind>(from.number());
  const auto integer = [&] { return signed_of(from.number()); };
  switch (kind) {
    case Kind::Null: break;
    case Kind::Bool: return Value::boolean(integer() != 0);
    case Kind::Integer: return Value::integer(integer());
    case Kind::Date: return Value::date(integer());
    case Kind::Timestamp: return Value::timestamp(integer());
    case Kind::TimestampTz: return Value::timestamptz(integer());
    case Kind::Time: return Value::time(integer());
    case Kind::Numeric: {
      const std::uint64_t low = from.number();
      const Int128 high = integer();
      const auto scale = static_cast<unsigned>(from.number());
      return Value::numeric(high * (Int128{1} << 64) + low, scale);
    }
    case Kind::Text: {
      const auto collation = static_cast<std::uint16_t>(from.number());
      return Value::text(from.text()).collated(collation);
    }
    case Kind::Interval: {
      const auto months = static_cast<std::int32_t>(integer());
      const auto days = static_cast<std::int32_t>(integer());
      return Value::interval(months, days, integer());
    }
    case Kind::Float: {
      const bool is_single = from.number() != 0;
      return Value::real(std::bit_cast<double>(from.number()), is_single);
    }
    case Kind::Enum: {
      const auto of = static_cast<std::uint16_t>(from.number());
      const auto position = static_cast<std::uint32_t>(from.number());
      return Value::enumerated(of, position, from.text());
    }
    case Kind::Range: {
      const auto flags = static_cast<unsigned>(from.number());
      return Value::range(read_row(from), flags);
    }
    case Kind::Array: return Value::array(read_row(from));
    case Kind::Row: return Value::row(read_row(from));
  }
  return Value();
}

void write(const Row& row, ByteWriter& to) {
  to.number(row.size());
  for (const Value& value : row) write(value, to);
}

Row read_row(ByteReader& from) {
  Row row;
  for (std::uint64_t n = from.number(); n > 0 && from.is_good(); --n)
    row.push_back(read_value(from));
  return row;
}

}  // namespace txscope::sql
