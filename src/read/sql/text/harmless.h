#pragma once

#include <set>
#include <string>

#include "model/sql/dialect.h"

namespace txscope::sql {

/// Whether a statement that is not followed can be left out without a loss: it
/// changes no row, no table and no constraint of the database, and what it
/// shows is of the session, the server or the catalogue.  Drivers and ORMs send
/// such statements by themselves: SELECT version(), SHOW, DISCARD, EXPLAIN,
/// LISTEN, LOCK, SELECT @@tx_isolation, PRAGMA table_info.
///
/// `own` are the routines of the database: what calls one is not harmless.
/// What is not surely harmless is not.
[[nodiscard]] bool is_harmless(const std::string& sql, Dialect dialect,
                               const std::set<std::string>& own);

}  // namespace txscope::sql
