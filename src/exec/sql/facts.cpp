#include "exec/sql/facts.h"

#include <algorithm>

namespace txscope::sql {
namespace {

/// Walks an expression with everything inside it; `depth` counts the queries
/// entered.
class Walk {
 public:
  explicit Walk(const std::function<void(const Expr&)>* on_column = nullptr)
      : on_column_(on_column) {}

  void expr(const Expr& e, std::uint32_t depth) {
    if (e.op == Op::Column || e.op == Op::Aggregate) name(e, depth);
    if (e.op == Op::Function) facts.has_query = facts.has_open_query = true;
    for (const Expr& arg : e.args) expr(arg, depth);
    if (e.query != nullptr) {
      facts.has_query = true;
      if (depth == 0 && facts_of(*e.query).reach != 0)
        facts.has_open_query = true;
      query(*e.query, depth + 1);
    }
  }
  void query(const Query& q, std::uint32_t depth) {
    for (const Relation& relation : q.relations)
      if (relation.query != nullptr) query(*relation.query, depth + 1);
    for (const Join& join : q.joins) maybe(join.on, depth);
    maybe(q.where, depth);
    for (const Expr& e : q.group_by) expr(e, depth);
    for (const Aggregate& a : q.aggregates) maybe(a.argument, depth);
    maybe(q.having, depth);
    for (const Target& t : q.targets) expr(t.expr, depth);
    for (const SortKey& key : q.order_by) expr(key.expr, depth);
    maybe(q.limit, depth);
    maybe(q.offset, depth);
    for (const auto& part : q.parts) query(*part, depth + 1);
    for (const auto& row : q.values)
      for (const Expr& e : row) expr(e, depth);
  }

  Facts facts;

 private:
  void maybe(const std::optional<Expr>& e, std::uint32_t depth) {
    if (e) expr(*e, depth);
  }
  void name(const Expr& e, std::uint32_t depth) {
    if (e.level < depth) return;
    facts.reach = std::max(facts.reach, e.level - depth);
    if (e.level != depth) return;
    if (e.op == Op::Aggregate) {
      facts.relations = ~std::uint64_t{0};
      return;
    }
    facts.relations |= std::uint64_t{1} << std::min(e.relation, 63u);
    if (on_column_ != nullptr) (*on_column_)(e);
  }

  const std::function<void(const Expr&)>* on_column_;
};

}  // namespace

Facts facts_of(const Expr& expr) {
  Walk walk;
  walk.expr(expr, 0);
  return walk.facts;
}

Facts facts_of(const Query& query) {
  Walk walk;
  walk.query(query, 1);
  // What names the query right around it reaches one query out.
  if (walk.facts.relations != 0 || walk.facts.reach != 0) ++walk.facts.reach;
  return walk.facts;
}

void for_each_column(const Expr& expr,
                     const std::function<void(const Expr&)>& on_column) {
  Walk walk(&on_column);
  walk.expr(expr, 0);
}

}  // namespace txscope::sql
