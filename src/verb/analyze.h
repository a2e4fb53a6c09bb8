#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "verb/lifted_log.h"
#include "verb/listener.h"
#include "verb/report.h"

namespace txscope::verb {

/// What can go wrong in this application, and which fix works?
struct AnalyzeRequest {
  /// Files and folders of SQL; with a log, the tables that it is about.
  std::vector<std::string> inputs;
  LogRequest log;  ///< what really ran, lifted to transactions
  std::string level;  ///< in use; empty: PostgreSQL's default, or the log's
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
