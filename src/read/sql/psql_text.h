#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::sql {

/// The rows of a COPY ... FROM stdin, which stand in the file after it.
struct CopyData {
  std::uint32_t statement_end = 0;  ///< where its ';' is
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// A file for psql without what is not SQL.
struct PsqlText {
  /// As long as the file; psql's own commands (lines that begin with a
  /// backslash) and the rows of COPY are blank.
  std::string sql;
  std::vector<CopyData> copies;
  std::uint32_t commands = 0;  ///< lines that were psql's own
};

[[nodiscard]] PsqlText read_psql(std::string_view text);

/// One line of COPY's text format as its fields; NULLs marked.
struct CopyField {
  std::string text;
  bool is_null = false;
};
[[nodiscard]] std::vector<CopyField> copy_fields(std::string_view line);

}  // namespace txscope::sql
