#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/text/psql_text.h"

namespace txscope::sql {

/// How the options of a COPY say that rows are written.  None: `refused` names
/// one that is not known here.
[[nodiscard]] std::optional<CopyFormat> copy_format(
    const PgQuery__CopyStmt& node, std::string& refused);

/// COPY between the client and a table, or from a query.
struct CopyCommand {
  bool is_from = false;
  std::string table;  ///< as SQL writes it; empty: TO, of a query
  std::vector<std::string> columns;  ///< the same; none: all
  CopyFormat format;
};
/// None: it is another statement, or has options that are not known.
[[nodiscard]] std::optional<CopyCommand> copy_command(const std::string& sql);

/// The rows of a COPY, field by field, without its header.
[[nodiscard]] std::vector<std::vector<CopyField>> copied_rows(
    std::string_view data, const CopyFormat& format);
/// INSERTs that put these rows, each not too many.
struct CopiedInsert {
  std::string sql;
  std::size_t rows = 0;
};
[[nodiscard]] std::vector<CopiedInsert> inserts_of(
    const CopyCommand& command,
    const std::vector<std::vector<CopyField>>& rows);

}  // namespace txscope::sql
