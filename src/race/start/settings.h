#pragma once

#include <string>

#include "base/result.h"
#include "db/session.h"
#include "model/product/product.h"

namespace txscope::race {

// What a connection to the user's database has without asking for it, and a
// connection to a copy would not: the level of its transactions, its time zone,
// where it looks for names.

/// Of PostgreSQL, as PGOPTIONS takes them: set for the database, the user or
/// both, and what a file or the command line says of transactions and texts.
[[nodiscard]] Result<std::string> options_of_postgresql(db::Session& source);

/// Of MariaDB, as statements for the server that has the copies.
[[nodiscard]] Result<std::string> settings_of_mariadb(db::Session& source);

}  // namespace txscope::race
