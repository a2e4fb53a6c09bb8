#pragma once

#include "model/product/profile.h"
#include "exec/sql/writer/write_rules.h"

namespace txscope::engine {

/// In which order a product writes, and what it calls the things that fail.
[[nodiscard]] const sql::WriteRules& rules_of(Product product);

}  // namespace txscope::engine
