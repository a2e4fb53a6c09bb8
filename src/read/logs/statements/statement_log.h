#pragma once

#include <string>

#include "base/result.h"
#include "model/sql/statement_log.h"
#include "read/input.h"

namespace txscope::logs {

/// Reads the statements of a log, whatever wrote it; by its beginning it is
/// known which format it is, unless `format` names it ("csvlog", "general").
[[nodiscard]] Result<sql::StatementLog> read_statement_log(
    read::Input input, const std::string& format = {});

}  // namespace txscope::logs
