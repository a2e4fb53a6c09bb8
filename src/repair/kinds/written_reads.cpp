#include <algorithm>
#include <cctype>
#include <regex>

#include "repair/kinds/changes.h"
#include "repair/query_text.h"
#include "repair/routine_text.h"

namespace txscope::repair {
namespace {

/// After `a = read x` of a `.txn` program: `write x = a`.
std::vector<Change> written_registers(const Problem& problem) {
  static const std::regex form(R"(^\s*(\w+)\s*=\s*read\s+(.+?)\s*;?\s*$)");
  std::vector<Change> all;
  for (const Span at : problem.steps) {
    if (at.offset + at.length > problem.text.size()) continue;
    const std::string span(problem.text.substr(at.offset, at.length));
    std::smatch found;
    if (!std::regex_search(span, found, form)) continue;
    Change change;
    change.what = "write " + found[2].str() + ", which " +
                  line_of(problem, at) + " relies on";
    change.edits = {{at.offset + span.find_last_not_of("; \n\t") + 1, 0,
                     "; write " + found[2].str() + " = " + found[1].str()}};
    all.push_back(std::move(change));
  }
  return all;
}

/// A column that no key of the table has; empty: there is none.
std::string plain_column(const sql::Table& table) {
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    const bool is_key = std::any_of(
        table.unique.begin(), table.unique.end(), [&](const auto& key) {
          return std::find(key.columns.begin(), key.columns.end(), c) !=
                 key.columns.end();
        });
    if (!is_key) return table.columns[c].name;
  }
  return "";
}

std::optional<Change> write_rows(const Problem& problem,
                                 const sql::DbStatement& statement,
                                 const std::vector<Token>& words,
                                 const QueryText& query) {
  if (query.table == nullptr || !query.has_where()) return std::nullopt;
  const std::string column = plain_column(*query.table);
  const sql::Routine* routine = routine_with(problem, statement);
  if (column.empty() || routine == nullptr) return std::nullopt;
  const std::string alias = query.alias.empty() ? "" : " " + query.alias;
  const std::string update =
      "UPDATE " + query.table->name + alias + " SET " + column + " = " +
      column + " " + joined_text(problem, words, query.where, query.tail);
  const RoutineText body(problem, *routine);
  auto edit = body.before(statement.at.offset, update);
  if (!edit && routine->is_script && !statement.is_expression)
    edit = Edit{statement.at.offset, 0, update + "; "};
  if (!edit) return std::nullopt;
  Change change;
  change.what = "write the rows of " + query.table->name + " that " +
                line_of(problem, statement.at) + " relies on";
  change.edits = {*edit};
  return change;
}

}  // namespace

std::vector<Change> written_reads(const Problem& problem) {
  if (problem.application == nullptr) return written_registers(problem);
  std::vector<Change> all;
  for (const sql::DbStatement* statement : changeable_statements_of(problem)) {
    if (!statement->is_select()) continue;
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words))
      if (auto change = write_rows(problem, *statement, text.words, query))
        all.push_back(std::move(*change));
  }
  return all;
}

}  // namespace txscope::repair
