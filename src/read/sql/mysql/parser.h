#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "read/sql/mysql/statement.h"
#include "read/sql/text/source.h"

namespace txscope::sql {

/// What a text is.
enum class MysqlText : std::uint8_t {
  Statement,
  Expression,  ///< read as SELECT with it as the one target
  Type,        ///< SELECT NULL::type
};

/// MySQL's and MariaDB's statements, by recursive descent, as trees of
/// PostgreSQL's parser.  Locations are offsets in the file.  What means another
/// thing than PostgreSQL's node of that kind is left to the Analyzer, which
/// knows whose text it reads.  `text` stands at `offset` of the source.
[[nodiscard]] std::shared_ptr<MysqlStatement> parse_mysql(const Source& source,
                                                          std::string_view text,
                                                          std::uint32_t offset,
                                                          MysqlText what);

}  // namespace txscope::sql
