#include <set>

#include "model/sql/walk.h"
#include "repair/kinds/changes.h"
#include "repair/kinds/slot_use.h"
#include "repair/query_text.h"

namespace txscope::repair {
namespace {

/// UPDATE or DELETE of a table.
bool changes(const Problem& problem, const sql::DbStatement& statement,
             const sql::Table& table) {
  const bool is_change = std::holds_alternative<sql::Update>(statement.what) ||
                         std::holds_alternative<sql::Delete>(statement.what);
  return is_change &&
         &problem.application->schema.at(statement.target()->table) == &table;
}

/// Whether the row that a query finds is then changed: by the statement around
/// it, or by one that looks at the variables that it fills.
bool is_taken(const Problem& problem, const sql::DbStatement& statement,
              const sql::Table& table) {
  if (changes(problem, statement, table)) return true;
  const sql::Routine* routine = routine_with(problem, statement);
  if (routine == nullptr) return false;
  std::set<std::uint32_t> filled;
  sql::for_each_pl(routine->body, [&](const sql::PlStatement& one) {
    const auto* execute = std::get_if<sql::PlExecute>(&one.what);
    if (execute != nullptr && &execute->statement == &statement)
      filled.insert(execute->into.begin(), execute->into.end());
  });
  bool found = false;
  sql::for_each_statement(routine->body, [&](const sql::DbStatement& other) {
    if (!changes(problem, other, table)) return;
    for (const std::uint32_t slot : variables_in(other))
      found = found || filled.contains(slot);
  });
  return found;
}

}  // namespace

std::vector<Change> skipped_locks(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::DbStatement* statement : changeable_statements_of(problem)) {
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words)) {
      if (!query.has_limit || query.is_locked || query.is_grouped ||
          query.table == nullptr ||
          !is_taken(problem, *statement, *query.table))
        continue;
      Change change;
      change.what = "SELECT .. FOR UPDATE SKIP LOCKED at " +
                    line_of(problem, statement->at);
      change.edits = {
          {text.words[query.end - 1].end(), 0, " FOR UPDATE SKIP LOCKED"}};
      change.locks = {{statement->at, false}};
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace txscope::repair
