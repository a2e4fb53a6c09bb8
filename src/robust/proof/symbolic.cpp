#include "robust/proof/symbolic.h"

#include "exec/sql/value/compare.h"

namespace txscope::robust {
namespace {

using smt::Term;
using sql::Expr;
using sql::Op;

/// Numbers of texts start here, far from the integers that programs name.
constexpr std::int64_t kFirstNumber = std::int64_t{1} << 40;

/// Kinds whose values are integers, in the same order.
bool is_ordered(const sql::Type& type) {
  switch (type.name) {
    case sql::TypeName::Boolean:
    case sql::TypeName::SmallInt:
    case sql::TypeName::Integer:
    case sql::TypeName::BigInt:
    case sql::TypeName::Date:
    case sql::TypeName::Timestamp:
    case sql::TypeName::TimestampTz:
    case sql::TypeName::Time: return true;
    default: return false;
  }
}

}  // namespace

Symbol Symbols::constant(const sql::Value& value) {
  switch (value.kind()) {
    case sql::Kind::Null: return null();
    case sql::Kind::Bool:
    case sql::Kind::Integer:
    case sql::Kind::Date:
    case sql::Kind::Timestamp:
    case sql::Kind::TimestampTz:
    case sql::Kind::Time:
      return {terms_.boolean(false), terms_.integer(value.integer())};
    // Values that are equal may be written in several ways.
    case sql::Kind::Interval:
    case sql::Kind::Float:
    case sql::Kind::Array:
    case sql::Kind::Row:
    case sql::Kind::Range: return {terms_.boolean(false), integer("constant")};
    case sql::Kind::Numeric: {
      sql::Int128 digits = value.digits();
      unsigned scale = value.scale();
      while (scale > 0 && digits % 10 == 0) {
        digits /= 10;
        --scale;
      }
      if (scale == 0) {
        return {terms_.boolean(false),
                terms_.integer(static_cast<std::int64_t>(digits))};
      }
      break;
    }
    case sql::Kind::Enum:
    case sql::Kind::Text: break;
    default: break;
  }
  // Texts that SQL holds equal are one symbol.
  const std::string name = (value.kind() == sql::Kind::Text ? "'" : "") +
                           to_string(sql::canonical(value));
  const auto next = kFirstNumber + static_cast<std::int64_t>(numbers_.size());
  const auto at = numbers_.try_emplace(name, next).first;
  return {terms_.boolean(false), terms_.integer(at->second)};
}

Symbol Symbols::unknown(const std::string& name) {
  return {flag(name + " is null"), integer(name)};
}

Term Symbols::flag(const std::string& name) { return terms_.unknown(name); }

Term Symbols::is_true(const Symbol& symbol) {
  return terms_.all_of(
      {terms_.negation(symbol.null), terms_.as_truth(symbol.value)});
}

Term Symbols::equal(const Symbol& a, const Symbol& b) {
  return terms_.all_of({terms_.negation(a.null), terms_.negation(b.null),
                        terms_.equal(a.value, b.value)});
}

Term Symbols::same(const Symbol& a, const Symbol& b) {
  return terms_.any_of({equal(a, b), terms_.all_of({a.null, b.null})});
}

Symbol Symbols::choose(Term condition, const Symbol& then,
                       const Symbol& otherwise) {
  return {terms_.choose(condition, then.null, otherwise.null),
          terms_.choose(condition, then.value, otherwise.value)};
}

Symbol Symbols::logic(const Expr& expr, const Scope& scope,
                      const OnQuery& on_query) {
  std::vector<Symbol> parts;
  for (const Expr& arg : expr.args) parts.push_back(of(arg, scope, on_query));
  const auto truth = [&](const Symbol& s) { return is_true(s); };
  const auto falsity = [&](const Symbol& s) {
    return terms_.all_of(
        {terms_.negation(s.null), terms_.negation(terms_.as_truth(s.value))});
  };
  std::vector<Term> truths;
  std::vector<Term> falsities;
  for (const Symbol& s : parts) {
    truths.push_back(truth(s));
    falsities.push_back(falsity(s));
  }
  const auto decided = [&](Term yes, Term no) {
    return boolean(terms_.negation(terms_.any_of({yes, no})), yes);
  };
  const Term never = terms_.boolean(false);
  switch (expr.op) {
    case Op::And:
      return decided(terms_.all_of(truths), terms_.any_of(falsities));
    case Op::Or:
      return decided(terms_.any_of(truths), terms_.all_of(falsities));
    case Op::Not: return decided(falsities[0], truths[0]);
    case Op::IsNull: return boolean(never, parts[0].null);
    case Op::IsTrue: return boolean(never, truths[0]);
    case Op::IsFalse: return boolean(never, falsities[0]);
    case Op::IsDistinct:
      return boolean(never, terms_.negation(same(parts[0], parts[1])));
    default: return unknown("logic");
  }
}

Symbol Symbols::comparison(const Expr& expr, const Scope& scope,
                           const OnQuery& on_query) {
  const Symbol a = of(expr.args[0], scope, on_query);
  const Symbol b = of(expr.args[1], scope, on_query);
  const Term null = terms_.any_of({a.null, b.null});
  if (expr.op == Op::Equal) {
    return boolean(null, terms_.equal(a.value, b.value));
  }
  if (expr.op == Op::NotEqual) {
    return boolean(null, terms_.negation(terms_.equal(a.value, b.value)));
  }
  if (!is_ordered(expr.args[0].type) || !is_ordered(expr.args[1].type)) {
    return boolean(null, flag("comparison"));
  }
  switch (expr.op) {
    case Op::Less: return boolean(null, terms_.less(a.value, b.value));
    case Op::LessEqual:
      return boolean(null, terms_.less_equal(a.value, b.value));
    case Op::Greater: return boolean(null, terms_.less(b.value, a.value));
    case Op::GreaterEqual:
      return boolean(null, terms_.less_equal(b.value, a.value));
    default: return unknown("comparison");
  }
}

Symbol Symbols::arithmetic(const Expr& expr, const Scope& scope,
                           const OnQuery& on_query) {
  std::vector<Symbol> parts;
  for (const Expr& arg : expr.args) parts.push_back(of(arg, scope, on_query));
  bool is_exact = is_ordered(expr.type);
  for (const Expr& arg : expr.args) is_exact &= is_ordered(arg.type);
  std::vector<Term> nulls;
  nulls.reserve(parts.size());
  for (const Symbol& part : parts) nulls.push_back(part.null);
  const Term null = terms_.any_of(nulls);
  if (!is_exact) return {null, integer("computed")};
  switch (expr.op) {
    case Op::Add: return {null, terms_.add(parts[0].value, parts[1].value)};
    case Op::Subtract:
      return {null, terms_.subtract(parts[0].value, parts[1].value)};
    case Op::Negate: return {null, terms_.negate(parts[0].value)};
    case Op::Multiply:
      if (terms_.value(parts[0].value) || terms_.value(parts[1].value)) {
        return {null, terms_.multiply(parts[0].value, parts[1].value)};
      }
      return {null, integer("product")};
    default: return {null, integer("computed")};
  }
}

Symbol Symbols::choice(const Expr& expr, const Scope& scope,
                       const OnQuery& on_query) {
  std::vector<Symbol> parts;
  for (const Expr& arg : expr.args) parts.push_back(of(arg, scope, on_query));
  if (expr.op == Op::Coalesce) {
    Symbol out = null();
    for (std::size_t i = parts.size(); i-- > 0;) {
      out = choose(parts[i].null, out, parts[i]);
    }
    return out;
  }
  const bool has_else = parts.size() % 2 == 1;
  Symbol out = has_else ? parts.back() : null();
  for (std::size_t i = parts.size() / 2; i-- > 0;) {
    out = choose(is_true(parts[2 * i]), parts[2 * i + 1], out);
  }
  return out;
}

Symbol Symbols::of(const Expr& expr, const Scope& scope,
                   const OnQuery& on_query) {
  switch (expr.op) {
    case Op::Constant: return constant(expr.value);
    case Op::Variable:
      if (expr.index < scope.slots.size()) return scope.slots[expr.index];
      return unknown("variable");
    case Op::Column: {
      if (expr.level >= scope.rows.size()) return unknown("column");
      const auto& rows = scope.rows[scope.rows.size() - 1 - expr.level];
      if (expr.relation >= rows.size() ||
          expr.index >= rows[expr.relation].size()) {
        return unknown("column");
      }
      return rows[expr.relation][expr.index];
    }
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::IsNull:
    case Op::IsTrue:
    case Op::IsFalse:
    case Op::IsDistinct: return logic(expr, scope, on_query);
    case Op::Equal:
    case Op::NotEqual:
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual: return comparison(expr, scope, on_query);
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Modulo:
    case Op::Negate: return arithmetic(expr, scope, on_query);
    case Op::Case:
    case Op::Coalesce: return choice(expr, scope, on_query);
    case Op::Cast: {
      const Symbol inner = of(expr.args[0], scope, on_query);
      const bool keeps = is_ordered(expr.type) == is_ordered(expr.args[0].type);
      // Between integers, or between texts; an integer as a decimal.
      const bool is_decimal = expr.type.name == sql::TypeName::Numeric &&
                              is_ordered(expr.args[0].type);
      if ((keeps &&
           kind_of(expr.type.name) == kind_of(expr.args[0].type.name)) ||
          is_decimal) {
        return inner;
      }
      return {inner.null, integer("cast")};
    }
    case Op::InList: {
      const Symbol first = of(expr.args[0], scope, on_query);
      std::vector<Term> hits;
      std::vector<Term> nulls = {first.null};
      for (std::size_t i = 1; i < expr.args.size(); ++i) {
        const Symbol other = of(expr.args[i], scope, on_query);
        hits.push_back(equal(first, other));
        nulls.push_back(other.null);
      }
      const Term yes = terms_.any_of(hits);
      return boolean(
          terms_.all_of({terms_.negation(yes), terms_.any_of(nulls)}), yes);
    }
    case Op::Scalar:
    case Op::Exists:
    case Op::InQuery:
    case Op::Function: return on_query(expr, scope);
    default:
      // Subqueries in the arguments are read all the same.
      for (const Expr& arg : expr.args) (void)of(arg, scope, on_query);
      return unknown("computed");
  }
}

}  // namespace txscope::robust
