#include "read/logs/statements/statement_log.h"

#include <array>

#include "read/file_kind.h"
#include "read/logs/statements/formats.h"

namespace txscope::logs {
namespace {

struct FormatRow {
  std::string_view name;
  bool (*is)(std::string_view head);
  StatementLogResult (*read)(read::Input input);
};

bool is_recorded(std::string_view head) {
  return read::says_it_is(head, "log");
}

/// The surer a sign is, the earlier its row.
constexpr std::array<FormatRow, 13> kFormats = {{
    {"txscope", is_recorded, read_recorded},
    {"jsonlog", is_postgres_json, read_postgres_json},
    {"opentelemetry", is_opentelemetry, read_opentelemetry},
    {"csvlog", is_postgres_csv, read_postgres_csv},
    {"general-table", is_mysql_table, read_mysql_table},
    {"server-audit", is_mysql_audit, read_mysql_audit},
    {"p6spy", is_p6spy, read_p6spy},
    {"sqlalchemy", is_sqlalchemy, read_sqlalchemy},
    {"django", is_django, read_django},
    {"hibernate", is_hibernate, read_hibernate},
    {"rails", is_rails, read_rails},
    {"general", is_mysql_general, read_mysql_general},
    {"stderr", is_postgres_stderr, read_postgres_stderr},
}};

std::string names() {
  std::string all;
  for (const FormatRow& row : kFormats)
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  return all;
}

}  // namespace

Result<sql::StatementLog> read_statement_log(read::Input input,
                                             const std::string& format) {
  const Place place{input.name(), 0, 0, {}};
  const FormatRow* found = nullptr;
  for (const FormatRow& row : kFormats) {
    if (format.empty() ? row.is(input.head()) : row.name == format) {
      found = &row;
      break;
    }
  }
  if (input.error()) return *input.error();
  if (found == nullptr && !format.empty())
    return Error{place, "unknown format of logs '" + format + "'", names(), ""};
  if (found == nullptr)
    return Error{place,
                 input.head().empty() ? "the log is empty"
                                      : "this is not a log of statements",
                 "known are " + names() + "; --log-format names one", ""};
  auto log = found->read(std::move(input));
  if (log && log->statements.empty())
    return Error{place, "no statement is in this log, read as " + log->format,
                 "does the server log statements (log_statement = all, "
                 "general_log = ON)?",
                 ""};
  return log;
}

}  // namespace txscope::logs
