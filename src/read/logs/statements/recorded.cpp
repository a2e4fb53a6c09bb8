#include <string>

#include "read/logs/log_reader.h"
#include "read/logs/statements/formats.h"
#include "read/logs/statements/log_builder.h"
#include "read/logs/statements/placeholders.h"

namespace txscope::logs {
namespace {

SentValues values_of_recorded(const sql::LogStatement& statement) {
  SentValues values;
  for (const sql::Value& value : statement.parameters)
    values.by_place.push_back(to_literal(value));
  return values;
}

}  // namespace

StatementLogResult read_recorded(read::Input input) {
  const std::string file = input.name();
  auto opened = logs::LogReader::open(std::move(input));
  if (!opened) return opened.error();
  const sql::LogHeader& header = opened->header();
  LogBuilder builder(file, "recording of txscope", header.dialect);
  builder.log().setup = header.setup;
  builder.log().level = header.level;
  for (;;) {
    auto next = opened->next();
    if (!next) return next.error();
    if (!*next) break;
    const sql::LogTransaction& one = **next;
    const auto add = [&](std::string text) -> sql::LoggedStatement& {
      sql::LoggedStatement& statement =
          builder.add(one.line, one.session, std::move(text));
      statement.time = one.start;
      return statement;
    };
    add("BEGIN");
    for (const sql::LogStatement& inner : one.statements) {
      sql::LoggedStatement& statement =
          add(filled(inner.sql, values_of_recorded(inner)));
      statement.rows = inner.rows;
      statement.has_failed = inner.error.has_value();
    }
    add(one.status == sql::LogStatus::Committed ? "COMMIT" : "ROLLBACK");
  }
  builder.log().is_cut = opened->is_cut();
  return builder.finish();
}

}  // namespace txscope::logs
