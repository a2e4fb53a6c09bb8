#include "audit/attempt/shown_ids.h"

namespace txscope::audit {

std::vector<std::int64_t> shown_ids(const sql::Schema& schema,
                                    const sql::DbStatement& statement,
                                    const sql::LogStatement& observed) {
  std::vector<std::int64_t> ids;
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  if (insert == nullptr || !observed.rows) return ids;
  const sql::Table& table = schema.at(insert->target.table);
  for (std::size_t i = 0; i < statement.returning.size(); ++i) {
    const sql::Expr& e = statement.returning[i].expr;
    if (e.op != sql::Op::Column || !table.columns[e.index].sequence) continue;
    for (const sql::Row& row : *observed.rows)
      if (i < row.size() && row[i].kind() == sql::Kind::Integer)
        ids.push_back(row[i].integer());
    break;
  }
  return ids;
}

}  // namespace txscope::audit
