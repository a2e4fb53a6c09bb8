#include "audit/rows/sum_of_rows.h"

#include <algorithm>

#include "audit/rows/key_condition.h"
#include "audit/rows/named_rows.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;

/// Whether it is true of a row exactly if its key is one of some constants.
bool asks_for_keys(const Expr& e, std::uint32_t column,
                   const sql::LogStatement& s) {
  switch (e.op) {
    case Op::Or:
      return std::all_of(e.args.begin(), e.args.end(), [&](const Expr& arg) {
        return asks_for_keys(arg, column, s);
      });
    case Op::Equal:
      return (is_column(e.args[0], column) && constant(e.args[1], s)) ||
             (is_column(e.args[1], column) && constant(e.args[0], s));
    case Op::InList:
      return is_column(e.args[0], column) &&
             std::all_of(e.args.begin() + 1, e.args.end(), [&](const Expr& a) {
               return constant(a, s).has_value();
             });
    default: return false;
  }
}

}  // namespace

std::optional<SumOfRows> sum_of_rows(const sql::Schema& schema,
                                     const Prepared& prepared,
                                     const sql::LogStatement& observed) {
  if (!prepared.is_select() || prepared.is_timed || !observed.rows ||
      observed.rows->size() != 1 || observed.error)
    return std::nullopt;
  const sql::Query& q = prepared.query();
  if (q.set != sql::SetKind::None || q.relations.size() != 1 ||
      q.relations[0].query != nullptr || !q.group_by.empty() || q.having ||
      q.limit || q.offset || q.targets.size() != 1 || !q.where ||
      (*observed.rows)[0].size() != 1)
    return std::nullopt;
  const Expr& target = q.targets[0].expr;
  if (target.op != Op::Aggregate || target.level != 0) return std::nullopt;
  const sql::Aggregate& sum = q.aggregates[target.index];
  const sql::Table& table = schema.at(q.relations[0].table);
  if (sum.kind != sql::AggregateKind::Sum || sum.is_distinct || !sum.argument ||
      sum.argument->op != Op::Column || sum.argument->level != 0 ||
      !table.has_primary_key || table.unique[0].columns.size() != 1 ||
      !asks_for_keys(*q.where, table.unique[0].columns[0], observed))
    return std::nullopt;
  auto named = named_rows(schema, prepared, observed);
  if (!named) return std::nullopt;
  SumOfRows result;
  result.table = named->table;
  result.column = sum.argument->index;
  result.keys = std::move(named->keys);
  result.value = (*observed.rows)[0][0];
  return result;
}

}  // namespace txscope::audit
