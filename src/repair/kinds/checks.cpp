#include <algorithm>
#include <set>

#include "repair/kinds/changes.h"
#include "repair/update_text.h"

namespace txscope::repair {
namespace {

/// Groups of names that are looked at together: the values that a query gives,
/// and each condition.
std::vector<std::set<std::string>> names_together(const Problem& problem) {
  std::vector<std::set<std::string>> all;
  const auto add = [&](const std::vector<Token>& words, Piece piece) {
    std::set<std::string> names;
    for (std::size_t i = piece.from; i < piece.to; ++i)
      if (words[i].is_name()) names.insert(words[i].word);
    all.push_back(std::move(names));
  };
  for (const sql::DbStatement* statement : statements_of(problem)) {
    const StatementText text(problem, *statement);
    for (const QueryText& query : queries_in(problem, text.words)) {
      add(text.words, {query.begin, query.from});
      for (const Piece piece :
           split_at(text.words, query.where, query.tail, "and"))
        add(text.words, piece);
    }
    if (const auto update = update_in(problem, text.words))
      for (const Piece piece :
           split_at(text.words, update->where, update->end, "and"))
        add(text.words, piece);
  }
  return all;
}

/// What a number that is added to must not pass: columns of the same type that
/// somebody looks at together with it.
std::vector<std::string> limits_of(
    const sql::Table& table, const std::string& column,
    const std::vector<std::set<std::string>>& groups) {
  std::vector<std::string> all;
  const auto type = table.columns[*column_of(table, column)].type.name;
  for (const sql::Column& other : table.columns) {
    if (other.name == column || other.type.name != type) continue;
    const bool is_seen =
        std::any_of(groups.begin(), groups.end(), [&](const auto& names) {
          return names.contains(column) && names.contains(other.name);
        });
    if (is_seen) all.push_back(other.name);
  }
  return all;
}

Change declare(const Problem& problem, const sql::Table& table,
               const std::string& condition) {
  Change change;
  change.what = "declare CHECK (" + condition + ") of " + table.name;
  change.edits = {at_the_end(
      problem, table,
      "ALTER TABLE " + table.name + " ADD CHECK (" + condition + ")")};
  return change;
}

}  // namespace

std::vector<Change> checks(const Problem& problem) {
  std::vector<Change> all;
  const auto groups = names_together(problem);
  const auto add = [&](Change change) {
    const bool is_known = std::any_of(
        all.begin(), all.end(),
        [&](const Change& known) { return known.edits == change.edits; });
    if (!is_known) all.push_back(std::move(change));
  };
  for (const sql::DbStatement* statement : statements_of(problem)) {
    const StatementText text(problem, *statement);
    const auto update = update_in(problem, text.words);
    if (!update) continue;
    for (const auto& one : update->assignments) {
      if (one.sign == '-')
        add(declare(problem, *update->table, one.column + " >= 0"));
      if (one.sign != '+') continue;
      for (const std::string& limit :
           limits_of(*update->table, one.column, groups))
        add(declare(problem, *update->table, one.column + " <= " + limit));
    }
  }
  return all;
}

}  // namespace txscope::repair
