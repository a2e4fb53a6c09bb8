#include "audit/attempt/ties.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Query;
using sql::WindowCall;
using sql::WindowFunction;

/// Whether the place of a row among equal ones matters to a call.
bool looks_at_places(const WindowCall& call) {
  using Bound = sql::FrameBound::Kind;
  switch (call.function) {
    case WindowFunction::Rank:
    case WindowFunction::DenseRank:
    case WindowFunction::PercentRank:
    case WindowFunction::CumeDist: return false;
    case WindowFunction::Aggregate: break;
    default: return true;
  }
  const bool is_whole = call.frame.start.kind == Bound::UnboundedPreceding &&
                        call.frame.end.kind == Bound::UnboundedFollowing;
  return call.aggregate.kind >= sql::AggregateKind::ArrayAgg ||
         (call.frame.unit == sql::Frame::Unit::Rows && !is_whole);
}

/// Whether no two rows of a query have the same values of `keys`: these have
/// the primary keys of all its tables, or what it groups by.
bool tells_apart(const sql::Schema& schema, const Query& q,
                 const std::vector<const Expr*>& keys) {
  const auto has = [&](std::uint32_t relation, std::uint32_t column) {
    return std::any_of(keys.begin(), keys.end(), [&](const Expr* key) {
      return key->op == sql::Op::Column && key->level == 0 &&
             key->relation == relation && key->index == column;
    });
  };
  if (q.is_grouped)
    return std::all_of(q.group_by.begin(), q.group_by.end(),
                       [&](const Expr& e) {
                         return e.op == sql::Op::Column && e.level == 0 &&
                                has(e.relation, e.index);
                       });
  for (std::uint32_t r = 0; r < q.relations.size(); ++r) {
    if (q.relations[r].query != nullptr) return false;
    const sql::Table& table = schema.at(q.relations[r].table);
    if (!table.has_primary_key) return false;
    for (const std::uint32_t column : table.unique[0].columns)
      if (!has(r, column)) return false;
  }
  return true;
}

class Ties {
 public:
  explicit Ties(const sql::Schema& schema) : schema_(schema) {}

  template <class Node>
  void look(const Node& node) {
    sql::for_each_part(
        node, [this](const Expr& e) { look(e); },
        [this](const Query& q) {
          look_itself(q);
          look(q);
        });
  }

  /// UPDATE and DELETE up to a LIMIT.
  template <class Write>
  void look_at_choice(const Write& write) {
    if (!write.choice.limit) return;
    const sql::Table& table = schema_.at(write.target.table);
    const auto is_key = [&](std::uint32_t column) {
      return std::any_of(
          write.choice.order_by.begin(), write.choice.order_by.end(),
          [&](const sql::SortKey& key) {
            return key.expr.op == sql::Op::Column && key.expr.level == 0 &&
                   key.expr.relation == 0 && key.expr.index == column;
          });
    };
    if (!table.has_primary_key ||
        !std::all_of(table.unique[0].columns.begin(),
                     table.unique[0].columns.end(), is_key))
      why = "LIMIT of a write whose ORDER BY does not tell all rows apart";
  }

  std::string why;

 private:
  void look_itself(const Query& q) {
    std::vector<const Expr*> keys;
    for (const sql::SortKey& key : q.order_by) keys.push_back(&key.expr);
    if (q.distinct_on != 0 && !tells_apart(schema_, q, keys))
      why = "DISTINCT ON with an ORDER BY that does not tell all rows apart";
    for (const WindowCall& call : q.windows) {
      keys.clear();
      for (const Expr& e : call.partition_by) keys.push_back(&e);
      for (const sql::SortKey& key : call.order_by) keys.push_back(&key.expr);
      if (looks_at_places(call) && !tells_apart(schema_, q, keys))
        why = "a window function whose ORDER BY does not tell all rows apart";
    }
  }

  const sql::Schema& schema_;
};

}  // namespace

std::string depends_on_ties(const sql::Schema& schema,
                            const sql::DbStatement& statement) {
  Ties ties(schema);
  ties.look(statement);
  if (const auto* update = std::get_if<sql::Update>(&statement.what))
    ties.look_at_choice(*update);
  if (const auto* remove = std::get_if<sql::Delete>(&statement.what))
    ties.look_at_choice(*remove);
  return ties.why;
}

}  // namespace txscope::audit
