#include <vector>

#include "read/logs/statements/csv_records.h"
#include "read/logs/statements/formats.h"
#include "read/logs/statements/postgres_message.h"

namespace txscope::logs {
namespace {

// log_time, user_name, database_name, process_id, connection_from, session_id,
// session_line_num, command_tag, session_start_time, virtual_transaction_id,
// transaction_id, error_severity, sql_state_code, message, detail, ..
constexpr std::size_t kSession = 5;
constexpr std::size_t kSeverity = 11;
constexpr std::size_t kMessage = 13;
constexpr std::size_t kDetail = 14;
constexpr std::size_t kFewestFields = 22;

}  // namespace

bool is_postgres_csv(std::string_view head) {
  read::Input input =
      read::Input::of_text("head", std::string(head.substr(0, 20'000)));
  CsvRecords records(input, {});
  std::vector<std::string> fields;
  return records.next(fields) && fields.size() > kFewestFields &&
         log_time(fields[0]) && fields[kSession].find('.') != std::string::npos;
}

StatementLogResult read_postgres_csv(read::Input input) {
  LogBuilder builder(input.name(), "csvlog of PostgreSQL",
                     sql::Dialect::Postgresql);
  PostgresMessages messages(builder);
  CsvRecords records(input, {});
  std::vector<std::string> fields;
  while (records.next(fields)) {
    if (fields.size() <= kFewestFields) {
      builder.skip(records.line());
      continue;
    }
    messages.see({records.line(), fields[kSession], log_time(fields[0]),
                  fields[kSeverity], fields[kMessage], fields[kDetail]});
  }
  if (input.error()) return *input.error();
  builder.log().is_cut = records.is_cut();
  return builder.finish();
}

}  // namespace txscope::logs
