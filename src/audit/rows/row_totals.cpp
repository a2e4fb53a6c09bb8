#include "audit/rows/row_totals.h"

#include <map>
#include <optional>
#include <utility>

#include "model/sql/value/parse_value.h"

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Value;
using Access = RowAccess::Kind;

/// What the sum of a column over a whole table can be.
struct Total {
  bool is_known = true;
  sql::Int128 least = 0;
  sql::Int128 most = 0;
};

void each_initial_row(const LoadedLog& log, TableId table,
                      const std::function<void(const sql::Row&)>& on_row) {
  sql::Access all;
  all.table = table;
  log.initial().each(all, {}, [&](RowNumber number) {
    const RowPtr* row = log.initial().visible(table, number, kSetup);
    if (row != nullptr) on_row(**row);
  });
}

/// What a statement adds to the sum of a column; none: not known.
std::optional<sql::Int128> added(const RowAccess& access,
                                 std::uint32_t column) {
  if (!is_wild(access.kind) && !is_write(access.kind)) return 0;
  const Change* change = change_of(access.changes, column);
  const bool is_update =
      access.kind == Access::Update || access.kind == Access::WildUpdate;
  if (is_update && change == nullptr) return 0;
  if (change == nullptr || change->kind != Change::Kind::Add)
    return std::nullopt;
  if (change->value == Value::integer(0)) return 0;
  if (access.kind != Access::Update) return std::nullopt;
  return change->value.integer();
}

Total sum_of(const LoadedLog& log, const RowVersions& rows, TableId table,
             std::uint32_t column) {
  Total total;
  each_initial_row(log, table, [&](const sql::Row& row) {
    const Value& v = row[column];
    if (v.kind() != sql::Kind::Integer) {
      total.is_known = false;
      return;
    }
    total.least += v.integer();
    total.most += v.integer();
  });
  const auto& txns = log.judged();
  for (std::uint32_t t = 0; t < txns.size() && total.is_known; ++t) {
    if (txns[t].log->status == LogStatus::Aborted) continue;
    sql::Int128 delta = 0;
    for (std::size_t k = 0; k < txns[t].statements.size(); ++k)
      for (const RowAccess& access : rows.accesses(t, k)) {
        if (access.table != table) continue;
        const auto more = added(access, column);
        total.is_known = total.is_known && more;
        delta += more.value_or(0);
      }
    // What was rolled back was not added, so each part counts alone.
    for (const PreparedPtr& p : txns[t].statements)
      if (p->kind == sql::ReadStatement::Kind::RollbackTo && delta != 0)
        total.is_known = false;
    (delta < 0 ? total.least : total.most) += delta;
  }
  return total;
}

std::optional<sql::Int128> whole_number(const Value& seen) {
  if (seen.kind() == sql::Kind::Integer) return seen.integer();
  if (seen.kind() == sql::Kind::Numeric && seen.scale() == 0)
    return seen.digits();
  if (seen.kind() != sql::Kind::Text) return std::nullopt;
  const auto parsed = sql::parse_value(seen.text(), sql::TypeName::BigInt);
  if (!parsed) return std::nullopt;
  return parsed->integer();
}

std::string range_text(const Total& total) {
  const auto text = [](sql::Int128 v) {
    return std::to_string(static_cast<std::int64_t>(v));
  };
  return "the sum is " + text(total.least) +
         (total.least == total.most ? "" : " to " + text(total.most));
}

/// Whether statements see states, not rows of several.
bool has_states(Rule rule) {
  return rule == Rule::Serializable || rule == Rule::Snapshot ||
         rule == Rule::Prefix || rule == Rule::PostgresRepeatableRead ||
         rule == Rule::PostgresReadCommitted;
}

/// A query that shows aggregates over one whole table.
bool is_over_whole_table(const Prepared& prepared, const sql::LogStatement& s) {
  if (!prepared.is_select() || !s.rows || s.rows->size() != 1) return false;
  const sql::Query& q = prepared.query();
  return q.relations.size() == 1 && q.relations[0].query == nullptr &&
         !q.where && q.group_by.empty() && !q.having && !q.limit && !q.offset &&
         (*s.rows)[0].size() == q.targets.size();
}

}  // namespace

void check_totals(const LoadedLog& log, const RowVersions& rows, Rule rule,
                  const OnImpossible& on_impossible) {
  const sql::Schema& schema = log.initial().schema();
  const auto& txns = log.judged();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Total> sums;
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    if (!log.must_explain(txn)) continue;
    std::vector<bool> has_written(schema.tables.size(), false);
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      if (txn.is_opaque[k]) continue;
      for (const RowAccess& access : rows.accesses(t, k))
        if (is_wild(access.kind) || is_write(access.kind))
          has_written[access.table.index] = true;
      const sql::LogStatement& s = txn.log->statements[k];
      if (!is_over_whole_table(*txn.statements[k], s)) continue;
      const sql::Query& q = txn.statements[k]->query();
      const TableId table = q.relations[0].table;
      if (rows.has_inserts(table) || rows.has_deletes(table) ||
          has_written[table.index])
        continue;
      for (std::size_t i = 0; i < q.targets.size(); ++i) {
        const sql::Expr& e = q.targets[i].expr;
        if (e.op != sql::Op::Aggregate || e.level != 0) continue;
        const sql::Aggregate& aggregate = q.aggregates[e.index];
        const Value& seen = (*s.rows)[0][i];
        if (aggregate.kind == sql::AggregateKind::CountRows) {
          std::int64_t count = 0;
          each_initial_row(log, table, [&](const sql::Row&) { ++count; });
          if (!is_same_value(Value::integer(count), seen))
            on_impossible(t, k,
                          "nobody inserts into " + schema.at(table).name +
                              " or deletes from it",
                          "count " + std::to_string(count));
        } else if (aggregate.kind == sql::AggregateKind::Sum &&
                   has_states(rule) && !aggregate.is_distinct &&
                   aggregate.argument &&
                   aggregate.argument->op == sql::Op::Column) {
          const std::uint32_t column = aggregate.argument->index;
          const auto known = sums.find({table.index, column});
          const Total& total =
              known != sums.end()
                  ? known->second
                  : sums.emplace(std::pair(table.index, column),
                                 sum_of(log, rows, table, column))
                        .first->second;
          if (!total.is_known) continue;
          const auto value = whole_number(seen);
          if (!value || (*value >= total.least && *value <= total.most))
            continue;
          on_impossible(t, k,
                        total.least == total.most
                            ? "every transaction leaves this sum as it is"
                            : "no transactions together make this sum",
                        range_text(total));
        }
      }
    }
  }
}

}  // namespace txscope::audit
