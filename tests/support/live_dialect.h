#pragma once

#include <span>
#include <string>

#include "engine/profile.h"
#include "model/sql/application.h"

namespace txscope::test {

/// A statement as the product understands it.  What MariaDB does not have (ON
/// CONFLICT, UPDATE ... RETURNING, casts with ::) stays as it is, and fails
/// there.
[[nodiscard]] std::string statement_text(const sql::Application& application,
                                         const sql::DbStatement& statement,
                                         std::span<const sql::Value> slots,
                                         std::uint64_t max_rows,
                                         engine::Product product);

}  // namespace txscope::test
