#include <vector>

#include "read/logs/statements/csv_records.h"
#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

// event_time, user_host, thread_id, server_id, command_type, argument
constexpr std::size_t kFieldsOfTable = 6;

/// The file of the CSV engine (mysql/general_log.CSV), or what the client shows
/// in batch mode: SELECT * FROM mysql.general_log.
CsvStyle style_of_table(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const bool is_csv = line.starts_with('"');
  return {is_csv ? ',' : '\t', is_csv ? '"' : '\0', true};
}

bool is_header_of_table(const std::vector<std::string>& fields) {
  return fields.size() == kFieldsOfTable && fields[0] == "event_time";
}

}  // namespace

bool is_mysql_table(std::string_view head) {
  read::Input input =
      read::Input::of_text("head", std::string(head.substr(0, 20'000)));
  CsvRecords records(input, style_of_table(head));
  std::vector<std::string> fields;
  return records.next(fields) &&
         (is_header_of_table(fields) ||
          (fields.size() == kFieldsOfTable && log_time(fields[0]) &&
           fields[1].find(" @ ") != std::string::npos));
}

StatementLogResult read_mysql_table(read::Input input) {
  LogBuilder builder(input.name(), "table mysql.general_log",
                     sql::Dialect::Mariadb);
  CsvRecords records(input, style_of_table(input.head()));
  std::vector<std::string> fields;
  while (records.next(fields)) {
    if (is_header_of_table(fields)) continue;
    if (fields.size() != kFieldsOfTable) {
      builder.skip(records.line());
      continue;
    }
    if (fields[4] == "Query" || fields[4] == "Execute")
      builder.add(records.line(), fields[2], fields[5]).time =
          log_time(fields[0]);
    else if (fields[4] == "Quit" || fields[4] == "Connect")
      builder.end_session(records.line(), fields[2]);
  }
  if (input.error()) return *input.error();
  builder.log().is_cut = records.is_cut();
  return builder.finish();
}

}  // namespace txscope::logs
