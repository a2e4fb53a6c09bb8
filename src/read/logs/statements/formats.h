#pragma once

#include <string_view>

#include "base/result.h"
#include "model/sql/statement_log.h"
#include "read/input.h"

namespace txscope::logs {

using StatementLogResult = Result<sql::StatementLog>;

// One reader per format, each in the file of its name.  All of them take lines
// that they do not know as lines of somebody else (a log is often shared), and
// count them.

[[nodiscard]] StatementLogResult read_recorded(read::Input input);
[[nodiscard]] StatementLogResult read_postgres_csv(read::Input input);
[[nodiscard]] StatementLogResult read_postgres_json(read::Input input);
[[nodiscard]] StatementLogResult read_postgres_stderr(read::Input input);
[[nodiscard]] StatementLogResult read_mysql_general(read::Input input);
[[nodiscard]] StatementLogResult read_mysql_table(read::Input input);
[[nodiscard]] StatementLogResult read_mysql_audit(read::Input input);
[[nodiscard]] StatementLogResult read_p6spy(read::Input input);
[[nodiscard]] StatementLogResult read_opentelemetry(read::Input input);
[[nodiscard]] StatementLogResult read_django(read::Input input);
[[nodiscard]] StatementLogResult read_rails(read::Input input);
[[nodiscard]] StatementLogResult read_sqlalchemy(read::Input input);
[[nodiscard]] StatementLogResult read_hibernate(read::Input input);

/// Whether the first 64 KiB of a file look like a log of that format.
[[nodiscard]] bool is_postgres_csv(std::string_view head);
[[nodiscard]] bool is_postgres_json(std::string_view head);
[[nodiscard]] bool is_postgres_stderr(std::string_view head);
[[nodiscard]] bool is_mysql_general(std::string_view head);
[[nodiscard]] bool is_mysql_table(std::string_view head);
[[nodiscard]] bool is_mysql_audit(std::string_view head);
[[nodiscard]] bool is_p6spy(std::string_view head);
[[nodiscard]] bool is_opentelemetry(std::string_view head);
[[nodiscard]] bool is_django(std::string_view head);
[[nodiscard]] bool is_rails(std::string_view head);
[[nodiscard]] bool is_sqlalchemy(std::string_view head);
[[nodiscard]] bool is_hibernate(std::string_view head);

}  // namespace txscope::logs
