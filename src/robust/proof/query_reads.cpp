#include "robust/proof/query_reads.h"

#include <algorithm>
#include <set>

#include "model/sql/walk.h"
#include "robust/proof/expressions.h"

namespace txscope::robust {

using smt::Term;
using sql::Expr;
using sql::Op;
using sql::Query;

namespace {

/// What else stands in a query, and is evaluated: ORDER BY, OVER, ...
std::vector<const Expr*> others_of(const Query& q) {
  std::vector<const Expr*> known = wheres_of(q);
  for (const auto& target : q.targets) known.push_back(&target.expr);
  if (q.having) known.push_back(&*q.having);
  std::vector<const Expr*> out;
  sql::for_each_part(
      q,
      [&](const Expr& e) {
        if (std::find(known.begin(), known.end(), &e) == known.end()) {
          out.push_back(&e);
        }
      },
      [](const Query&) {});
  return out;
}

/// Whether a row of the query may have NULLs for the relation.
bool may_lack_row(const Query& q, std::size_t r) {
  const auto is_full = [](const sql::Join& join) {
    return join.kind == sql::JoinKind::Full;
  };
  return q.joins.size() > r &&
         (q.joins[r].kind != sql::JoinKind::Inner ||
          std::any_of(q.joins.begin() + static_cast<std::ptrdiff_t>(r),
                      q.joins.end(), is_full));
}

}  // namespace

Symbol QueryReads::value(const Expr& expr, const std::vector<SymbolRow>* rows) {
  Symbols::Scope scope{run_.slots, {}};
  if (rows != nullptr) scope.rows.emplace_back(*rows);
  return symbols_.of(expr, scope, on_query());
}
Symbols::OnQuery QueryReads::on_query() {
  return [this](const Expr& expr, const Symbols::Scope& scope) {
    return subquery(expr, scope);
  };
}

QueryReads::Conditions QueryReads::conditions(
    const std::vector<const Expr*>& wheres, const Symbols::Scope& scope) {
  Conditions out;
  std::vector<Term> truths;
  for (const Expr* where : wheres) {
    split(*where, out.parts);
    truths.push_back(symbols_.is_true(symbols_.of(*where, scope, on_query())));
  }
  out.whole = terms_.all_of(truths);
  return out;
}

/// Fills in what a relation's conditions say of its key.
void QueryReads::key_conditions(const Conditions& all, std::uint32_t relation,
                                const Symbols::Scope& scope, Access& a) {
  const auto& key = run_.key_of(a.table);
  std::set<std::uint32_t> fixed;
  std::vector<Term> truths;
  std::vector<Symbol> given;
  a.is_conditional = false;
  for (const Expr* part : all.parts) {
    const auto column = fixed_column(*part, relation);
    if (column && fixed.insert(*column).second &&
        std::find(key.begin(), key.end(), *column) != key.end()) {
      given.push_back(symbols_.of(*part, scope, on_query()));
    } else {
      a.is_conditional = true;
    }
    if (is_about_key(*part, relation, key)) {
      truths.push_back(symbols_.is_true(symbols_.of(*part, scope, on_query())));
    }
  }
  a.key_holds = terms_.all_of(truths);
  a.fixed.assign(a.columns.size(), false);
  for (const std::uint32_t column : fixed) a.fixed[column] = true;
  a.is_exact = !key.empty() &&
               std::all_of(key.begin(), key.end(),
                           [&](std::uint32_t k) { return fixed.contains(k); });
  if (!a.is_exact) return;
  // The row stands for the key that is asked for, there or not.
  for (const Symbol& is_key : given) {
    run_.fact(terms_.any_of({is_key.null, symbols_.is_true(is_key)}));
  }
}

void QueryReads::add_unmet(const std::vector<const Expr*>& wheres,
                           const Symbols::Scope& outer, const Access& exact) {
  if (!exact.is_exact || !exact.is_conditional) return;
  const std::vector<SymbolRow> rows = {run_.row_of(exact.table)};
  Symbols::Scope scope = outer;
  scope.rows.emplace_back(rows);
  const std::size_t known = run_.out.accesses.size();
  const Conditions all = conditions(wheres, scope);
  run_.out.accesses.resize(known);  // the same subqueries once more
  Access a = exact;
  a.kind = Access::Kind::Read;
  a.row = rows[0];
  a.holds = all.whole;
  key_conditions(all, 0, scope, a);
  a.executed = terms_.all_of({exact.executed, terms_.negation(exact.found)});
  a.is_exact = false;
  a.extreme.reset();
  run_.add(std::move(a));
}

/// UNION and the like: what the parts read; nothing is known of the rows.
Given QueryReads::set_query(const Query& q, const Symbols::Scope& outer) {
  Symbols::Scope inner = outer;
  inner.rows.emplace_back();
  for (const auto& part : q.parts) (void)query(*part, inner);
  for (const auto& row : q.values) {
    for (const Expr& e : row) (void)symbols_.of(e, inner, on_query());
  }
  SymbolRow given;
  for (std::size_t i = 0; i < q.targets.size(); ++i) {
    given.push_back(symbols_.unknown("column"));
  }
  return {symbols_.flag("found"), given};
}

Given QueryReads::query(const Query& q, Symbols::Scope outer) {
  run_.skips_locked |= q.skips_locked;
  if (q.set != sql::SetKind::None) return set_query(q, outer);
  std::vector<SymbolRow> rows;
  for (const auto& relation : q.relations) {
    if (relation.query) {
      Symbols::Scope inner = outer;
      inner.rows.emplace_back();
      (void)query(*relation.query, inner);
      SymbolRow row;
      for (std::uint32_t c = 0; c < relation.columns; ++c) {
        row.push_back(symbols_.unknown("column"));
      }
      rows.push_back(std::move(row));
    } else {
      rows.push_back(run_.row_of(relation.table));
    }
  }
  Symbols::Scope scope = outer;
  scope.rows.emplace_back(rows);
  const Conditions all = conditions(wheres_of(q), scope);
  std::optional<Access> single;
  std::optional<Symbol> extreme;
  for (std::uint32_t r = 0; r < q.relations.size(); ++r) {
    if (q.relations[r].query) continue;
    Access a = run_.access(Access::Kind::Read, q.relations[r].table);
    a.row = rows[r];
    a.holds = all.whole;
    key_conditions(all, r, scope, a);
    note_columns(q, 0, r, a.columns);
    if (may_lack_row(q, r)) {
      // A row that joins may take away what WHERE kept without it.
      a.holds = a.key_holds = terms_.boolean(true);
    }
    if (q.relations.size() > 1) a.is_exact = false;
    a.locks = q.lock >= sql::LockStrength::Share &&
              (r >= q.is_locked.size() || q.is_locked[r]);
    a.is_keyed = a.is_exact;
    if (a.locks) a.sight = Access::Sight::Target;
    if (a.is_exact) {
      single = a;
      add_unmet(wheres_of(q), outer, a);
    }
    if (const auto kind = extreme_of(q)) {
      extreme = symbols_.unknown("extreme");
      a.extreme = {kind->is_min, kind->column, *extreme};
      add_witness(q, outer, a);
    }
    run_.add(std::move(a));
  }
  // Subqueries of targets and the like read, too.
  std::vector<SymbolRow> value_rows = rows;
  Term found = symbols_.flag("found");
  if (single) {
    found = single->found;
  } else if (!q.relations.empty()) {
    value_rows.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      value_rows.push_back(
          fresh_like(q.relations[r], rows[r].size(), may_lack_row(q, r)));
    }
    if (!q.is_grouped) {
      Symbols::Scope again = outer;
      again.rows.emplace_back(value_rows);
      const std::size_t known = run_.out.accesses.size();
      const Term holds = conditions(wheres_of(q), again).whole;
      run_.out.accesses.resize(known);  // the same subqueries once more
      run_.fact(terms_.implies(found, holds));
    }
  }
  if (q.relations.empty() && !q.where) found = terms_.boolean(true);
  if (q.is_grouped && q.group_by.empty() && !q.having) {
    found = terms_.boolean(true);
  }
  Symbols::Scope values = outer;
  values.rows.emplace_back(value_rows);
  SymbolRow given;
  for (const auto& target : q.targets) {
    const Symbol s = symbols_.of(target.expr, values, on_query());
    given.push_back(extreme ? *extreme
                    : q.is_grouped && !q.relations.empty()
                        ? symbols_.unknown("aggregate")
                        : s);
  }
  if (q.having) (void)symbols_.of(*q.having, values, on_query());
  for (const Expr* other : others_of(q)) {
    (void)symbols_.of(*other, values, on_query());
  }
  return {found, given};
}

/// The row that has the extreme value, if there is one, was found by its key
/// if that value and what WHERE fixes are the key.
void QueryReads::add_witness(const Query& q, const Symbols::Scope& outer,
                             const Access& scan) {
  const auto& key = run_.key_of(scan.table);
  const std::uint32_t column = scan.extreme->column;
  const bool is_key =
      !key.empty() && std::all_of(key.begin(), key.end(), [&](auto k) {
        return k == column || scan.fixed[k];
      });
  if (!is_key) return;
  const std::vector<SymbolRow> rows = {run_.row_of(scan.table)};
  Symbols::Scope scope = outer;
  scope.rows.emplace_back(rows);
  const std::size_t known = run_.out.accesses.size();
  const Conditions all = conditions(wheres_of(q), scope);
  run_.out.accesses.resize(known);  // the same subqueries once more
  const Symbol& result = scan.extreme->result;
  const Term is_result = symbols_.equal(rows[0][column], result);
  Access a = scan;
  a.extreme.reset();
  a.row = rows[0];
  a.found = terms_.negation(result.null);
  a.holds = a.key_holds = terms_.all_of({all.whole, is_result});
  a.is_exact = true;
  run_.fact(terms_.any_of({result.null, is_result}));
  std::set<std::uint32_t> fixed;
  for (const Expr* part : all.parts) {
    const auto at = fixed_column(*part, 0);
    if (!at || !fixed.insert(*at).second ||
        std::find(key.begin(), key.end(), *at) == key.end()) {
      continue;
    }
    const Symbol is_key_part = symbols_.of(*part, scope, on_query());
    run_.fact(terms_.any_of({is_key_part.null, symbols_.is_true(is_key_part)}));
  }
  run_.add(std::move(a));
}

/// A row of a relation; of a LEFT JOIN perhaps none, all NULL.
SymbolRow QueryReads::fresh_like(const sql::Relation& relation,
                                 std::size_t columns, bool may_lack) {
  if (!relation.query && !may_lack) return run_.row_of(relation.table);
  SymbolRow row;
  for (std::size_t c = 0; c < columns; ++c) {
    row.push_back(symbols_.unknown("column"));
  }
  return row;
}

/// A row that a query may give, without reading it once more.
SymbolRow QueryReads::some_row(const Query& q) {
  const std::size_t known = run_.out.accesses.size();
  const Term facts = run_.out.facts;
  const Given given = query(q, {run_.slots, {}});
  run_.out.accesses.resize(known);
  run_.out.facts = terms_.all_of({facts, run_.out.facts});
  run_.alive = terms_.all_of({run_.alive, given.found});
  return given.row;
}

Symbol QueryReads::subquery(const Expr& expr, const Symbols::Scope& scope) {
  if (expr.op == Op::Function) {
    for (const Expr& arg : expr.args) {
      (void)symbols_.of(arg, scope, on_query());
    }
    const sql::RoutineId function(expr.index);
    const auto print = analysis::footprint_of(run_.application, function);
    anything(print);
    // Each call sees what has committed by then; two stand for all.
    if (run_.application.at(function).volatility == sql::Volatility::Volatile)
      for (int call = 0; call < 2; ++call)
        anything(print, Access::Sight::Latest);
    return symbols_.unknown("function");
  }
  for (const Expr& arg : expr.args) (void)symbols_.of(arg, scope, on_query());
  const Given given = query(*expr.query, scope);
  if (expr.op == Op::Exists) {
    return {terms_.boolean(false), terms_.as_integer(given.found)};
  }
  if (expr.op == Op::Scalar && !given.row.empty()) {
    return symbols_.choose(given.found, given.row.front(), symbols_.null());
  }
  return symbols_.unknown("subquery");
}

/// With what keys read: parents, and children.
static std::vector<bool> all_reads(const sql::Schema& schema,
                                   const analysis::Footprint& of) {
  std::vector<bool> reads = of.reads;
  for (std::size_t t = 0; t < reads.size(); ++t) {
    if (of.writes[t]) reads[t] = true;
    for (const sql::ForeignKey& key : schema.tables[t].foreign) {
      if (of.writes[t]) reads[key.parent.index] = true;
      if (of.writes[key.parent.index]) reads[t] = true;
    }
  }
  return reads;
}

void QueryReads::anything(const analysis::Footprint& of, Access::Sight sight) {
  const std::vector<bool> reads = all_reads(run_.schema, of);
  if (std::find(reads.begin(), reads.end(), true) == reads.end()) return;
  ++run_.statement;
  bool can_fail = false;
  for (std::size_t t = 0; t < reads.size(); ++t) {
    std::vector<Access::Kind> kinds;
    if (reads[t]) kinds.push_back(Access::Kind::Read);
    if (of.writes[t]) {
      can_fail = true;
      kinds.insert(kinds.end(), {Access::Kind::Insert, Access::Kind::Update,
                                 Access::Kind::Delete});
    }
    for (const Access::Kind kind : kinds) {
      Access a = run_.access(kind, TableId(t));
      a.row = run_.row_of(TableId(t));
      a.after = run_.row_of(TableId(t));
      a.columns.assign(a.columns.size(), true);
      if (sight != Access::Sight::Snapshot) a.sight = sight;
      a.executed = terms_.all_of({a.executed, symbols_.flag("perhaps")});
      run_.add(std::move(a));
    }
  }
  if (can_fail) run_.abort_if(symbols_.flag("fails"));
}

}  // namespace txscope::robust
