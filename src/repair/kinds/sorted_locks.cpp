#include <algorithm>
#include <map>
#include <set>

#include "model/sql/walk.h"
#include "repair/kinds/changes.h"
#include "repair/routine_text.h"
#include "repair/update_text.h"

namespace txscope::repair {
namespace {

/// Rows that a routine locks, which it can name when it starts: by table, the
/// values of its key.
struct NamedRows {
  std::map<std::string, std::set<std::string>> keys;
};

std::string key_of(const sql::Table& table) {
  if (!table.has_primary_key || table.unique.front().columns.size() != 1)
    return "";
  return table.columns[table.unique.front().columns.front()].name;
}

/// Whether a value is one of parameters and constants alone.
bool is_known_at_start(const sql::Routine& routine, const std::string& value) {
  std::set<std::string> parameters;
  for (std::uint32_t slot = 1; slot <= routine.parameters; ++slot)
    parameters.insert(routine.variables[slot].name);
  if (parameters.contains(value)) return true;
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

/// The condition of UPDATE, DELETE or SELECT .. FOR UPDATE, and its table.
struct Locking {
  const sql::Table* table = nullptr;
  Piece condition;
};
std::optional<Locking> locking_in(const Problem& problem,
                                  const std::vector<Token>& words) {
  if (const auto update = update_in(problem, words)) {
    if (update->where == update->end) return Locking{update->table, {0, 0}};
    return Locking{update->table, {update->where + 1, update->end}};
  }
  if (words.size() > 4 && words[0].is("delete") && words[3].is("where"))
    return Locking{table_named(problem, words[2].word), {4, words.size()}};
  for (const QueryText& query : queries_in(problem, words))
    if (query.begin == 0 && query.is_locked && query.has_where())
      return Locking{query.table, {query.where + 1, query.tail}};
  return std::nullopt;
}

std::optional<std::string> key_in(const Problem& problem,
                                  const std::vector<Token>& words,
                                  const Locking& lock) {
  const std::string key = key_of(*lock.table);
  for (const Piece piece :
       split_at(words, lock.condition.from, lock.condition.to, "and"))
    if (const auto one = equality_of(problem, words, piece, *lock.table, ""))
      if (one->column == key) return one->value;
  return std::nullopt;
}

/// Locks of the rows that it names, tables and keys in order.
std::string locks_text(const NamedRows& rows, const Problem& problem,
                       const RoutineText& body) {
  std::string text;
  for (const auto& [name, values] : rows.keys) {
    const std::string key = key_of(*table_named(problem, name));
    std::string list;
    for (const std::string& value : values)
      list += (list.empty() ? "" : ", ") + value;
    const std::string where = values.size() == 1
                                  ? key + " = " + list
                                  : key + " IN (" + list + ") ORDER BY " + key;
    text += (text.empty() ? "" : "; ") +
            body.locking_query("FROM " + name + " WHERE " + where);
  }
  return text;
}

/// All rows that the routine names, before its first statement.
void lock_first(const Problem& problem, const sql::Routine& routine,
                const RoutineText& body, std::vector<Change>& all) {
  NamedRows rows;
  std::size_t count = 0;
  sql::for_each_statement(routine.body, [&](const sql::DbStatement& one) {
    const StatementText text(problem, one);
    const auto lock = locking_in(problem, text.words);
    if (!lock || lock->table == nullptr) return;
    const auto value = key_in(problem, text.words, *lock);
    if (value && is_known_at_start(routine, *value))
      count += rows.keys[lock->table->name].insert(*value).second ? 1 : 0;
  });
  if (count < 2) return;
  const auto edit = body.at_start(locks_text(rows, problem, body));
  if (!edit) return;
  Change change;
  change.what =
      "lock all rows of " + routine.name + " first, in the order of their keys";
  change.edits = {*edit};
  all.push_back(std::move(change));
}

/// The rows of a statement that locks several, in the order of their key.
void lock_in_order(const Problem& problem, const sql::DbStatement& statement,
                   std::vector<Change>& all) {
  const StatementText text(problem, statement);
  const auto lock = locking_in(problem, text.words);
  if (!lock || lock->table == nullptr || key_of(*lock->table).empty() ||
      key_in(problem, text.words, *lock))
    return;
  const std::string where =
      lock->condition.to == 0
          ? ""
          : " WHERE " + joined_text(problem, text.words, lock->condition.from,
                                    lock->condition.to);
  const auto edit = lock_before(problem, statement,
                                "FROM " + lock->table->name + where +
                                    " ORDER BY " + key_of(*lock->table));
  if (!edit) return;
  Change change;
  change.what = "lock the rows of " + line_of(problem, statement.at) +
                " in the order of their keys";
  change.edits = {*edit};
  all.push_back(std::move(change));
}

}  // namespace

std::vector<Change> sorted_locks(const Problem& problem) {
  std::vector<Change> all;
  for (const sql::Routine* routine : routines_of(problem)) {
    const RoutineText body(problem, *routine);
    if (!body.empty()) lock_first(problem, *routine, body, all);
  }
  for (const sql::DbStatement* statement : statements_of(problem))
    lock_in_order(problem, *statement, all);
  return all;
}

}  // namespace txscope::repair
