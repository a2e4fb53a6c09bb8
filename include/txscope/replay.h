#pragma once

/// Makes happen on a real database what a report tells, or writes it as a
/// script.
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

/// Makes happen on a real database what a report tells.
struct ReplayRequest {
  /// A JSON report of `race`, `explore`, `verify`, `robust` or `analyze`.
  std::string input;
  /// Of a race the database to copy; empty: the one that the report names.
  /// Else a server, on which a database of our own is made; empty: a private
  /// one.
  std::string db;
  /// A product's level to run at; empty: that of the report.  Not of a race.
  std::string level;
  /// A form to write the first schedule in, instead of running it: "sql",
  /// "psql", "isolationtester", "pytest".  Not of a race.
  std::string emit;
  std::uint64_t times = 1;
  Listener listener;
};

/// Of a race the first finding: an outcome that no serial order has, a broken
/// rule, an error that ended a request.  Of other reports every counterexample
/// of an application in SQL.  Violated: it happened again.  Holds: the database
/// prevented it, somebody waits or fails who went on before.  Undecided:
/// something else happened.
[[nodiscard]] Result<Report> replay(const ReplayRequest& request,
                                    const Budget& budget);

}  // namespace txscope::verb
