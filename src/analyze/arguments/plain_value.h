#pragma once

#include <cstdint>
#include <optional>

#include "model/sql/type.h"

namespace txscope::analyze {

/// A value of a type, where nothing else is known: of most types another one
/// for each number, from 1 on.  None: the type has none that we can make.
[[nodiscard]] std::optional<sql::Value> plain_value(const sql::Type& type,
                                                    std::int64_t number);

}  // namespace txscope::analyze
