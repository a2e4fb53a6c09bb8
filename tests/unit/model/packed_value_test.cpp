#include <gtest/gtest.h>

#include "model/sql/value/packed.h"

namespace txscope::sql {
namespace {

TEST(PackedValue, IsTheValueThatWasWritten) {
  const Int128 large = -(static_cast<Int128>(1) << 100);
  const Value bounds[] = {Value::integer(1), Value()};
  const Value fields[] = {Value::text("ann's"), Value::boolean(true)};
  const Row row = {Value(),
                   Value::boolean(false),
                   Value::integer(-7),
                   Value::numeric(large, 12),
                   Value::numeric(-150, 2),
                   Value::text("a\0b"),
                   Value::date(-1),
                   Value::timestamp(5),
                   Value::timestamptz(6),
                   Value::time(7),
                   Value::interval(-3, 4, -5),
                   Value::real(0.1),
                   Value::real(0.1, true),
                   Value::enumerated(2, 1, "low"),
                   Value::array(fields),
                   Value::range(bounds, 5),
                   Value::row(fields)};
  ByteWriter writer;
  write(row, writer);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(read_row(reader), row);
  EXPECT_TRUE(reader.is_good());
  EXPECT_TRUE(reader.rest().empty());
}

// The collation of a text is no part of it, but SQL compares by it.
TEST(PackedValue, KeepsTheCollationOfAText) {
  ByteWriter writer;
  write(Value::text("x").collated(3), writer);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(read_value(reader).scale(), 3u);
}

TEST(PackedValue, EndsWhereBytesEnd) {
  ByteWriter writer;
  write(Row{Value::text("abc"), Value::integer(1)}, writer);
  ByteReader reader(std::string_view(writer.bytes()).substr(0, 20));
  (void)read_row(reader);
  EXPECT_FALSE(reader.is_good());
}

}  // namespace
}  // namespace txscope::sql
