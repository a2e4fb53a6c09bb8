#pragma once

/// Runs on a real database what a report shows, or writes it as a script.
///
///     #include <txscope/replay.h>
///     using namespace txscope;
///
///     verb::ReplayRequest request;
///     request.input = "finding.json";  // of explore, verify, analyze, race,
///     .. auto report = verb::replay(request, Budget::unlimited());
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Runs on a real database what a report shows.
struct ReplayRequest {
  /// A JSON report of `race`, `explore`, `verify`, `robust` or `analyze`.
  std::string input;
  /// For a race, the database to copy; empty: the one that the report names.
  /// Otherwise a server, on which a separate database is created; empty: a
  /// private server.
  std::string db;
  /// A product's level to run at; empty: that of the report.  Not for a race.
  std::string level;
  /// A form to write the first schedule in, instead of running it: "sql",
  /// "psql", "isolationtester", "pytest".  Not for a race.
  std::string emit;
  std::uint64_t times = 1;
  Listener listener;
};

/// For a race, the first finding: an outcome that no serial order produces, a
/// broken rule, or an error that ended a request.  For other reports, every
/// counterexample of an application in SQL.  Violated: it happened again.
/// Holds: the database prevented it, because a session that went on before now
/// waits or fails.  Undecided: something else happened.
[[nodiscard]] Result<Report> replay(const ReplayRequest& request,
                                    const Budget& budget);

}  // namespace txscope::verb
