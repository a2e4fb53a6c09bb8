#include "symbolic/query/query.h"

#include <algorithm>

namespace txscope::symbolic {

using smt::Term;

namespace {
constexpr std::size_t kMaxJoined = 20000;
}

Term SymbolicQueries::has_several(const std::vector<ResultRow>& rows) {
  Term one = t_.boolean(false);
  Term two = t_.boolean(false);
  for (const ResultRow& row : rows) {
    two = t_.any_of({two, t_.all_of({one, row.guard})});
    one = t_.any_of({one, row.guard});
  }
  return two;
}

Term SymbolicQueries::is_before(const sql::Query& query,
                                const std::vector<ResultRow>& rows,
                                std::size_t j, std::size_t i) {
  Term tied = t_.boolean(true);
  std::vector<Term> before;
  for (std::size_t k = 0; k < query.order_by.size(); ++k) {
    const sql::SortKey& key = query.order_by[k];
    const SqlTerm& a = rows[j].sort[k];
    const SqlTerm& b = rows[i].sort[k];
    const Term less = key.is_descending ? q_.less(b, a, key.expr.at)
                                        : q_.less(a, b, key.expr.at);
    const Term by_null = key.nulls_first
                             ? t_.all_of({a.null, t_.negation(b.null)})
                             : t_.all_of({b.null, t_.negation(a.null)});
    before.push_back(t_.all_of({tied, t_.any_of({less, by_null})}));
    tied = t_.all_of({tied, q_.same(a, b, key.expr.at)});
  }
  if (j < i) before.push_back(tied);
  return t_.any_of(before);
}

TermRow SymbolicQueries::first_row(const sql::Query& query,
                                   const std::vector<ResultRow>& rows) {
  TermRow out;
  for (const sql::Target& target : query.targets) {
    out.push_back(q_.null_of(kind_of(target.expr.type.name)));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<Term> first = {rows[i].guard};
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (j == i) continue;
      const Term earlier =
          t_.all_of({rows[j].guard, is_before(query, rows, j, i)});
      first.push_back(t_.negation(earlier));
    }
    const Term is_first = t_.all_of(first);
    for (std::size_t c = 0; c < out.size(); ++c) {
      out[c] = q_.choose(is_first, rows[i].values[c], out[c]);
    }
  }
  return out;
}

// --- FROM and WHERE

const std::vector<GuardedRow>& SymbolicQueries::relation_rows(
    const sql::Relation& relation, const TermScope& scope) {
  if (relation.query == nullptr) return rows_.of(relation.table);
  if (relation.is_lateral) throw Unsupported{relation.at, "LATERAL"};
  auto rows = std::make_unique<std::vector<GuardedRow>>();
  for (ResultRow& row : select(*relation.query, &scope)) {
    rows->push_back({row.guard, std::move(row.values)});
  }
  kept_.push_back(std::move(rows));
  return *kept_.back();
}

std::vector<SymbolicQueries::Joined> SymbolicQueries::join(
    const sql::Query& query, const TermScope* outer) {
  const TermScope around{nullptr, nullptr, outer};
  sql::Plan plan;
  Term reached = t_.boolean(true);
  if (rows_.asks) {
    plan = plan_of(*rows_.schema, query.relations, query.joins, query.where);
    reached = are_true(plan.before, around, q_.path);
  }
  std::vector<Joined> joined = {{t_.boolean(true), {}, reached}};
  for (std::size_t r = 0; r < query.relations.size(); ++r) {
    const auto& rows = relation_rows(query.relations[r], around);
    const sql::Join& how = query.joins[r];
    if (how.kind == sql::JoinKind::Full)
      throw Unsupported{query.at, "FULL JOIN"};
    if (rows_.asks && query.relations[r].query == nullptr) {
      for (const Joined& left : joined) {
        ask(query.relations[r], plan.relations[r], rows, left, outer,
            rows_.asks);
      }
    }
    std::vector<Joined> next;
    if (joined.size() * (rows.size() + 1) > kMaxJoined) {
      throw Unsupported{query.at, "a join of so many rows"};
    }
    for (const Joined& left : joined) {
      std::vector<Term> matched;
      for (const GuardedRow& row : rows) {
        Joined both = left;
        both.rows.push_back(&row.columns);
        both.guard = t_.all_of({left.guard, row.present});
        if (how.on && !t_.is_false(both.guard)) {
          const TermScope scope{both.rows.data(), nullptr, outer};
          const SqlTerm on =
              under(both.guard, [&] { return evaluate(*how.on, scope); });
          both.guard = t_.all_of({both.guard, q_.is_true(on)});
        }
        if (t_.is_false(both.guard)) continue;
        matched.push_back(both.guard);
        if (rows_.asks) {
          const TermScope scope{both.rows.data(), nullptr, outer};
          both.reached = t_.all_of({left.reached, both.guard});
          for (const auto& tested :
               {plan.relations[r].now, plan.relations[r].later,
                plan.relations[r].after}) {
            both.reached = are_true(tested, scope, both.reached);
          }
        }
        next.push_back(std::move(both));
      }
      if (how.kind != sql::JoinKind::Left) continue;
      auto nulls = std::make_unique<std::vector<GuardedRow>>();
      nulls->push_back({t_.boolean(true), {}});
      for (std::uint32_t c = 0; c < query.relations[r].columns; ++c) {
        nulls->back().columns.push_back(q_.null_of(sql::Kind::Null));
      }
      Joined alone = left;
      alone.rows.push_back(&nulls->back().columns);
      alone.guard = t_.all_of({left.guard, t_.negation(t_.any_of(matched))});
      kept_.push_back(std::move(nulls));
      if (!t_.is_false(alone.guard)) next.push_back(std::move(alone));
    }
    joined = std::move(next);
  }
  if (!query.where) return joined;
  for (Joined& row : joined) {
    const TermScope scope{row.rows.data(), nullptr, outer};
    const SqlTerm where =
        under(row.guard, [&] { return evaluate(*query.where, scope); });
    row.guard = t_.all_of({row.guard, q_.is_true(where)});
  }
  std::erase_if(joined, [&](const Joined& j) { return t_.is_false(j.guard); });
  return joined;
}

std::vector<SymbolicQueries::FromRow> SymbolicQueries::from(
    const sql::Query& query) {
  std::vector<FromRow> out;
  for (Joined& row : join(query, nullptr))
    out.push_back({row.guard, std::move(row.rows)});
  return out;
}

std::vector<ResultRow> SymbolicQueries::select(const sql::Query& query,
                                               const TermScope* outer) {
  std::vector<ResultRow> out;
  if (query.set != sql::SetKind::None) {
    const bool recurs = query.set == sql::SetKind::Recursive ||
                        query.set == sql::SetKind::Working;
    throw Unsupported{query.at, recurs ? "WITH RECURSIVE"
                                       : "UNION, VALUES or a function in FROM"};
  }
  // Rows are left out for what others do at the same time.
  if (query.skips_locked) throw Unsupported{query.at, "SKIP LOCKED"};
  if (!query.windows.empty()) {
    throw Unsupported{query.at, "a window function (OVER)"};
  }
  if (query.distinct_on != 0) throw Unsupported{query.at, "DISTINCT ON"};
  const std::vector<Joined> rows = join(query, outer);
  if (query.is_grouped) {
    add_groups(query, rows, outer, out);
  } else {
    for (const Joined& row : rows) {
      add_row(query, row.guard, {row.rows.data(), nullptr, outer}, out);
    }
  }
  if (query.is_distinct) make_distinct(query, out);
  limit(query, {nullptr, nullptr, outer}, out);
  return out;
}

void SymbolicQueries::add_row(const sql::Query& query, Term guard,
                              const TermScope& scope,
                              std::vector<ResultRow>& out) {
  ResultRow made;
  made.guard = guard;
  under(guard, [&] {
    for (const sql::Target& target : query.targets) {
      made.values.push_back(evaluate(target.expr, scope));
    }
    for (const sql::SortKey& key : query.order_by) {
      made.sort.push_back(evaluate(key.expr, scope));
    }
    return 0;
  });
  out.push_back(std::move(made));
}

// --- groups

SqlTerm SymbolicQueries::aggregate(const sql::Aggregate& a,
                                   const std::vector<Joined>& rows,
                                   const std::vector<Term>& member,
                                   const TermScope* outer) {
  std::vector<std::pair<Term, SqlTerm>> values;  // those that count
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!a.argument) {
      values.emplace_back(member[i], q_.integer(t_.integer(1)));
      continue;
    }
    const TermScope scope{rows[i].rows.data(), nullptr, outer};
    const SqlTerm v =
        under(member[i], [&] { return evaluate(*a.argument, scope); });
    Term counts = t_.all_of({member[i], t_.negation(v.null)});
    if (a.is_distinct) {
      for (const auto& [other, w] : values) {
        counts = t_.all_of(
            {counts, t_.negation(t_.all_of({other, q_.equal(v, w, {})}))});
      }
    }
    values.emplace_back(counts, v);
  }
  const sql::Kind kind = kind_of(a.type.name);
  if (a.kind == sql::AggregateKind::Avg) throw Unsupported{{}, "avg()"};
  if (a.kind == sql::AggregateKind::CountRows ||
      a.kind == sql::AggregateKind::Count) {
    Term n = t_.integer(0);
    for (const auto& [counts, v] : values) {
      n = t_.add(n, t_.as_integer(counts));
    }
    return q_.integer(n);
  }
  SqlTerm out = q_.null_of(kind);
  for (const auto& [counts, v] : values) {
    if (v.kind == sql::Kind::Null) continue;
    SqlTerm next = v;
    switch (a.kind) {
      case sql::AggregateKind::Sum: {
        sql::Expr sum;
        sum.op = sql::Op::Add;
        sum.type = a.type;
        // In the type of the result; a numeric has no range.
        SqlTerm both = next;
        both.kind = kind;
        if (!t_.is_true(out.null)) {
          SqlTerm so_far = out;
          so_far.null = t_.boolean(false);
          both.null = t_.boolean(false);
          both = under(t_.all_of({counts, t_.negation(out.null)}),
                       [&] { return q_.arithmetic(sum, so_far, both); });
        }
        SqlTerm alone = next;
        alone.kind = kind;
        next = q_.choose(out.null, alone, both);
        break;
      }
      case sql::AggregateKind::Min:
        next = q_.choose(t_.any_of({out.null, q_.less(v, out, {})}), v, out);
        break;
      case sql::AggregateKind::Max:
        next = q_.choose(t_.any_of({out.null, q_.less(out, v, {})}), v, out);
        break;
      case sql::AggregateKind::BoolAnd:
        next.value = t_.all_of({t_.any_of({out.null, out.value}), v.value});
        break;
      case sql::AggregateKind::BoolOr:
        next.value =
            t_.any_of({t_.all_of({t_.negation(out.null), out.value}), v.value});
        break;
      default: break;
    }
    next.null = t_.boolean(false);
    out = q_.choose(counts, next, out);
  }
  return out;
}

/// Every row may be the first of its group; without GROUP BY there is one
/// group, with or without rows.
void SymbolicQueries::add_groups(const sql::Query& query,
                                 const std::vector<Joined>& rows,
                                 const TermScope* outer,
                                 std::vector<ResultRow>& out) {
  std::vector<TermRow> keys;
  for (const Joined& row : rows) {
    const TermScope scope{row.rows.data(), nullptr, outer};
    TermRow key;
    under(row.guard, [&] {
      for (const sql::Expr& e : query.group_by)
        key.push_back(evaluate(e, scope));
      return 0;
    });
    keys.push_back(std::move(key));
  }
  const bool is_one = query.group_by.empty();
  const auto same_group = [&](std::size_t i, std::size_t j) {
    std::vector<Term> all = {rows[j].guard};
    for (std::size_t k = 0; k < query.group_by.size(); ++k) {
      all.push_back(q_.same(keys[i][k], keys[j][k], query.at));
    }
    return t_.all_of(all);
  };
  std::vector<TermRow> nothing(query.relations.size());
  std::vector<const TermRow*> no_rows;
  for (std::size_t r = 0; r < query.relations.size(); ++r) {
    nothing[r].assign(query.relations[r].columns, q_.null_of(sql::Kind::Null));
    no_rows.push_back(&nothing[r]);
  }
  for (std::size_t i = 0; i < (is_one ? 1 : rows.size()); ++i) {
    std::vector<Term> member;
    Term guard = is_one ? t_.boolean(true) : rows[i].guard;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      member.push_back(same_group(i, j));
      if (!is_one && j < i) {
        guard = t_.all_of({guard, t_.negation(member[j])});
      }
    }
    if (t_.is_false(guard)) continue;
    under(guard, [&] {
      TermRow aggregates;
      for (const sql::Aggregate& a : query.aggregates) {
        aggregates.push_back(aggregate(a, rows, member, outer));
      }
      const TermScope scope{is_one ? no_rows.data() : rows[i].rows.data(),
                            aggregates.data(), outer};
      Term shown = guard;
      if (query.having) {
        shown = t_.all_of({guard, q_.is_true(evaluate(*query.having, scope))});
      }
      add_row(query, shown, scope, out);
      return 0;
    });
  }
}

void SymbolicQueries::make_distinct(const sql::Query& query,
                                    std::vector<ResultRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<Term> same = {rows[j].guard};
      for (std::size_t c = 0; c < rows[i].values.size(); ++c) {
        same.push_back(q_.same(rows[i].values[c], rows[j].values[c], query.at));
      }
      rows[i].guard = t_.all_of({rows[i].guard, t_.negation(t_.all_of(same))});
    }
  }
}

void SymbolicQueries::limit(const sql::Query& query, const TermScope& scope,
                            std::vector<ResultRow>& rows) {
  if (!query.limit && !query.offset) return;
  const auto number = [&](const std::optional<sql::Expr>& e,
                          std::int64_t otherwise) {
    if (!e) return otherwise;
    const auto known = q_.value(evaluate(*e, scope));
    if (!known || known->kind() != sql::Kind::Integer || known->integer() < 0) {
      throw Unsupported{e->at, "a LIMIT that is not a constant"};
    }
    return known->integer();
  };
  const std::int64_t offset = number(query.offset, 0);
  const std::int64_t most = number(query.limit, INT32_MAX);
  std::vector<Term> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Term rank = t_.integer(0);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (i == j) continue;
      rank = t_.add(rank, t_.as_integer(t_.all_of(
                              {rows[j].guard, is_before(query, rows, j, i)})));
    }
    kept.push_back(
        t_.all_of({rows[i].guard, t_.less_equal(t_.integer(offset), rank),
                   t_.less(rank, t_.integer(offset + most))}));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].guard = kept[i];
}

}  // namespace txscope::symbolic
