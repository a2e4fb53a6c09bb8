#include "repair/kinds/changes.h"
#include "repair/query_text.h"
#include "repair/routine_text.h"

namespace txscope::repair {
namespace {

/// The side that an outer join may lack cannot be locked.
bool has_outer_join(const std::vector<Token>& words, const QueryText& query) {
  for (std::size_t i = query.from; i < query.where; ++i)
    for (const std::string_view side : {"left", "right", "full"})
      if (words[i].is(side)) return true;
  return false;
}

Change lock_here(const Problem& problem, const sql::DbStatement& statement,
                 const std::vector<Token>& words, const QueryText& query) {
  Change change;
  change.what = "SELECT .. FOR UPDATE at " + line_of(problem, statement.at);
  change.edits = {{words[query.end - 1].end(), 0, " FOR UPDATE"}};
  change.locks = {{statement.at, false}};
  return change;
}

/// The same rows, before they are counted.
std::vector<Change> lock_before_it(const Problem& problem,
                                   const sql::DbStatement& statement,
                                   const std::vector<Token>& words,
                                   const QueryText& query) {
  const auto edit = lock_before(
      problem, statement, joined_text(problem, words, query.from, query.tail));
  if (!edit) return {};
  Change change;
  change.what = "lock the same rows with SELECT .. FOR UPDATE just before " +
                line_of(problem, statement.at);
  change.edits = {*edit};
  change.locks = {{statement.at, true}};
  return {change};
}

}  // namespace

std::vector<Change> row_locks(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::DbStatement* statement : changeable_statements_of(problem)) {
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words)) {
      if (query.is_locked || query.from == query.where ||
          has_outer_join(text.words, query))
        continue;
      if (!query.is_grouped)
        all.push_back(lock_here(problem, *statement, text.words, query));
      else
        for (Change& change :
             lock_before_it(problem, *statement, text.words, query))
          all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace txscope::repair
