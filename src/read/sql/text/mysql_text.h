#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace txscope::sql {

/// Something that only MySQL's and MariaDB's syntax has.
struct MysqlSign {
  std::size_t offset = 0;
  std::string what;  ///< "AUTO_INCREMENT"
};

/// The first one outside comments and quotes.  Only for a text that is no
/// PostgreSQL: such a word may be a name there.
[[nodiscard]] std::optional<MysqlSign> find_mysql(std::string_view text);

}  // namespace txscope::sql
