#include "audit/rows/named_rows.h"

#include <algorithm>

#include "audit/rows/key_condition.h"
#include "audit/tables/tables.h"
#include "exec/sql/query/facts.h"

namespace txscope::audit {
namespace {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

/// Keys of whole numbers: what SQL holds equal is the same value.
bool has_plain_key(const sql::Table& table) {
  if (!table.has_primary_key) return false;
  const auto& columns = table.unique[0].columns;
  return std::all_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
    const sql::TypeName type = table.columns[c].type.name;
    return type == sql::TypeName::SmallInt || type == sql::TypeName::Integer ||
           type == sql::TypeName::BigInt;
  });
}

bool is_plain_key(const Row& key) {
  return std::all_of(key.begin(), key.end(), [](const Value& value) {
    return value.kind() == sql::Kind::Integer;
  });
}

/// The keys outside of which a condition is never true.
std::optional<std::vector<Row>> keys_of(const sql::Table& table,
                                        const std::optional<Expr>& where,
                                        const sql::LogStatement& s) {
  std::vector<const Expr*> rest;
  if (auto key = key_of(table, where, s, rest)) {
    if (!is_plain_key(*key)) return std::nullopt;
    return std::vector<Row>{std::move(*key)};
  }
  const auto& columns = table.unique[0].columns;
  for (const Expr* e : conjuncts(where)) {
    std::optional<std::vector<Row>> all = std::vector<Row>();
    if (e->op == Op::Or) {
      for (const Expr& arg : e->args) {
        auto some = keys_of(table, arg, s);
        if (!some || !all) {
          all.reset();
          break;
        }
        all->insert(all->end(), some->begin(), some->end());
      }
    } else if (e->op == Op::InList && columns.size() == 1 &&
               is_column(e->args[0], columns[0])) {
      for (std::size_t i = 1; all && i < e->args.size(); ++i) {
        const auto value = constant(e->args[i], s);
        if (value && is_plain_key({*value}))
          all->push_back({*value});
        else
          all.reset();
      }
    } else {
      continue;
    }
    if (all) return all;
  }
  return std::nullopt;
}

bool has_query_in(const std::optional<Expr>& e) {
  return e && sql::facts_of(*e).has_query;
}

bool has_query_in(const std::vector<sql::Target>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const auto& target) {
    return sql::facts_of(target.expr).has_query;
  });
}

/// Whether a query, which names one table, has no other anywhere.
bool is_plain(const sql::Query& q) {
  return !has_query_in(q.limit) && !has_query_in(q.offset) &&
         std::none_of(q.order_by.begin(), q.order_by.end(),
                      [](const sql::SortKey& key) {
                        return sql::facts_of(key.expr).has_query;
                      }) &&
         std::none_of(q.group_by.begin(), q.group_by.end(),
                      [](const Expr& e) { return sql::facts_of(e).has_query; });
}

std::optional<std::vector<Row>> inserted_keys(const sql::Table& table,
                                              const sql::DbStatement& statement,
                                              const sql::LogStatement& s) {
  const auto& insert = std::get<sql::Insert>(statement.what);
  if (insert.source != nullptr || insert.on_conflict) return std::nullopt;
  std::vector<Row> keys;
  for (std::size_t i = 0; i < insert.rows.size(); ++i) {
    const auto& row = insert.rows[i];
    if (std::any_of(row.begin(), row.end(),
                    [](const auto& e) { return has_query_in(e); }))
      return std::nullopt;
    Row key;
    for (const std::uint32_t column : table.unique[0].columns) {
      std::optional<Value> value = returned(statement, s, i, column);
      for (std::size_t c = 0; c < row.size() && c < insert.columns.size(); ++c)
        if (insert.columns[c] == column && row[c]) value = constant(*row[c], s);
      if (!value) return std::nullopt;
      key.push_back(*value);
    }
    if (!is_plain_key(key)) return std::nullopt;
    keys.push_back(std::move(key));
  }
  return keys;
}

bool moves_key(const sql::Table& table, const sql::Update& update) {
  const auto& key = table.unique[0].columns;
  return std::any_of(
      update.set.begin(), update.set.end(), [&](const sql::SetColumn& set) {
        return std::find(key.begin(), key.end(), set.column) != key.end();
      });
}

}  // namespace

std::optional<Value> returned(const sql::DbStatement& statement,
                              const sql::LogStatement& observed, std::size_t i,
                              std::uint32_t column) {
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  if (insert == nullptr || !observed.rows ||
      observed.rows->size() != insert->rows.size() || i >= insert->rows.size())
    return std::nullopt;
  for (std::size_t c = 0; c < statement.returning.size(); ++c) {
    const Expr& e = statement.returning[c].expr;
    if (e.op != Op::Column || e.level != 0 || e.index != column) continue;
    const Row& row = (*observed.rows)[i];
    if (c < row.size()) return row[c];
  }
  return std::nullopt;
}

std::optional<NamedRows> named_rows(const sql::Schema& schema,
                                    const Prepared& prepared,
                                    const sql::LogStatement& observed) {
  if (!prepared.is_sql() || !prepared.scans_once ||
      prepared.statement->locks != nullptr ||
      sql::chooses_rows(*prepared.statement) ||
      has_query_in(prepared.statement->returning))
    return std::nullopt;
  const auto& what = prepared.statement->what;
  NamedRows named;
  named.is_write = !prepared.is_select();
  std::optional<std::vector<Row>> keys;
  const auto find = [&](TableId id, const std::optional<Expr>& where) {
    named.table = id;
    if (has_plain_key(schema.at(id)))
      keys = keys_of(schema.at(id), where, observed);
  };
  if (const auto* insert = std::get_if<sql::Insert>(&what)) {
    named.table = insert->target.table;
    if (has_plain_key(schema.at(named.table)))
      keys =
          inserted_keys(schema.at(named.table), *prepared.statement, observed);
  } else if (const auto* update = std::get_if<sql::Update>(&what)) {
    find(update->target.table, update->where);
    if (keys && moves_key(schema.at(named.table), *update)) keys.reset();
  } else if (const auto* remove = std::get_if<sql::Delete>(&what)) {
    find(remove->target.table, remove->where);
  } else if (is_plain(prepared.query())) {
    find(prepared.query().relations[0].table, prepared.query().where);
  }
  if (!keys) return std::nullopt;
  std::sort(keys->begin(), keys->end(), KeyLess{});
  const auto is_same = [](const Row& a, const Row& b) {
    return !KeyLess{}(a, b) && !KeyLess{}(b, a);
  };
  keys->erase(std::unique(keys->begin(), keys->end(), is_same), keys->end());
  named.keys = std::move(*keys);
  return named;
}

}  // namespace txscope::audit
