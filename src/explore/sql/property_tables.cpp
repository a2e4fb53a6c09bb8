// Which tables a condition can look at.

#include <algorithm>

#include "explore/sql/transactions.h"
#include "model/sql/walk.h"

namespace txscope::explore {
namespace {

class Mentions {
 public:
  explicit Mentions(std::size_t tables) : is_mentioned_(tables) {}

  void add(const sql::Query& query) {
    for (const sql::Relation& relation : query.relations)
      if (relation.table != kNone<TableId>)
        is_mentioned_[relation.table.index] = true;
    for_each_part(
        query, [this](const sql::Expr& e) { add(e); },
        [this](const sql::Query& inside) { add(inside); });
  }
  /// Parents and children, and theirs: which states of a table are possible
  /// depends on them.
  void add_relatives(const sql::Schema& schema) {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (std::size_t t = 0; t < is_mentioned_.size(); ++t) {
        for (const sql::ForeignKey& foreign : schema.tables[t].foreign) {
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
  void add(const sql::Expr& expr) {
    for_each_part(
        expr, [this](const sql::Expr& arg) { add(arg); },
        [this](const sql::Query& inside) { add(inside); });
    // What a function looks at is not followed: it may be anything.
    if (expr.op == sql::Op::Function) {
      std::fill(is_mentioned_.begin(), is_mentioned_.end(), true);
    }
  }

  std::vector<bool> is_mentioned_;
};

}  // namespace

std::vector<TableId> tables_of(const sql::Application& application,
                               const sql::Property& property) {
  Mentions mentions(application.schema.tables.size());
  mentions.add(*std::get<sql::Select>(property.condition.what));
  mentions.add_relatives(application.schema);
  return mentions.tables();
}

}  // namespace txscope::explore
