#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/source_map.h"
#include "read/sql/text/constant_rows.h"
#include "read/sql/text/mistakes.h"

namespace txscope::sql {

/// The rows of a COPY ... FROM stdin, which stand in the file after it.
struct CopyData {
  std::uint32_t statement_end = 0;  ///< where its ';' is
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// \connect to another database: from here on nothing of before is there.
struct PsqlConnect {
  std::uint32_t at = 0;
  std::uint32_t length = 0;
};

/// A script for psql as the statements that psql would send: \i and \ir put in
/// place, \if decided, :name replaced, \copy with its rows.
struct PsqlText {
  /// What is read.  It is the file's text unless `map` says otherwise.
  std::string text;
  /// As long as `text`; psql's own commands, the rows of COPY and of `inserts`
  /// and what \if leaves out are blank.
  std::string sql;
  std::vector<CopyData> copies;
  std::vector<InsertedRows> inserts;
  std::vector<PsqlConnect> connects;
  std::uint32_t commands = 0;   ///< psql's own that change no answer
  std::vector<Error> mistakes;  ///< of commands, where they are left out
  std::shared_ptr<SourceMap> map;
};

/// Fails on a command that would change an answer and cannot be done; for
/// Mistakes::LeaveOut it goes on behind it, as psql does, and reads migrations
/// as their tools do (migration_text.h).
[[nodiscard]] PsqlText read_psql(const std::string& file, std::string text,
                                 Mistakes mistakes);

/// How COPY ... FROM reads its rows.
struct CopyFormat {
  bool is_csv = false;
  bool has_header = false;
  char delimiter = '\t';
  char quote = '"';
  char escape = '"';
  std::string null = "\\N";
};
/// One row as its fields; NULLs marked.
struct CopyField {
  std::string text;
  bool is_null = false;
};
/// The fields of the first row of `rows`, which is taken off: a line, or in CSV
/// as many as a quoted field goes over.
[[nodiscard]] std::vector<CopyField> next_copy_row(std::string_view& rows,
                                                   const CopyFormat& format);

}  // namespace txscope::sql
