#include "model/sql/time_use.h"

#include <algorithm>

#include "model/sql/walk.h"

namespace txscope::sql {
namespace {

bool is_instant(const Type& type) {
  return type.name == TypeName::Timestamp || type.name == TypeName::TimestampTz;
}

/// Values pass through it as they are, or are only asked for being there.
bool passes(Op op) {
  switch (op) {
    case Op::And:
    case Op::Or:
    case Op::Not:
    case Op::IsNull:
    case Op::Case:
    case Op::Coalesce:
    case Op::Greatest:
    case Op::Least:
    case Op::Scalar:
    case Op::Exists: return true;
    default: return false;
  }
}

bool is_comparison(Op op) {
  switch (op) {
    case Op::IsDistinct:
    case Op::Equal:
    case Op::NotEqual:
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::NullIf:
    case Op::InList: return true;
    default: return false;
  }
}

bool has_instant(const std::vector<Expr>& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const Expr& e) { return is_instant(e.type); });
}

}  // namespace

void TimeUse::see(const Expr& e) {
  if (e.op == Op::Constant && e.value == now_) names_now_ = true;
  std::size_t open = 0;
  bool is_now = false;
  for (const Expr& arg : e.args) {
    if (!is_instant(arg.type)) continue;
    const Expr* bare = &arg;
    while (bare->op == Op::Cast) bare = &bare->args[0];
    const bool is_constant = bare->op == Op::Constant;
    is_now |= is_constant && bare->value == now_;
    open += is_constant && bare->value != now_ ? 0 : 1;
  }
  // A day is not told apart by what happens within one.
  const bool is_kept =
      e.op == Op::Cast && (is_instant(e.type) || e.type.name == TypeName::Date);
  if (open > 0 && !passes(e.op) && !is_kept)
    tells_apart_ |= !is_comparison(e.op) || open > 1 || is_now;
  for_each_part(
      e, [&](const Expr& arg) { see(arg); },
      [&](const Query& query) { see(query, true); });
}

void TimeUse::see_order(const std::vector<SortKey>& keys, bool is_free) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (is_instant(keys[i].expr.type))
      tells_apart_ |= !is_free || i + 1 < keys.size();
}

void TimeUse::see(const Query& query, bool is_inside) {
  tells_apart_ |= has_instant(query.group_by);
  for (const Target& target : query.targets)
    tells_apart_ |= (query.is_distinct || !query.parts.empty()) &&
                    is_instant(target.expr.type);
  for (const Aggregate& a : query.aggregates) {
    const bool is_extreme =
        a.kind == AggregateKind::Min || a.kind == AggregateKind::Max;
    tells_apart_ |= a.argument && !is_extreme && is_instant(a.argument->type) &&
                    (a.kind != AggregateKind::Count || a.is_distinct);
  }
  for (const WindowCall& call : query.windows)
    for_each_part(call,
                  [&](const Expr& e) { tells_apart_ |= is_instant(e.type); });
  // Ties are free in the order of an answer, and LIMIT takes any of them; not
  // where rows are locked one by one.
  see_order(query.order_by, !is_inside && query.lock == LockStrength::None);
  for_each_part(
      query, [&](const Expr& e) { see(e); },
      [&](const Query& inside) { see(inside, true); });
}

void TimeUse::see_defaults(const Insert& insert) {
  const auto& columns = schema_.at(insert.target.table).columns;
  const auto see_default = [&](std::uint32_t column) {
    if (columns[column].default_value) see(*columns[column].default_value);
  };
  for (std::uint32_t c = 0; c < columns.size(); ++c)
    if (std::find(insert.columns.begin(), insert.columns.end(), c) ==
        insert.columns.end())
      see_default(c);
  for (const auto& row : insert.rows)
    for (std::size_t i = 0; i < row.size() && i < insert.columns.size(); ++i)
      if (!row[i]) see_default(insert.columns[i]);
}

void TimeUse::see(const DbStatement& statement) {
  if (const Relation* target = statement.target()) {
    const Table& table = schema_.at(target->table);
    for (const UniqueKey& key : table.unique)
      for (const std::uint32_t column : key.columns)
        tells_apart_ |= is_instant(table.columns[column].type) &&
                        !std::holds_alternative<Delete>(statement.what);
    for (const Check& check : table.checks) see(check.condition);
  }
  if (const auto* insert = std::get_if<Insert>(&statement.what))
    see_defaults(*insert);
  const bool is_select = statement.is_select();
  for_each_part(
      statement, [&](const Expr& e) { see(e); },
      [&](const Query& query) { see(query, !is_select); });
}

void TimeUse::see(const PlBlock& block) {
  for_each_pl(block, [&](const PlStatement& s) {
    for_each_part(
        s, [&](const Expr& e) { see(e); },
        [&](const DbStatement& statement) { see(statement); },
        [](const PlBlock&) {});
  });
}

}  // namespace txscope::sql
