#include "robust/search_sql.h"

namespace txscope::robust {

Result<SqlSearchAnswer> search_sql(const sql::Application& application,
                                   const SearchQuestion& question,
                                   const Budget& budget) {
  SqlSearchAnswer out;
  auto exploration =
      sql::search_sql(application, question.loop_bound, budget,
                      [&](const sql::SqlExploration& rows, const Budget& pass) {
                        out.answer = search(rows.script(), question, pass);
                      });
  if (!exploration) return exploration.error();
  out.exploration = std::move(*exploration);
  return out;
}

}  // namespace txscope::robust
