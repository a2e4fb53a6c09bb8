#include "audit/rows/column_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace txscope::audit {
namespace {

using sql::LogStatus;
using sql::Op;
using sql::Value;

/// A column of a table.
using Place = std::pair<std::uint32_t, std::uint32_t>;

/// Columns whose values come from more rows that are added to are not asked.
constexpr std::size_t kMostSums = 2000;

/// The values of one column.
struct Values {
  bool is_known = true;
  VersionList constants;
  std::vector<const ValueSet*> sums;

  void add(const std::vector<Change>& changes, std::uint32_t column,
           bool is_whole, const ValueSet* sum) {
    const Change* change = change_of(changes, column);
    if (change == nullptr) {
      is_known = is_known && !is_whole;
    } else if (change->kind == Change::Kind::Constant) {
      RowVersion version;
      version.columns = {*change};
      constants.add(std::move(version));
    } else if (change->kind == Change::Kind::Add && sum != nullptr) {
      if (sums.empty() || sums.back() != sum) sums.push_back(sum);
    } else {
      is_known = false;
    }
  }

  [[nodiscard]] bool may_have(const Value& value) const {
    RowAccess access;
    access.kind = RowAccess::Kind::Seen;
    access.columns.emplace_back(constants.empty() ? 0 : column(), value);
    bool is_there = false;
    constants.each(access, {}, [&](const RowVersion&) {
      is_there = true;
      return false;
    });
    if (is_there) return true;
    if (sums.empty()) return false;
    if (value.kind() != sql::Kind::Integer) return true;
    return std::any_of(sums.begin(), sums.end(), [&](const ValueSet* sum) {
      return sum->contains(value.integer());
    });
  }

 private:
  [[nodiscard]] std::uint32_t column() const {
    return constants.at(0).columns[0].column;
  }
};

/// The columns whose values a query shows as they are, by output column.
std::vector<std::optional<Place>> shown_columns(const sql::Query& query) {
  std::vector<std::optional<Place>> shown(query.targets.size());
  if (query.set != sql::SetKind::None) return shown;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const sql::Expr* e = &query.targets[i].expr;
    if (e->op == Op::Aggregate && e->level == 0) {
      const sql::Aggregate& aggregate = query.aggregates[e->index];
      const bool is_extreme = aggregate.kind == sql::AggregateKind::Min ||
                              aggregate.kind == sql::AggregateKind::Max;
      if (!is_extreme || !aggregate.argument) continue;
      e = &*aggregate.argument;
    }
    if (e->op != Op::Column || e->level != 0) continue;
    const sql::Relation& relation = query.relations[e->relation];
    if (relation.query == nullptr && relation.table != kNone<TableId>)
      shown[i] = Place(relation.table.index, e->index);
  }
  return shown;
}

class ColumnValues {
 public:
  ColumnValues(const LoadedLog& log, const RowVersions& rows)
      : log_(log), rows_(rows) {}

  [[nodiscard]] bool may_have(const Place& place, const Value& value) {
    const auto [found, is_new] = values_.try_emplace(place);
    if (is_new) collect(place, found->second);
    const Values& values = found->second;
    return !values.is_known || values.sums.size() > kMostSums ||
           values.may_have(value);
  }

 private:
  void collect(const Place& place, Values& values) const {
    const TableId table(place.first);
    const std::uint32_t column = place.second;
    sql::Access all;
    all.table = table;
    log_.initial().each(all, {}, [&](RowNumber number) {
      const RowPtr* row = log_.initial().visible(table, number, kSetup);
      if (row == nullptr) return;
      values.add({{column, Change::Kind::Constant, (**row)[column]}}, column,
                 true, nullptr);
    });
    const auto& txns = log_.judged();
    for (std::uint32_t t = 0; t < txns.size() && values.is_known; ++t) {
      // An aborted one sees its own.
      if (txns[t].log->status == LogStatus::Aborted &&
          !log_.must_explain(txns[t]))
        continue;
      for (std::size_t k = 0; k < txns[t].statements.size(); ++k)
        for (const RowAccess& access : rows_.accesses(t, k))
          if (access.table == table) add(access, column, values);
    }
  }

  void add(const RowAccess& access, std::uint32_t column,
           Values& values) const {
    const bool is_insert = access.kind == RowAccess::Kind::Insert ||
                           access.kind == RowAccess::Kind::WildInsert;
    if (!is_insert && access.kind != RowAccess::Kind::Update &&
        access.kind != RowAccess::Kind::WildUpdate)
      return;
    const ValueSet* sum = nullptr;
    if (!access.key.empty())
      if (const auto row = rows_.find_row(access.table, access.key))
        sum = rows_.range(*row, column);
    values.add(access.changes, column, is_insert, sum);
  }

  const LoadedLog& log_;
  const RowVersions& rows_;
  std::map<Place, Values> values_;
};

}  // namespace

void check_column_values(const LoadedLog& log, const RowVersions& rows,
                         const OnImpossible& on_impossible) {
  const sql::Schema& schema = log.initial().schema();
  ColumnValues values(log, rows);
  const auto& txns = log.judged();
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    const Txn& txn = txns[t];
    if (!log.must_explain(txn)) continue;
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const Prepared& prepared = *txn.statements[k];
      const sql::LogStatement& s = txn.log->statements[k];
      if (txn.is_opaque[k] || !prepared.is_select() || prepared.is_timed ||
          !s.rows || s.error)
        continue;
      const auto shown = shown_columns(prepared.query());
      for (const sql::Row& row : *s.rows) {
        if (row.size() != shown.size()) break;
        for (std::size_t i = 0; i < shown.size(); ++i) {
          // An outer join, and an aggregate of nothing, show NULL.
          if (!shown[i] || row[i].is_null() ||
              values.may_have(*shown[i], row[i]))
            continue;
          const sql::Table& table = schema.at(TableId(shown[i]->first));
          on_impossible(t, k,
                        table.columns[shown[i]->second].name + " of " +
                            table.name + " was never " + to_string(row[i]) +
                            " in any row",
                        "");
        }
      }
    }
  }
}

}  // namespace txscope::audit
