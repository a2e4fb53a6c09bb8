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

/// A log that is to be analysed instead of code.
struct LogRequest {
  std::string file;                  ///< empty: there is none
  std::string format;                ///< empty: by its beginning
  double gap_seconds = 2;            ///< of silence between two requests
  bool one_user = false;             ///< at a time, so silence parts requests
  std::vector<std::string> without;  ///< tables that are left out
  bool whole_requests = false;
  std::string emit;  ///< where the lifted application goes; empty: nowhere
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
  /// The code as it was: is the fix right?  Empty: nothing is compared.
  std::vector<std::string> before;
  /// A file of findings that are known: they do not count.
  std::string baseline;
  /// Where to write such a file of what is found now.
  std::string write_baseline;
  /// Write the first repair of each finding that is a change of the text into
  /// the files.
  bool fix = false;
  /// As a text: nothing but one line per finding that counts.
  bool is_quiet = false;
  Listener listener;
};

/// One finding per cause; the matrix is in the detail.
[[nodiscard]] Result<Report> analyze(const AnalyzeRequest& request,
                                     const Budget& budget);

}  // namespace txscope::verb
