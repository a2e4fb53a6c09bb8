#pragma once

#include "race/reduce/catalog.h"
#include "race/reduce/touches.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// A statement of MariaDB's in the words of PostgreSQL, where it has such:
/// `SELECT n INTO @n FROM a WHERE id = ?` is SELECT "n" FROM "a" WHERE "id" =
/// $1.  One of PostgreSQL's is as it was.
[[nodiscard]] Statement in_postgresql_words(const Statement& statement,
                                            const Catalog& catalog);

/// The rows and tables that a statement names.  On MariaDB it locks more than
/// those (gaps, whatever it reads), so this is for names of races and ideas of
/// repairs; touches_of is for orders that do not matter.
[[nodiscard]] StatementTouches named_touches(const Statement& statement,
                                             const Catalog& catalog);

}  // namespace txscope::race
