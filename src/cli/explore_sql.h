#pragma once

#include <string>

#include "base/result.h"
#include "explore/explore.h"
#include "report/answer_report.h"

namespace txscope::cli {

struct Options;

/// `explore` of an application in SQL.  Returns the exit status.
int run_explore_sql(const Options& options, std::string text,
                    const Budget& budget);

/// What --algorithm asks for.
[[nodiscard]] Result<Algorithm> algorithm_of(const Options& options);

/// Answers in every format that was asked for.
[[nodiscard]] Result<Done> write_reports(const Options& options,
                                         const char* verb,
                                         const AnswerReport& report);

}  // namespace txscope::cli
