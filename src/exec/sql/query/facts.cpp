#include "exec/sql/query/facts.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::sql {
namespace {

/// Walks an expression with everything inside it; `depth` counts the queries
/// entered.
class Walk {
 public:
  explicit Walk(const std::function<void(const Expr&)>* on_column = nullptr)
      : on_column_(on_column) {}

  void expr(const Expr& e, std::uint32_t depth) {
    if (e.op == Op::Column || e.op == Op::Aggregate || e.op == Op::Window)
      name(e, depth);
    if (e.op == Op::Function) facts.has_query = facts.has_open_query = true;
    for_each_part(
        e, [&](const Expr& arg) { expr(arg, depth); },
        [&](const Query& inside) {
          facts.has_query = true;
          if (depth == 0 && facts_of(inside).reach != 0)
            facts.has_open_query = true;
          query(inside, depth + 1);
        });
  }
  void query(const Query& q, std::uint32_t depth) {
    // What a recursion outside has come to changes from round to round.
    const bool is_outside = q.set == SetKind::Working &&
                            std::find(recursions_.begin(), recursions_.end(),
                                      q.recursion) == recursions_.end();
    if (is_outside) facts.reach = std::max(facts.reach, 1u);
    if (q.set == SetKind::Recursive) recursions_.push_back(q.recursion);
    for_each_part(
        q, [&](const Expr& e) { expr(e, depth); },
        [&](const Query& inside) { query(inside, depth + 1); });
    if (q.set == SetKind::Recursive) recursions_.pop_back();
  }

  Facts facts;

 private:
  void name(const Expr& e, std::uint32_t depth) {
    if (e.level < depth) return;
    facts.reach = std::max(facts.reach, e.level - depth);
    if (e.level != depth) return;
    if (e.op != Op::Column) {
      facts.relations = ~std::uint64_t{0};
      return;
    }
    facts.relations |= std::uint64_t{1} << std::min(e.relation, 63u);
    if (on_column_ != nullptr) (*on_column_)(e);
  }

  const std::function<void(const Expr&)>* on_column_;
  std::vector<std::uint32_t> recursions_;  // around
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
