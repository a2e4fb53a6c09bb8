// Which tables a condition can look at.

#include <algorithm>

#include "explore/sql/transactions.h"

namespace txscope::sql {
namespace {

class Mentions {
 public:
  explicit Mentions(std::size_t tables) : is_mentioned_(tables) {}

  // Depth: that of expressions, which the front end limits.
  void add(const Query& query) {
    for (const Relation& relation : query.relations) {
      if (relation.query) {
        add(*relation.query);
      } else {
        is_mentioned_[relation.table.index] = true;
      }
    }
    for (const Join& join : query.joins) add(join.on);
    add(query.where);
    for (const Expr& e : query.group_by) add(e);
    for (const Aggregate& a : query.aggregates) add(a.argument);
    add(query.having);
    for (const Target& t : query.targets) add(t.expr);
    for (const SortKey& key : query.order_by) add(key.expr);
    add(query.limit);
    add(query.offset);
    for (const auto& part : query.parts) add(*part);
    for (const auto& row : query.values)
      for (const Expr& e : row) add(e);
  }
  /// Parents and children, and theirs: which states of a table are possible
  /// depends on them.
  void add_relatives(const Schema& schema) {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (std::size_t t = 0; t < is_mentioned_.size(); ++t) {
        for (const ForeignKey& foreign : schema.tables[t].foreign) {
          const std::size_t p = foreign.parent.index;
          if (is_mentioned_[t] == is_mentioned_[p]) continue;
          is_mentioned_[t] = is_mentioned_[p] = is_changed = true;
        }
      }
    }
  }
  std::vector<TableId> tables() const {
    std::vector<TableId> out;
    for (std::size_t t = 0; t < is_mentioned_.size(); ++t) {
      if (is_mentioned_[t]) out.emplace_back(t);
    }
    return out;
  }

 private:
  void add(const std::optional<Expr>& expr) {
    if (expr) add(*expr);
  }
  void add(const Expr& expr) {
    for (const Expr& arg : expr.args) add(arg);
    if (expr.query) add(*expr.query);
    // What a function looks at is not followed: it may be anything.
    if (expr.op == Op::Function) {
      std::fill(is_mentioned_.begin(), is_mentioned_.end(), true);
    }
  }

  std::vector<bool> is_mentioned_;
};

}  // namespace

std::vector<TableId> tables_of(const Application& application,
                               const Property& property) {
  Mentions mentions(application.schema.tables.size());
  mentions.add(*std::get<Select>(property.condition.what));
  mentions.add_relatives(application.schema);
  return mentions.tables();
}

}  // namespace txscope::sql
