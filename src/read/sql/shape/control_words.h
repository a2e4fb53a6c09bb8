#pragma once

#include <optional>
#include <string_view>

#include "model/sql/statement_shape.h"

namespace txscope::sql {

/// BEGIN, COMMIT, SAVEPOINT, SET autocommit, SET NAMES, SHOW: what needs no
/// parser.  None: it is another statement.
[[nodiscard]] std::optional<StatementShape> control_statement(
    std::string_view text);

}  // namespace txscope::sql
