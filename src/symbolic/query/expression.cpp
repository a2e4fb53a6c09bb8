#include <algorithm>

#include "exec/sql/value/cast.h"
#include "symbolic/query/query.h"
#include "symbolic/value/function_calls.h"

// Expressions; queries are in symbolic_query.cpp.

namespace txscope::symbolic {

using smt::Term;

SqlTerm SymbolicQueries::evaluate(const sql::Expr& e, const TermScope& scope) {
  const auto binary = [&](auto&& apply) {
    const SqlTerm a = evaluate(e.args[0], scope);
    const SqlTerm b = evaluate(e.args[1], scope);
    return apply(a, b);
  };
  switch (e.op) {
    case sql::Op::Constant: return q_.constant(e.value);
    case sql::Op::Variable: return slots_[e.index];
    case sql::Op::Column:
    case sql::Op::Aggregate: {
      const TermScope* at = &scope;
      for (std::uint32_t i = 0; i < e.level; ++i) at = at->outer;
      if (e.op == sql::Op::Aggregate) return at->aggregates[e.index];
      return (*at->rows[e.relation])[e.index];
    }
    case sql::Op::And:
    case sql::Op::Or: return logic(e, scope);
    case sql::Op::Not:
    case sql::Op::IsNull:
    case sql::Op::IsTrue:
    case sql::Op::IsFalse:
    case sql::Op::Negate:
    case sql::Op::Abs:
    case sql::Op::Cast: return unary(e, scope);
    case sql::Op::IsDistinct:
      return binary([&](const SqlTerm& a, const SqlTerm& b) {
        return q_.boolean(t_.negation(q_.same(a, b, e.at)), t_.boolean(false));
      });
    case sql::Op::Equal:
    case sql::Op::NotEqual:
    case sql::Op::Less:
    case sql::Op::LessEqual:
    case sql::Op::Greater:
    case sql::Op::GreaterEqual:
      return binary([&](const SqlTerm& a, const SqlTerm& b) {
        return q_.compare(e.op, a, b, e.at);
      });
    case sql::Op::Add:
    case sql::Op::Subtract:
    case sql::Op::Multiply:
    case sql::Op::Divide:
    case sql::Op::Modulo:
      return binary([&](const SqlTerm& a, const SqlTerm& b) {
        return q_.arithmetic(e, a, b);
      });
    case sql::Op::NullIf:
      return binary([&](const SqlTerm& a, const SqlTerm& b) {
        SqlTerm out = a;
        out.null = t_.any_of({a.null, q_.equal(a, b, e.at)});
        return out;
      });
    case sql::Op::Case:
    case sql::Op::Coalesce: return choice(e, scope);
    case sql::Op::Greatest:
    case sql::Op::Least: return extreme(e, scope);
    case sql::Op::Scalar: return scalar(e, scope);
    case sql::Op::Exists: {
      std::vector<Term> any;
      for (const ResultRow& row : select(*e.query, &scope)) {
        any.push_back(row.guard);
      }
      return q_.boolean(t_.any_of(any), t_.boolean(false));
    }
    case sql::Op::InQuery: return in_query(e, scope);
    case sql::Op::InList: return in_list(e, scope);
    case sql::Op::Concat:
    case sql::Op::Like:
    case sql::Op::Lower:
    case sql::Op::Upper: return of_values(e, scope, "an operation on texts");
    case sql::Op::Length: return length(e, scope);
    case sql::Op::Floor:
    case sql::Op::Ceil:
    case sql::Op::Round: return rounded(e, scope);
    case sql::Op::Builtin:
      return of_values(e, scope, "this function or operator");
    case sql::Op::Function: return function(e, scope);
    default: break;
  }
  throw Unsupported{e.at, "an expression"};
}

/// What is known for given values only.
SqlTerm SymbolicQueries::of_values(const sql::Expr& e, const TermScope& scope,
                                   const char* what) {
  std::vector<sql::Value> values;
  for (const sql::Expr& arg : e.args) {
    const auto known = q_.value(evaluate(arg, scope));
    if (!known || q_.functions == nullptr) throw Unsupported{e.at, what};
    values.push_back(*known);
  }
  if (q_.functions == nullptr) throw Unsupported{e.at, what};
  return q_.functions->of_values(q_, e, values);
}

SqlTerm SymbolicQueries::function(const sql::Expr& e, const TermScope& scope) {
  std::vector<SqlTerm> arguments;
  for (const sql::Expr& arg : e.args) arguments.push_back(evaluate(arg, scope));
  if (q_.functions == nullptr)
    throw Unsupported{e.at, "a function in an expression"};
  return q_.functions->call(q_, e, arguments, rows_);
}

SqlTerm SymbolicQueries::length(const sql::Expr& e, const TermScope& scope) {
  const SqlTerm text = evaluate(e.args[0], scope);
  if (text.kind != sql::Kind::Text || q_.value(text))
    return of_values(e, scope, "an operation on texts");
  return q_.length(text);
}

/// floor, ceil and round of a numeric.
SqlTerm SymbolicQueries::rounded(const sql::Expr& e, const TermScope& scope) {
  const SqlTerm v = evaluate(e.args[0], scope);
  const bool is_plain = v.kind == sql::Kind::Numeric && e.args.size() == 1 &&
                        kind_of(e.type.name) == sql::Kind::Numeric;
  if (!is_plain || q_.value(v)) return of_values(e, scope, "rounding");
  return q_.rounded(e.op, v, e.at);
}

/// Left to right, as far as needed.
SqlTerm SymbolicQueries::logic(const sql::Expr& e, const TermScope& scope) {
  const bool is_and = e.op == sql::Op::And;
  std::vector<Term> decides;  // some operand is false (And), true (Or)
  std::vector<Term> nulls;
  Term goes_on = t_.boolean(true);
  for (const sql::Expr& arg : e.args) {
    if (t_.is_false(goes_on)) break;
    const SqlTerm v = under(goes_on, [&] { return evaluate(arg, scope); });
    const Term decided = is_and ? q_.is_false(v) : q_.is_true(v);
    decides.push_back(decided);
    nulls.push_back(v.null);
    goes_on = t_.all_of({goes_on, t_.negation(decided)});
  }
  const Term decided = t_.any_of(decides);
  const Term null = t_.all_of({t_.negation(decided), t_.any_of(nulls)});
  return q_.boolean(is_and ? t_.negation(decided) : decided, null);
}

SqlTerm SymbolicQueries::unary(const sql::Expr& e, const TermScope& scope) {
  if (e.op == sql::Op::Cast && e.args[0].op == sql::Op::Constant) {
    sql::Halt halt;
    const sql::Value known =
        sql::cast(e.args[0].value, e.type,
                  e.index == 1 ? sql::CastContext::Assignment
                               : sql::CastContext::Explicit,
                  halt);
    if (!halt.is_error()) return q_.constant(known);
    if (halt.error().is_ours) throw Unsupported{e.at, halt.error().message};
    q_.fail_if(t_.boolean(true), halt.error().sqlstate);
    return q_.null_of(kind_of(e.type.name));
  }
  SqlTerm v = evaluate(e.args[0], scope);
  const Term never = t_.boolean(false);
  switch (e.op) {
    case sql::Op::Not:
      if (v.kind == sql::Kind::Null) return q_.null_of(sql::Kind::Bool);
      return q_.boolean(t_.negation(v.value), v.null);
    case sql::Op::IsNull: return q_.boolean(v.null, never);
    case sql::Op::IsTrue: return q_.boolean(q_.is_true(v), never);
    case sql::Op::IsFalse: return q_.boolean(q_.is_false(v), never);
    case sql::Op::Cast: return q_.cast(v, e.type, e.index == 1, e.at);
    default: break;
  }
  if (v.kind == sql::Kind::Null) return v;
  const Term negated = t_.negate(v.value);
  if (e.op == sql::Op::Negate) {
    v.value = negated;
  } else {
    v.value = t_.choose(t_.less(v.value, t_.integer(0)), negated, v.value);
  }
  if (v.kind == sql::Kind::Integer) q_.check_range(v, e.type.name);
  return v;
}

SqlTerm SymbolicQueries::choice(const sql::Expr& e, const TermScope& scope) {
  std::vector<std::pair<Term, SqlTerm>> arms;
  Term goes_on = t_.boolean(true);
  const auto add = [&](Term taken, const SqlTerm& v) {
    arms.emplace_back(t_.all_of({goes_on, taken}), v);
    goes_on = t_.all_of({goes_on, t_.negation(taken)});
  };
  if (e.op == sql::Op::Coalesce) {
    for (const sql::Expr& arg : e.args) {
      const SqlTerm v = under(goes_on, [&] { return evaluate(arg, scope); });
      add(t_.negation(v.null), v);
    }
  } else {
    std::size_t i = 0;
    for (; i + 1 < e.args.size(); i += 2) {
      const SqlTerm when =
          under(goes_on, [&] { return evaluate(e.args[i], scope); });
      const Term holds = q_.is_true(when);
      const SqlTerm then = under(t_.all_of({goes_on, holds}), [&] {
        return evaluate(e.args[i + 1], scope);
      });
      add(holds, then);
    }
    if (i < e.args.size()) {
      add(t_.boolean(true),
          under(goes_on, [&] { return evaluate(e.args[i], scope); }));
    }
  }
  SqlTerm out = q_.null_of(kind_of(e.type.name));
  for (std::size_t i = arms.size(); i-- > 0;) {
    out = q_.choose(arms[i].first, arms[i].second, out);
  }
  return out;
}

/// NULLs are left out.
SqlTerm SymbolicQueries::extreme(const sql::Expr& e, const TermScope& scope) {
  SqlTerm best = q_.null_of(kind_of(e.type.name));
  for (const sql::Expr& arg : e.args) {
    const SqlTerm v = evaluate(arg, scope);
    if (v.kind == sql::Kind::Null) continue;
    const Term better = e.op == sql::Op::Greatest ? q_.less(best, v, e.at)
                                                  : q_.less(v, best, e.at);
    best = q_.choose(
        t_.all_of({t_.negation(v.null), t_.any_of({best.null, better})}), v,
        best);
  }
  return best;
}

SqlTerm SymbolicQueries::in_list(const sql::Expr& e, const TermScope& scope) {
  const SqlTerm x = evaluate(e.args[0], scope);
  std::vector<Term> equal;
  std::vector<Term> null;
  for (std::size_t i = 1; i < e.args.size(); ++i) {
    const SqlTerm v = evaluate(e.args[i], scope);
    equal.push_back(q_.equal(x, v, e.at));
    null.push_back(t_.any_of({x.null, v.null}));
  }
  const Term found = t_.any_of(equal);
  return q_.boolean(found, t_.all_of({t_.negation(found), t_.any_of(null)}));
}

SqlTerm SymbolicQueries::in_query(const sql::Expr& e, const TermScope& scope) {
  TermRow wanted;
  for (const sql::Expr& arg : e.args) wanted.push_back(evaluate(arg, scope));
  std::vector<Term> equal;
  std::vector<Term> unknown;
  for (const ResultRow& row : select(*e.query, &scope)) {
    std::vector<Term> same = {row.guard};
    std::vector<Term> open = {row.guard};  // no column differs for sure
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      const Term is_equal = q_.equal(wanted[c], row.values[c], e.at);
      same.push_back(is_equal);
      open.push_back(t_.any_of({is_equal, wanted[c].null, row.values[c].null}));
    }
    equal.push_back(t_.all_of(same));
    unknown.push_back(t_.all_of(open));
  }
  const Term found = t_.any_of(equal);
  return q_.boolean(found, t_.all_of({t_.negation(found), t_.any_of(unknown)}));
}

SqlTerm SymbolicQueries::scalar(const sql::Expr& e, const TermScope& scope) {
  const std::vector<ResultRow> rows = select(*e.query, &scope);
  q_.fail_if(has_several(rows), "21000");
  SqlTerm out = q_.null_of(kind_of(e.type.name));
  for (std::size_t i = rows.size(); i-- > 0;) {
    out = q_.choose(rows[i].guard, rows[i].values[0], out);
  }
  return out;
}

}  // namespace txscope::symbolic
