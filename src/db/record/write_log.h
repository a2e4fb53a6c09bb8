#pragma once

#include <string>

#include "db/record/log.h"

namespace txscope::db {

/// The first line of a log or history, with its end of line.
[[nodiscard]] std::string header_line(const LogHeader& header);
/// A transaction's line: its statements, or its operations.
[[nodiscard]] std::string log_line(const LoggedTransaction& transaction);
[[nodiscard]] std::string history_line(const LoggedTransaction& transaction);

}  // namespace txscope::db
