#include "model/sql/value/shown.h"

#include <algorithm>

#include "model/answer.h"

namespace txscope::sql {
namespace {

constexpr std::size_t kMaxShownRows = 3;

}  // namespace

std::string shown_statement(const Application& application,
                            const DbStatement& statement,
                            std::span<const Value> slots) {
  if (statement.is_of_commit()) return "COMMIT";
  return one_line(text_with_values(application, statement, slots));
}

std::string shown_result(const DbStatement& statement,
                         std::span<const Row> rows, std::uint64_t count) {
  return shown_rows(statement.is_select() || !statement.returning.empty(), rows,
                    count);
}

std::string shown_rows(bool gives_rows, std::span<const Row> rows,
                       std::uint64_t count) {
  if (!gives_rows || (rows.empty() && count > 0)) {
    return std::to_string(count) + (count == 1 ? " row" : " rows");
  }
  if (rows.empty()) return "no row";
  const auto text = [](const Row& row) {
    return row.size() == 1 ? to_string(row.front()) : row_text(row);
  };
  if (rows.size() == 1) return text(rows.front());
  std::string out = std::to_string(rows.size()) + " rows: ";
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxShownRows); ++i) {
    if (i > 0) out += ", ";
    out += text(rows[i]);
  }
  return rows.size() > kMaxShownRows ? out + ", .." : out;
}

}  // namespace txscope::sql
