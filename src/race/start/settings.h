#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "db/session.h"
#include "model/product/product.h"

namespace txscope::race {

// What a connection to the user's database has without asking for it, and a
// connection to a copy would not: rights, the level of its transactions, its
// time zone, where it looks for names.

/// What each role that may log in to PostgreSQL has, as PGOPTIONS takes it: set
/// for the database, the role or both, and what a file or the command line says
/// of transactions and texts.
using RoleOptions = std::map<std::string, std::string>;
[[nodiscard]] Result<RoleOptions> options_of_postgresql(db::Session& source);

/// Makes the roles of a PostgreSQL server on another, without passwords.
[[nodiscard]] Result<Done> copy_roles(db::Session& source, db::Session& target);

/// Of MariaDB, as statements for the server that has the copies.
[[nodiscard]] Result<std::string> settings_of_mariadb(db::Session& source);

}  // namespace txscope::race
