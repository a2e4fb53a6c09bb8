#pragma once

#include <string>
#include <string_view>

namespace txscope::sql {

/// One statement of MySQL or MariaDB with the words that PostgreSQL's parser
/// does not know replaced by those that it does: INSERT .. SET, IGNORE,
/// REPLACE, ON DUPLICATE KEY UPDATE, LIMIT a, b, index hints, LOCK IN SHARE
/// MODE, <=>.  It is enough for what a log shows of an application's
/// statements; what stays unreadable is told, not guessed.
[[nodiscard]] std::string without_mysql_words(std::string_view text);

}  // namespace txscope::sql
