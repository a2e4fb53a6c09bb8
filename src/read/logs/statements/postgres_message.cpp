#include "read/logs/statements/postgres_message.h"

#include <vector>

#include "read/logs/statements/csv_records.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

/// What stands behind "duration: 0.123 ms  ", or all of it.
std::string_view without_duration(std::string_view text) {
  if (!text.starts_with("duration: ")) return text;
  const std::size_t end = text.find(" ms");
  return end == text.npos ? text : trim(text.substr(end + 3));
}

/// Of "execute <unnamed>: UPDATE ..": the statement.
std::string_view behind_execute(std::string_view text) {
  const std::size_t colon = text.find(": ");
  return colon == text.npos ? std::string_view() : text.substr(colon + 2);
}

SentValues values_of(const std::string& detail) {
  for (const std::string_view mark : {"parameters: ", "Parameters: "})
    if (const std::size_t at = detail.find(mark); at != detail.npos)
      return postgres_parameters(
          std::string_view(detail).substr(at + mark.size()));
  return {};
}

std::vector<std::string> csv_fields(std::string_view text) {
  read::Input input = read::Input::of_text("pgaudit", std::string(text));
  CsvRecords records(input, {});
  std::vector<std::string> fields;
  (void)records.next(fields);
  return fields;
}

}  // namespace

void PostgresMessages::see(const PostgresEntry& entry) {
  const std::string_view text = without_duration(entry.message);
  if (entry.severity == "ERROR" || entry.severity == "FATAL") {
    builder_.mark_failed(entry.session);
  } else if (text.starts_with("statement: ")) {
    statement(entry, text.substr(11));
  } else if (text.starts_with("execute ")) {
    statement(entry, behind_execute(text));
  } else if (text.starts_with("AUDIT: ")) {
    audit(entry, text.substr(7));
  } else if (text.starts_with("disconnection: ")) {
    builder_.end_session(entry.line, entry.session);
  }
}

void PostgresMessages::statement(const PostgresEntry& entry,
                                 std::string_view text) {
  has_statements_ = true;
  sql::LoggedStatement& one = builder_.add(
      entry.line, entry.session, filled(text, values_of(entry.detail)));
  one.time = entry.time;
}

/// SESSION,statement,substatement,CLASS,COMMAND,TYPE,NAME,"text","parameters"
void PostgresMessages::audit(const PostgresEntry& entry,
                             std::string_view text) {
  if (has_statements_) return;  // the server logs them itself
  const std::vector<std::string> fields = csv_fields(text);
  if (fields.size() < 9 || fields[0] != "SESSION" || fields[2] != "1") return;
  const std::string number = entry.session + " " + fields[1];
  if (number == last_audit_) return;  // one line per table
  last_audit_ = number;
  SentValues values;
  if (fields[8] != "<none>" && fields[8] != "<not logged>")
    for (const std::string& value : csv_fields(fields[8]))
      values.by_place.push_back(sql_quoted(value));
  sql::LoggedStatement& one =
      builder_.add(entry.line, entry.session, filled(fields[7], values));
  one.time = entry.time;
}

}  // namespace txscope::logs
