#include "audit/rows/row_access.h"

#include <algorithm>

#include "audit/rows/call_access.h"
#include "audit/rows/key_condition.h"
#include "audit/rows/named_rows.h"
#include "audit/rows/select_access.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

Change change_of(const sql::SetColumn& set, const sql::LogStatement& s) {
  Change change;
  change.column = set.column;
  if (!set.value) return change;
  const Expr* e = &*set.value;
  if (const Expr* number = converted_number(*e)) e = number;
  while (e->op == Op::Cast && e->args[0].op != Op::Variable &&
         e->args[0].op != Op::Constant)
    e = &e->args[0];
  if (auto value = constant(*set.value, s)) {
    change.kind = Change::Kind::Constant;
    change.value = *value;
  } else if (is_column(*e, set.column)) {
    change.kind = Change::Kind::Add;
    change.value = Value::integer(0);
  } else if (e->op == Op::Add || e->op == Op::Subtract) {
    const bool is_first = is_column(e->args[0], set.column);
    const bool is_second =
        e->op == Op::Add && is_column(e->args[1], set.column);
    if (!is_first && !is_second) return change;
    const auto added = constant(e->args[is_first ? 1 : 0], s);
    if (!added || !is_whole(*added)) return change;
    change.kind = Change::Kind::Add;
    const std::int64_t by = whole(*added);
    change.value = Value::integer(e->op == Op::Add ? by : -by);
  }
  return change;
}

void add_insert(const sql::Schema& schema, const sql::DbStatement& statement,
                const sql::LogStatement& s, std::vector<RowAccess>& all) {
  const auto& insert = std::get<sql::Insert>(statement.what);
  RowAccess access;
  access.table = insert.target.table;
  const sql::Table& table = schema.at(access.table);
  access.kind = RowAccess::Kind::WildInsert;
  if (insert.source != nullptr || insert.on_conflict ||
      !table.has_primary_key) {
    if (insert.on_conflict && insert.on_conflict->is_update) {
      RowAccess update = access;
      update.kind = RowAccess::Kind::WildUpdate;
      for (const sql::SetColumn& set : insert.on_conflict->set)
        update.changes.push_back({set.column, Change::Kind::Unknown, {}});
      all.push_back(update);
    }
    return all.push_back(access);
  }
  for (std::size_t r = 0; r < insert.rows.size(); ++r) {
    const auto& row = insert.rows[r];
    RowAccess one = access;
    one.kind = RowAccess::Kind::Insert;
    std::vector<std::optional<Value>> values(table.columns.size());
    std::vector<bool> is_known(table.columns.size(), false);
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      is_known[c] =
          !table.columns[c].default_value && !table.columns[c].sequence;
    for (std::size_t i = 0; i < row.size() && i < insert.columns.size(); ++i) {
      const std::uint32_t column = insert.columns[i];
      values[column] = row[i] ? constant(*row[i], s) : std::nullopt;
      is_known[column] = values[column].has_value();
    }
    for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
      if (is_known[c]) continue;
      values[c] = returned(statement, s, r, c);
      is_known[c] = values[c].has_value();
    }
    for (std::uint32_t c = 0; c < table.columns.size(); ++c)
      one.changes.push_back(
          {c, is_known[c] ? Change::Kind::Constant : Change::Kind::Unknown,
           values[c].value_or(Value())});
    bool has_key = true;
    for (const std::uint32_t column : table.unique[0].columns) {
      has_key = has_key && is_known[column] && values[column];
      one.key.push_back(sql::canonical(values[column].value_or(Value())));
    }
    if (!has_key) {
      one.kind = RowAccess::Kind::WildInsert;
      one.key.clear();
    }
    all.push_back(std::move(one));
  }
}

template <class Statement>
void add_write(const sql::Schema& schema, const Statement& statement,
               const sql::LogStatement& s, std::vector<Change> changes,
               bool is_delete, std::vector<RowAccess>& all) {
  RowAccess access;
  access.table = statement.target.table;
  const sql::Table& table = schema.at(access.table);
  std::vector<const Expr*> rest;
  const auto key = key_of(table, statement.where, s, rest);
  const bool moves_key =
      table.has_primary_key &&
      std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
        const auto& columns = table.unique[0].columns;
        return std::find(columns.begin(), columns.end(), change.column) !=
               columns.end();
      });
  access.changes = std::move(changes);
  if (!key || moves_key) {
    if (s.count == std::uint64_t{0}) return;
    access.kind =
        is_delete ? RowAccess::Kind::WildDelete : RowAccess::Kind::WildUpdate;
    all.push_back(access);
    if (moves_key) {
      access.kind = RowAccess::Kind::WildDelete;
      all.push_back(access);
      access.kind = RowAccess::Kind::WildInsert;
      all.push_back(access);
    }
    return;
  }
  access.key = *key;
  if (s.count && *s.count > 1) {
    RowAccess twice = access;
    twice.kind = RowAccess::Kind::TooMany;
    twice.changes.clear();
    all.push_back(std::move(twice));
  }
  if (!s.count || *s.count > 1) {
    // Not observed: it may have found the row or not.
    access.kind =
        is_delete ? RowAccess::Kind::WildDelete : RowAccess::Kind::WildUpdate;
    return all.push_back(access);
  }
  if (*s.count == 0) {
    if (!rest.empty()) return;
    access.changes.clear();
    access.kind = RowAccess::Kind::Absent;
    return all.push_back(access);
  }
  RowAccess seen = access;
  seen.kind = RowAccess::Kind::Exists;
  seen.changes.clear();
  all.push_back(std::move(seen));
  access.kind = is_delete ? RowAccess::Kind::Delete : RowAccess::Kind::Update;
  all.push_back(std::move(access));
}

/// min(column) or max(column).
std::optional<KeyBound> least_or_greatest(const sql::Query& query,
                                          const sql::LogStatement& observed) {
  if (query.targets.size() != 1 || observed.rows->size() != 1 ||
      (*observed.rows)[0].size() != 1 || (*observed.rows)[0][0].is_null())
    return std::nullopt;
  const Expr& target = query.targets[0].expr;
  if (target.op != Op::Aggregate || target.level != 0) return std::nullopt;
  const sql::Aggregate& aggregate = query.aggregates[target.index];
  const bool is_least = aggregate.kind == sql::AggregateKind::Min;
  if ((!is_least && aggregate.kind != sql::AggregateKind::Max) ||
      !aggregate.argument || aggregate.argument->op != Op::Column ||
      aggregate.argument->level != 0)
    return std::nullopt;
  return KeyBound{aggregate.argument->index, !is_least, (*observed.rows)[0][0]};
}

/// ORDER BY a column of the key, LIMIT as many rows as were seen.
std::optional<KeyBound> last_of_first(const sql::Schema& schema,
                                      const sql::Query& query,
                                      std::size_t relation,
                                      const sql::LogStatement& observed) {
  const auto limit =
      query.limit ? constant(*query.limit, observed) : std::optional<Value>();
  if (!limit || limit->kind() != sql::Kind::Integer || query.offset ||
      limit->integer() != static_cast<std::int64_t>(observed.rows->size()) ||
      query.order_by.empty())
    return std::nullopt;
  const sql::SortKey& by = query.order_by.front();
  const auto& key =
      schema.at(query.relations[relation].table).unique[0].columns;
  if (by.expr.op != Op::Column || by.expr.level != 0 ||
      by.expr.relation != relation ||
      std::find(key.begin(), key.end(), by.expr.index) == key.end())
    return std::nullopt;
  for (std::size_t i = 0; i < query.targets.size(); ++i) {
    const Expr& target = query.targets[i].expr;
    if (target.op != Op::Column || target.level != 0 ||
        target.relation != relation || target.index != by.expr.index ||
        i >= observed.rows->back().size())
      continue;
    const Value& last = observed.rows->back()[i];
    if (last.is_null()) return std::nullopt;
    return KeyBound{by.expr.index, by.is_descending, last};
  }
  return std::nullopt;
}

/// What foreign keys do to rows that point to deleted ones.
void add_cascades(const sql::Schema& schema, TableId parent,
                  std::vector<bool>& is_reached, std::vector<RowAccess>& all) {
  for (std::size_t t = 0; t < schema.tables.size(); ++t)
    for (const sql::ForeignKey& key : schema.tables[t].foreign) {
      if (key.parent != parent || key.on_delete == sql::OnDelete::NoAction)
        continue;
      RowAccess child;
      child.table = TableId(t);
      if (key.on_delete == sql::OnDelete::SetNull) {
        child.kind = RowAccess::Kind::WildUpdate;
        for (const std::uint32_t column : key.columns)
          child.changes.push_back({column, Change::Kind::Constant, Value()});
        all.push_back(std::move(child));
        continue;
      }
      child.kind = RowAccess::Kind::WildDelete;
      all.push_back(std::move(child));
      if (is_reached[t]) continue;
      is_reached[t] = true;
      add_cascades(schema, TableId(t), is_reached, all);
    }
}

}  // namespace

void add_any_write(const sql::Schema& schema, TableId table,
                   std::vector<RowAccess>& all) {
  RowAccess access;
  access.table = table;
  for (std::uint32_t c = 0; c < schema.at(table).columns.size(); ++c)
    access.changes.push_back({c, Change::Kind::Unknown, {}});
  for (const auto kind :
       {RowAccess::Kind::WildUpdate, RowAccess::Kind::WildDelete,
        RowAccess::Kind::WildInsert}) {
    access.kind = kind;
    all.push_back(access);
  }
}

void write_accesses(const sql::Schema& schema,
                    const sql::DbStatement& statement,
                    const sql::LogStatement& observed,
                    std::vector<RowAccess>& all) {
  const auto& what = statement.what;
  if (chooses_rows(statement)) {
    add_any_write(schema, statement.target()->table, all);
  } else if (std::holds_alternative<sql::Insert>(what)) {
    add_insert(schema, statement, observed, all);
  } else if (const auto* update = std::get_if<sql::Update>(&what)) {
    std::vector<Change> changes;
    for (const sql::SetColumn& set : update->set)
      changes.push_back(change_of(set, observed));
    add_write(schema, *update, observed, std::move(changes), false, all);
  } else if (const auto* remove = std::get_if<sql::Delete>(&what)) {
    add_write(schema, *remove, observed, {}, true, all);
    std::vector<bool> is_reached(schema.tables.size(), false);
    add_cascades(schema, remove->target.table, is_reached, all);
  }
}

std::vector<RowAccess> row_accesses(const sql::Schema& schema,
                                    const Prepared& prepared,
                                    const sql::LogStatement& observed,
                                    const KnownTables& known) {
  std::vector<RowAccess> all;
  if (observed.error) return all;
  if (prepared.is_timed) {
    if (prepared.is_select()) return all;
    for (std::size_t t = 0; t < schema.tables.size(); ++t)
      add_any_write(schema, TableId(t), all);
    return all;
  }
  if (prepared.is_call()) {
    add_call(prepared, observed, all);
  } else if (prepared.runs_routines()) {
    add_triggering(prepared, observed, all);
  } else if (prepared.is_select()) {
    add_select(schema, prepared.query(), observed, known, all);
  } else if (prepared.is_sql()) {
    write_accesses(schema, *prepared.statement, observed, all);
  }
  return all;
}

std::vector<KeyBound> key_bounds(const sql::Schema& schema,
                                 const sql::Query& query,
                                 const sql::Relation& relation,
                                 const sql::LogStatement& observed) {
  std::vector<KeyBound> bounds;
  std::size_t number = 0;
  while (number < query.relations.size() &&
         &query.relations[number] != &relation)
    ++number;
  if (number == query.relations.size() || relation.query != nullptr ||
      !schema.at(relation.table).has_primary_key)
    return bounds;
  const auto& key = schema.at(relation.table).unique[0].columns;
  for (const Expr* e : conjuncts(query.where)) {
    const bool is_less = e->op == Op::Less || e->op == Op::LessEqual;
    if (!is_less && e->op != Op::Greater && e->op != Op::GreaterEqual) continue;
    for (const bool is_first : {true, false}) {
      const Expr& column = e->args[is_first ? 0 : 1];
      if (column.op != Op::Column || column.level != 0 ||
          column.relation != number ||
          std::find(key.begin(), key.end(), column.index) == key.end())
        continue;
      auto value = constant(e->args[is_first ? 1 : 0], observed);
      if (value && !value->is_null())
        bounds.push_back({column.index, is_less != is_first, *value});
    }
  }
  return bounds;
}

std::optional<KeyBound> extreme_bound(const sql::Schema& schema,
                                      const sql::Query& query,
                                      std::size_t relation,
                                      const sql::LogStatement& observed) {
  const sql::Relation& asked = query.relations[relation];
  if (asked.query != nullptr || !query.group_by.empty() || query.having ||
      query.is_distinct || query.distinct_on != 0 || !query.windows.empty() ||
      !schema.at(asked.table).has_primary_key || !observed.rows ||
      observed.rows->empty())
    return std::nullopt;
  if (query.is_grouped)
    return query.relations.size() == 1 ? least_or_greatest(query, observed)
                                       : std::nullopt;
  // A row that an outer join does not find leaves another one behind.
  const bool is_inner = std::all_of(
      query.joins.begin(), query.joins.end(),
      [](const sql::Join& join) { return join.kind == sql::JoinKind::Inner; });
  return is_inner ? last_of_first(schema, query, relation, observed)
                  : std::nullopt;
}

}  // namespace txscope::audit
