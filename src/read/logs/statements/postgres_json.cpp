#include <simdjson.h>

#include "read/logs/statements/formats.h"
#include "read/logs/statements/postgres_message.h"

namespace txscope::logs {
namespace {

std::string member(const simdjson::dom::object& object, std::string_view name) {
  std::string_view text;
  if (!object[name].get_string().get(text)) return std::string(text);
  return {};
}

}  // namespace

bool is_postgres_json(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return line.starts_with('{') && line.find("\"session_id\"") != line.npos &&
         line.find("\"error_severity\"") != line.npos;
}

StatementLogResult read_postgres_json(read::Input input) {
  LogBuilder builder(input.name(), "jsonlog of PostgreSQL",
                     sql::Dialect::Postgresql);
  PostgresMessages messages(builder);
  simdjson::dom::parser parser;
  for (std::string_view line; input.next_line(line);) {
    simdjson::dom::object object;
    if (parser.parse(std::string(line)).get_object().get(object)) {
      builder.skip(input.line());
      continue;
    }
    messages.see({input.line(), member(object, "session_id"),
                  log_time(member(object, "timestamp")),
                  member(object, "error_severity"), member(object, "message"),
                  member(object, "detail")});
  }
  if (input.error()) return *input.error();
  return builder.finish();
}

}  // namespace txscope::logs
