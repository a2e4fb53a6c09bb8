#pragma once

#include <string>

#include "base/result.h"
#include "db/proxy/mariadb_tap.h"
#include "db/record/log.h"
#include "db/session.h"

namespace txscope::db {

/// What a database of MariaDB or MySQL holds now.
struct MariadbState {
  /// As the first line of a log, in its words: types become the nearest of
  /// PostgreSQL's.
  LogHeader header;
  MariadbWorld world;
  /// What is not described: triggers, views, routines, columns that the server
  /// sets.
  std::string left_out;
  /// Some texts are compared without regard to case.
  bool ignores_case = false;
};

/// All of one moment.  Of a table with more rows than `max_rows` the rows are
/// left out, and the header's settings name it under `rows_left_out`.
[[nodiscard]] Result<MariadbState> mariadb_state(Session& session,
                                                 const std::string& database,
                                                 std::uint64_t max_rows);

}  // namespace txscope::db
