#pragma once

#include "base/bytes.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// A value for another process, where its texts have other numbers.
void write(const Value& value, ByteWriter& to);
[[nodiscard]] Value read_value(ByteReader& from);

void write(const Row& row, ByteWriter& to);
[[nodiscard]] Row read_row(ByteReader& from);

}  // namespace txscope::sql
