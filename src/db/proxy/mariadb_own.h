#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/proxy/mariadb_text.h"
#include "db/record/log.h"

namespace txscope::db {

/// A statement that only MariaDB's own words can say: INSERT IGNORE, ON
/// DUPLICATE KEY UPDATE, REPLACE, writes of several tables.  It is as it was
/// sent, with its parameters in their places.  None: it is another one, or
/// names what the log does not describe.
[[nodiscard]] std::optional<std::string> own_words(
    const std::vector<MariadbPiece>& statement, const MariadbNames& names,
    const std::vector<LoggedValue>& params);

/// Whether its count may mean more than one thing.
[[nodiscard]] bool has_unclear_count(
    const std::vector<MariadbPiece>& statement);

}  // namespace txscope::db
