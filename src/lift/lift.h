#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "lift/runs.h"
#include "model/sql/application.h"
#include "model/sql/statement_log.h"

namespace txscope::lift {

struct LiftOptions {
  std::string name;         ///< of the application, in messages and places
  std::string schema_text;  ///< SQL of the tables, as far as it is known
  RunOptions runs;
  std::set<std::string> ignored;  ///< tables
  bool whole_requests = false;
  bool with_rows = true;  ///< rows are made up from the conditions
};

/// An application lifted from a log.
struct Lifted {
  std::string text;  ///< SQL that `explore` and `robust` take as well
  sql::Application application;      ///< the same, read
  std::vector<std::string> notes;    ///< what had to be assumed
  std::vector<std::string> missing;  ///< what of the log could not be followed
  std::string level;  ///< that the log's transactions ask for; empty: none
  std::size_t requests = 0;
  std::size_t procedures = 0;
};

/// Lifts the requests of a log to procedures that do the same, for any
/// parameters.
///
/// Method.  take_apart() makes requests of sessions, find_templates() what they
/// have in common, make_procedure() gives literals their meaning, rows_text()
/// makes rows on which calls meet.  The text is read as any other; a statement
/// that the reader refuses is written again in a plainer form (the equalities
/// of its WHERE only), and left out if that does not help.  Both are told.
[[nodiscard]] Result<Lifted> lift(const sql::StatementLog& log,
                                  const LiftOptions& options,
                                  const Budget& budget);

}  // namespace txscope::lift
