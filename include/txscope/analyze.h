#pragma once

/// What can go wrong in an application, and which fix works?
///
///     #include <txscope/analyze.h>
///     using namespace txscope;
///
///     verb::AnalyzeRequest request;
///     request.inputs = {"migrations", "queries.sql"};
///     auto report = verb::analyze(request, Budget::unlimited());
///     std::cout << verb::text(*report);
#include <txscope/listener.h>
#include <txscope/write.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// A log to be analysed instead of code.
struct LogRequest {
  std::string file;                  ///< empty: there is none
  std::string format;                ///< empty: by its beginning
  double gap_seconds = 2;            ///< pause between two requests
  bool one_user = false;             ///< at a time, so pauses separate requests
  std::vector<std::string> without;  ///< tables to ignore
  bool whole_requests = false;
  std::string emit;  ///< file for the lifted application; empty: none
};

/// What can go wrong in this application, and which fix works?
struct AnalyzeRequest {
  /// Files and folders of SQL; with a log, the tables that it is about.
  std::vector<std::string> inputs;
  LogRequest log;       ///< what really ran, lifted to transactions
  std::string dialect;  ///< postgresql, mysql, mariadb; empty: recognized
  std::string level;    ///< in use; empty: PostgreSQL's default, or the log's
  std::uint64_t loop_bound = 1000;
  bool repairs = true;
  /// The code before a fix, to compare with.  Empty: nothing is compared.
  std::vector<std::string> before;
  /// A file of known findings, which do not count.
  std::string baseline;
  /// Where to write such a file with the current findings.
  std::string write_baseline;
  /// Change the files: apply the first repair of each finding that changes the
  /// text.
  bool fix = false;
  /// As text, only one line per finding that counts.
  bool is_quiet = false;
  Listener listener;
};

/// One finding per cause; the matrix is in the detail.
[[nodiscard]] Result<Report> analyze(const AnalyzeRequest& request,
                                     const Budget& budget);

}  // namespace txscope::verb
