// MERGE, row by row of its join, as exec's Writer does it.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "symbolic/write/writer.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

bool looks_at(const sql::Query& query, TableId table) {
  return std::any_of(query.relations.begin(), query.relations.end(),
                     [&](const sql::Relation& relation) {
                       return relation.query != nullptr
                                  ? looks_at(*relation.query, table)
                                  : relation.table == table;
                     });
}

}  // namespace

Term SymbolicWriter::execute(const sql::Merge& merge,
                             const sql::DbStatement& statement) {
  const TableId table = merge.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  const std::vector<GuardedRow> there = tables_.targets(table);
  TermRow none;
  for (const sql::Column& column : shape.columns)
    none.push_back(q_.null_of(kind_of(column.type.name)));
  sql::Query source = *merge.joined;  // without the target
  const std::optional<sql::Expr> on = source.joins.back().on;
  source.relations.pop_back();
  source.joins.pop_back();
  // Every row could bring another one, which brings the next.
  if (merge.does<sql::Insert>() && shape.has_primary_key &&
      looks_at(source, table))
    throw Unsupported{path_.at, "MERGE that inserts rows made of its target's"};
  SymbolicQueries queries = this->queries();
  // All of the join is found before anything is changed.
  std::vector<Merging> all;  // a source's row with those that it fits, and none
  std::vector<std::optional<std::size_t>> target_of;
  path_.evaluated([&] {
    for (const SymbolicQueries::FromRow& given : queries.from(source)) {
      std::vector<Term> any;
      for (std::size_t r = 0; r < there.size(); ++r) {
        Merging both{merge, statement, given.rows,
                     t_.all_of({given.guard, there[r].present})};
        if (t_.is_false(both.when)) continue;
        if (tables_.has_exact_reads())
          tables_.ask_for_target(table, r, given.guard);
        both.rows.push_back(&there[r].columns);
        q_.path = both.when;
        if (on) {
          const TermScope scope{both.rows.data(), nullptr, nullptr};
          both.when =
              t_.all_of({both.when, q_.is_true(queries.evaluate(*on, scope))});
        }
        if (t_.is_false(both.when)) continue;
        any.push_back(both.when);
        all.push_back(std::move(both));
        target_of.emplace_back(r);
      }
      Merging alone{merge, statement, given.rows,
                    t_.all_of({given.guard, t_.negation(t_.any_of(any))})};
      alone.rows.push_back(&none);
      if (t_.is_false(alone.when)) continue;
      all.push_back(std::move(alone));
      target_of.emplace_back(std::nullopt);
    }
    return 0;
  });
  Term count = t_.integer(0);
  for (std::size_t i = 0; i < all.size() && !path_.is_dead(); ++i) {
    const auto r = target_of[i];
    count = t_.add(count, r ? merge_matched(all[i], *r, there[*r])
                            : merge_missing(all[i]));
  }
  return count;
}

/// The paths of `rest` on which an arm is the first whose condition holds; they
/// leave `rest`.
Term SymbolicWriter::takes(const sql::Merge::Arm& arm, const TermScope& scope,
                           Term& rest) {
  if (!arm.condition) return std::exchange(rest, t_.boolean(false));
  const Term holds = path_.evaluated([&] {
    q_.path = rest;
    SymbolicQueries queries = this->queries();
    return q_.is_true(queries.evaluate(*arm.condition, scope));
  });
  const Term taken = t_.all_of({rest, holds});
  rest = t_.all_of({rest, t_.negation(holds)});
  return taken;
}

Term SymbolicWriter::merge_matched(const Merging& now, std::size_t r,
                                   const GuardedRow& there) {
  const TableId table = now.merge.target.table;
  const sql::Table& shape = tables_.schema().at(table);
  const TermScope scope{now.rows.data(), nullptr, nullptr};
  Term rest = now.when;
  Term count = t_.integer(0);
  for (const sql::Merge::Arm& arm : now.merge.arms) {
    if (!arm.is_matched || t_.is_false(rest)) continue;
    const Term when = takes(arm, scope, rest);
    if (t_.is_false(when) ||
        std::holds_alternative<sql::Merge::Nothing>(arm.action))
      continue;
    for (const RowChange& own : tables_.changed()) {
      if (own.table == table && own.row == r)  // a second time
        path_.fail(t_.all_of({when, own.guard}), "21000");
    }
    const auto* update = std::get_if<sql::Update>(&arm.action);
    if (update == nullptr) {
      count = t_.add(count, remove_row(now.statement, table, r, there, when));
      continue;
    }
    GuardedRow after = there;
    path_.evaluated([&] {
      q_.path = when;
      after.columns = with_changes(shape, update->set, scope, there.columns);
      return 0;
    });
    count = t_.add(count,
                   change_row(now.statement, *update, r, there, after, when));
  }
  return count;
}

Term SymbolicWriter::merge_missing(const Merging& now) {
  const sql::Table& shape = tables_.schema().at(now.merge.target.table);
  const TermScope scope{now.rows.data(), nullptr, nullptr};
  Term rest = now.when;
  Term count = t_.integer(0);
  for (const sql::Merge::Arm& arm : now.merge.arms) {
    if (arm.is_matched || t_.is_false(rest)) continue;
    const Term when = takes(arm, scope, rest);
    const auto* insert = std::get_if<sql::Insert>(&arm.action);
    if (insert == nullptr || t_.is_false(when)) continue;
    const TermRow row = path_.evaluated([&] {
      q_.path = when;
      return row_to_insert(*insert, shape, 0, {}, scope);
    });
    count = t_.add(count, insert_row(*insert, now.statement, shape, row, when));
  }
  return count;
}

}  // namespace txscope::symbolic
