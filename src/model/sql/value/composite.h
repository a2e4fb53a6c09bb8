#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/sql/type.h"

namespace txscope::sql {

/// A type of rows: CREATE TYPE ... AS (...), a table's, or that of ROW(...),
/// whose name is "record".
struct Composite {
  std::string name;
  std::vector<std::pair<std::string, Type>> fields;

  [[nodiscard]] bool is_record() const { return name == "record"; }
};

/// Numbers a composite type for the life of the process, so that a Type stays
/// small; the same one gets the same number.
[[nodiscard]] Type composite_type(Composite composite);
/// Of a Type that is Composite.
[[nodiscard]] const Composite& composite(const Type& type);

}  // namespace txscope::sql
