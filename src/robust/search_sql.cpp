#include "robust/search_sql.h"

namespace txscope::robust {

Result<SqlSearchAnswer> search_sql(const sql::Application& application,
                                   const SearchQuestion& question,
                                   const Budget& budget) {
  SqlSearchAnswer out;
  auto exploration = explore::search_sql(
      application, question.loop_bound, budget,
      [&](const explore::SqlExploration& rows, const Budget& pass) {
        out.answer = search(rows.script(), question, pass);
      });
  if (!exploration) return exploration.error();
  out.exploration = std::move(*exploration);
  return out;
}

}  // namespace txscope::robust
