// Which rows scans ask for: by exec's plans, all rows at once.

#include <algorithm>

#include "symbolic/query/query.h"

namespace txscope::symbolic {

using smt::Term;

/// Nothing if it may fail; the failure is noted where the rows are tested.
template <class F>
std::optional<SqlTerm> SymbolicQueries::quietly(F&& evaluate) {
  const std::size_t errors = q_.errors.size();
  const Term cut = q_.cut;
  const SqlTerm value = evaluate();
  const bool may_fail = q_.errors.size() > errors || q_.cut != cut;
  q_.errors.resize(errors);
  q_.cut = cut;
  if (may_fail) return std::nullopt;
  return value;
}

/// `when`, and all conditions hold, or fail.
Term SymbolicQueries::are_true(std::span<const sql::Expr* const> conditions,
                               const TermScope& scope, Term when) {
  for (const sql::Expr* e : conditions) {
    if (t_.is_false(when)) break;
    const auto holds = quietly(
        [&] { return under(when, [&] { return evaluate(*e, scope); }); });
    if (holds) when = t_.all_of({when, q_.is_true(*holds)});
  }
  return when;
}

void SymbolicQueries::ask(const sql::Relation& relation,
                          const sql::RelationPlan& plan,
                          const std::vector<GuardedRow>& rows,
                          const Joined& left, const TermScope* outer,
                          const SeenRows::OnScan& asks) {
  const sql::Table& table = rows_.schema->at(relation.table);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Term when = is_asked_for(table, plan, rows[r].columns, left, outer);
    if (!t_.is_false(when)) asks(relation.table, r, when);
  }
}

/// Of a row only the key is looked at.
Term SymbolicQueries::is_asked_for(const sql::Table& table,
                                   const sql::RelationPlan& plan,
                                   const TermRow& row, const Joined& left,
                                   const TermScope* outer) {
  const std::vector<std::uint32_t> no_key;
  const auto& key =
      table.has_primary_key ? table.unique.front().columns : no_key;
  const TermScope before{left.rows.data(), nullptr, outer};
  Term when = left.reached;
  for (const sql::RelationPlan::Probe& probe : plan.equal) {
    if (t_.is_false(when)) return when;
    const auto value = quietly([&] {
      return under(when, [&] { return evaluate(*probe.value, before); });
    });
    if (!value) continue;
    const bool is_key =
        std::find(key.begin(), key.end(), probe.column) != key.end();
    when = t_.all_of(
        {when, is_key ? q_.equal(row[probe.column], *value, probe.value->at)
                      : t_.negation(value->null)});
  }
  std::vector<const TermRow*> names = left.rows;
  names.push_back(&row);
  return are_true(plan.key, {names.data(), nullptr, outer}, when);
}

void SymbolicQueries::ask_for_targets(const sql::Relation& target,
                                      const std::optional<sql::Expr>& where,
                                      const std::vector<GuardedRow>& rows,
                                      const SeenRows::OnScan& asks) {
  const sql::Plan plan =
      plan_of(*rows_.schema, std::span(&target, 1), {}, where);
  const Term reached = are_true(plan.before, {}, q_.path);
  ask(target, plan.relations[0], rows, {t_.boolean(true), {}, reached}, nullptr,
      asks);
}

SeenRows no_rows() {
  return SeenRows([](TableId) -> const std::vector<GuardedRow>& {
    throw Unsupported{{}, "a table in an expression of a routine"};
  });
}

}  // namespace txscope::symbolic
