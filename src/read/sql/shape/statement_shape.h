#pragma once

#include <string_view>

#include "model/sql/dialect.h"
#include "model/sql/statement_shape.h"

namespace txscope::sql {

/// What a statement of a log is about, by its text alone.  Never fails: what
/// nobody can read is Unreadable.
///
/// Method.  Statements that steer transactions are known by their words.  All
/// others are brought into PostgreSQL's words (mysql_words.h) and read by its
/// parser; a walk over the tree finds tables, columns, and what every literal
/// meets.  Of a list in IN (..) and of the rows of VALUES only the first item
/// stays, so that the same code has the same shape however long its list is.
[[nodiscard]] StatementShape statement_shape(std::string_view text,
                                             Dialect dialect);

}  // namespace txscope::sql
