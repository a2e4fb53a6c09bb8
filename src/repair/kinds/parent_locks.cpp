#include "repair/kinds/changes.h"
#include "repair/parents.h"
#include "repair/query_text.h"
#include "repair/routine_text.h"

namespace txscope::repair {
namespace {

void add_parents(const Problem& problem, const sql::DbStatement& statement,
                 const std::vector<Equality>& equalities,
                 const sql::Table& child, std::vector<Change>& all) {
  for (const Equality& one : equalities) {
    if (one.is_constant || one.is_outside) continue;
    const auto column = column_of(child, one.column);
    const auto parent = parent_of(problem.application->schema, child, *column);
    if (!parent) continue;
    const auto edit = lock_before(problem, statement,
                                  "FROM " + parent->table->name + " WHERE " +
                                      parent->key + " = " + one.value);
    if (!edit) continue;
    Change change;
    change.what = "lock the row of " + parent->table->name + " before " +
                  line_of(problem, statement.at);
    change.edits = {*edit};
    all.push_back(std::move(change));
  }
}

}  // namespace

std::vector<Change> parent_locks(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::DbStatement* statement : changeable_statements_of(problem)) {
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words))
      if (query.table != nullptr)
        add_parents(problem, *statement,
                    equalities_of(problem, text.words, query), *query.table,
                    all);
  }
  return all;
}

}  // namespace txscope::repair
