#include <vector>

#include "read/logs/statements/csv_records.h"
#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"

namespace txscope::logs {
namespace {

// timestamp, serverhost, username, host, connectionid, queryid, operation,
// database, object, retcode
constexpr std::size_t kFieldsOfAudit = 10;
constexpr CsvStyle kAuditStyle{',', '\'', true};

bool is_audit(const std::vector<std::string>& fields) {
  return fields.size() >= kFieldsOfAudit && log_time(fields[0]) &&
         (fields[6] == "QUERY" || fields[6] == "CONNECT" ||
          fields[6] == "DISCONNECT" || fields[6] == "READ" ||
          fields[6] == "WRITE" || fields[6] == "FAILED_CONNECT");
}

}  // namespace

bool is_mysql_audit(std::string_view head) {
  read::Input input =
      read::Input::of_text("head", std::string(head.substr(0, 20'000)));
  CsvRecords records(input, kAuditStyle);
  std::vector<std::string> fields;
  return records.next(fields) && is_audit(fields);
}

StatementLogResult read_mysql_audit(read::Input input) {
  LogBuilder builder(input.name(), "server audit log of MariaDB",
                     sql::Dialect::Mariadb);
  CsvRecords records(input, kAuditStyle);
  std::vector<std::string> fields;
  while (records.next(fields)) {
    if (!is_audit(fields)) {
      builder.skip(records.line());
      continue;
    }
    const std::string& session = fields[4];
    if (fields[6] == "QUERY") {
      sql::LoggedStatement& one =
          builder.add(records.line(), session, fields[8]);
      one.time = log_time(fields[0]);
      one.has_failed = fields[9] != "0";
    } else if (fields[6] == "DISCONNECT") {
      builder.end_session(records.line(), session);
    }
  }
  if (input.error()) return *input.error();
  builder.log().is_cut = records.is_cut();
  return builder.finish();
}

}  // namespace txscope::logs
