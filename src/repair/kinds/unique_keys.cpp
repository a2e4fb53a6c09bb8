#include <algorithm>
#include <set>

#include "model/sql/walk.h"
#include "repair/kinds/changes.h"
#include "repair/query_text.h"
#include "repair/routine_text.h"

namespace txscope::repair {
namespace {

bool is_comparison(const Token& word) {
  for (const std::string_view each : {"<", ">", "<=", ">=", "=", "<>", "!="})
    if (word.is(each)) return true;
  return false;
}
bool is_number(const Token& word) {
  return word.kind == sql::TokenKind::Number;
}

/// Whether words [from, to) are compared with something that is no number.
bool meets_limit(const std::vector<Token>& words, std::size_t from,
                 std::size_t to) {
  const bool before =
      from > 1 && is_comparison(words[from - 1]) && !is_number(words[from - 2]);
  const bool behind = to + 1 < words.size() && is_comparison(words[to]) &&
                      !is_number(words[to + 1]);
  return before || behind;
}

/// Of what is counted there may be more than one: a variable is the limit.
bool has_limit(const Problem& problem, const sql::DbStatement& statement,
               const std::vector<Token>& words, const QueryText& query) {
  if (!query.is_grouped) return false;
  const sql::Routine* routine = routine_with(problem, statement);
  if (routine == nullptr) return true;
  if (query.begin > 0 && meets_limit(words, query.begin - 1, query.end + 1))
    return true;
  const RoutineText body(problem, *routine);
  bool found = false;
  sql::for_each_pl(routine->body, [&](const sql::PlStatement& one) {
    const auto* execute = std::get_if<sql::PlExecute>(&one.what);
    if (execute == nullptr || &execute->statement != &statement) return;
    for (const std::uint32_t slot : execute->into)
      for (std::size_t i = 0; i < body.words().size(); ++i)
        found =
            found || (body.words()[i].word == routine->variables[slot].name &&
                      meets_limit(body.words(), i, i + 1));
  });
  return found;
}

/// The tables that rows come into, or whose rows get other values.
std::set<std::string> growing_tables(const Problem& problem, bool by_update) {
  std::set<std::string> names;
  for (const sql::DbStatement* statement : statements_of(problem)) {
    const bool is_it =
        by_update ? std::holds_alternative<sql::Update>(statement->what)
                  : std::holds_alternative<sql::Insert>(statement->what);
    if (is_it)
      names.insert(
          problem.application->schema.at(statement->target()->table).name);
  }
  return names;
}

bool is_key(const sql::Table& table, const std::set<std::string>& columns) {
  return std::any_of(
      table.unique.begin(), table.unique.end(), [&](const auto& key) {
        return std::all_of(key.columns.begin(), key.columns.end(),
                           [&](std::uint32_t c) {
                             return columns.contains(table.columns[c].name);
                           });
      });
}

/// In the order of the table's columns.
std::string listed(const sql::Table& table,
                   const std::set<std::string>& names) {
  std::string text;
  for (const sql::Column& column : table.columns)
    if (names.contains(column.name))
      text += (text.empty() ? "" : ", ") + column.name;
  return text;
}

class KeyFinder {
 public:
  explicit KeyFinder(const Problem& problem)
      : problem_(problem),
        inserted_(growing_tables(problem, false)),
        updated_(growing_tables(problem, true)) {}

  std::vector<Change> run() {
    for (const sql::DbStatement* statement : statements_of(problem_)) {
      const StatementText text(problem_, *statement);
      for (const QueryText& query : queries_in(problem_, text.words))
        if (query.table != nullptr && query.has_where() &&
            !has_limit(problem_, *statement, text.words, query))
          look_at(text.words, query);
    }
    return std::move(all_);
  }

 private:
  void look_at(const std::vector<Token>& words, const QueryText& query) {
    const sql::Table& table = *query.table;
    const std::vector<Equality> by = equalities_of(problem_, words, query);
    // Where more is asked, rows with the same values may stand side by side.
    if (by.size() != split_at(words, query.where + 1, query.tail, "and").size())
      return;
    std::set<std::string> looked_for;
    std::set<std::string> fixed;
    std::string where;
    for (const Equality& one : by) {
      (one.is_constant ? fixed : looked_for).insert(one.column);
      if (one.is_constant)
        where +=
            (where.empty() ? "" : " AND ") + one.column + " = " + one.value;
    }
    if (is_key(table, looked_for)) return;
    if (!looked_for.empty() && inserted_.contains(table.name))
      declare(table, looked_for);
    const bool is_partial =
        !where.empty() && !problem_.is_mysql &&
        (updated_.contains(table.name) || inserted_.contains(table.name));
    // Of one state there is one row, or one per value.
    if (is_partial)
      index(table, looked_for.empty() ? fixed : looked_for, where);
  }

  void declare(const sql::Table& table, const std::set<std::string>& columns) {
    const std::string key = "UNIQUE (" + listed(table, columns) + ")";
    add(table, "declare " + key + " of " + table.name,
        "ALTER TABLE " + table.name + " ADD " + key);
  }
  void index(const sql::Table& table, const std::set<std::string>& columns,
             const std::string& where) {
    const std::string key = " (" + listed(table, columns) + ") WHERE " + where;
    add(table,
        "make " + listed(table, columns) + " of " + table.name +
            " unique where " + where,
        "CREATE UNIQUE INDEX ON " + table.name + key);
  }

  void add(const sql::Table& table, std::string what,
           const std::string& statement) {
    Change change;
    change.what = std::move(what);
    change.edits = {at_the_end(problem_, table, statement)};
    const bool is_known = std::any_of(
        all_.begin(), all_.end(),
        [&](const Change& known) { return known.edits == change.edits; });
    if (!is_known) all_.push_back(std::move(change));
  }

  const Problem& problem_;
  const std::set<std::string> inserted_;
  const std::set<std::string> updated_;
  std::vector<Change> all_;
};

}  // namespace

std::vector<Change> unique_keys(const Problem& problem) {
  return KeyFinder(problem).run();
}

}  // namespace txscope::repair
