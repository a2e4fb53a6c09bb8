// What COPY moves between a client and a table.

#include "db/proxy/postgres_tap.h"
#include "read/sql/text/copy_command.h"

namespace txscope::db {

void PostgresTap::copy_begins(WireReader& reader) {
  copied_.reset();
  if (LoggedStatement* statement = current()) statement->opaque = kCopy;
  if (reader.byte() == 0) copied_.emplace();  // text, not binary
}

void PostgresTap::copy_data(const WireSplitter::Message& message) {
  if (!copied_) return;
  const bool is_kept =
      message.is_whole &&
      kept_bytes_ + copied_->size() + message.body.size() < limits_.transaction;
  if (is_kept)
    *copied_ += message.body;
  else
    copied_.reset();
}

std::vector<LoggedStatement> PostgresTap::with_copied(
    LoggedStatement statement) {
  const auto data = std::exchange(copied_, std::nullopt);
  const auto command = data ? sql::copy_command(statement.sql) : std::nullopt;
  if (!command) return {std::move(statement)};
  const auto rows = sql::copied_rows(*data, command->format);
  statement.opaque.clear();
  if (!command->is_from) {
    statement.has_rows = true;
    for (const auto& fields : rows) {
      auto& row = statement.answer.rows.emplace_back();
      for (const sql::CopyField& field : fields)
        row.push_back(field.is_null ? Cell() : Cell(field.text));
      kept_bytes_ += cost_of(row);
    }
    if (!rows.empty()) statement.answer.columns.resize(rows.front().size());
    return {std::move(statement)};
  }
  std::vector<LoggedStatement> inserts;
  for (sql::CopiedInsert& insert : sql::inserts_of(*command, rows)) {
    LoggedStatement& one = inserts.emplace_back(statement);
    one.sql = std::move(insert.sql);
    one.has_count = true;
    one.answer.count = insert.rows;
  }
  // A trigger may have left out some.
  if (inserts.size() == 1) inserts[0].answer.count = statement.answer.count;
  return inserts;
}

}  // namespace txscope::db
