#include "analyze/suggest/rule_makers.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;
using sql::Query;

constexpr sql::Type kBigInt{sql::TypeName::BigInt};
constexpr sql::Type kNumeric{sql::TypeName::Numeric};

Expr constant(sql::Value value, sql::Type type) {
  Expr e;
  e.type = bare(type);
  e.value = std::move(value);
  return e;
}
Expr number(std::int64_t value, sql::Type type) {
  return constant(type.name == sql::TypeName::Numeric
                      ? sql::Value::numeric(value, 0)
                      : sql::Value::integer(value),
                  type);
}
Expr operation(Op op, sql::Type type, std::vector<Expr> args) {
  Expr e;
  e.op = op;
  e.type = type;
  e.args = std::move(args);
  return e;
}
Expr compared(Op op, Expr a, Expr b) {
  return operation(op, sql::kBoolean, {std::move(a), std::move(b)});
}
Expr column(const sql::Schema& schema, ColumnRef which,
            std::uint32_t level = 0) {
  Expr e;
  e.op = Op::Column;
  e.type = bare(schema.at(which.table).columns[which.column].type);
  e.level = level;
  e.index = which.column;
  return e;
}

Query query_of(const sql::Schema& schema, TableId table) {
  Query query;
  sql::Relation relation;
  relation.name = schema.at(table).name;
  relation.table = table;
  relation.columns =
      static_cast<std::uint32_t>(schema.at(table).columns.size());
  query.relations.push_back(std::move(relation));
  query.joins.emplace_back();
  return query;
}
void add_condition(Query& query, Expr condition) {
  if (query.where)
    condition = operation(Op::And, sql::kBoolean,
                          {std::move(*query.where), std::move(condition)});
  query.where = std::move(condition);
}
Expr subquery(Op op, sql::Type type, Query query) {
  Expr e;
  e.op = op;
  e.type = type;
  e.query = std::make_shared<const Query>(std::move(query));
  return e;
}
/// An aggregate as the query's only value.
Expr aggregated(Query& query, sql::AggregateKind kind,
                std::optional<Expr> argument, sql::Type type) {
  sql::Aggregate aggregate;
  aggregate.kind = kind;
  aggregate.argument = std::move(argument);
  aggregate.type = type;
  query.is_grouped = true;
  query.aggregates.push_back(std::move(aggregate));
  Expr e;
  e.op = Op::Aggregate;
  e.type = type;
  return e;
}

sql::Property property(std::string name, Expr value) {
  auto query = std::make_shared<Query>();
  query->targets.push_back({"value", std::move(value)});
  sql::Property made;
  made.name = std::move(name);
  made.condition.is_expression = true;
  made.condition.what = sql::Select(std::move(query));
  return made;
}
/// There is no such row.
sql::Property none_of(std::string name, Query query) {
  if (query.targets.empty())
    query.targets.push_back({"one", number(1, sql::kInteger)});
  return property(
      std::move(name),
      operation(Op::Not, sql::kBoolean,
                {subquery(Op::Exists, sql::kBoolean, std::move(query))}));
}

Query rows_query(const sql::Schema& schema, const RowsOf& rows) {
  Query query = query_of(schema, rows.table);
  for (const auto& [c, value] : rows.fixed) {
    const ColumnRef which{rows.table, c};
    add_condition(query, compared(Op::Equal, column(schema, which),
                                  constant(value, column(schema, which).type)));
  }
  return query;
}
std::string rows_words(const sql::Schema& schema, const RowsOf& rows) {
  const sql::Table& table = schema.at(rows.table);
  std::string text = table.name;
  for (std::size_t i = 0; i < rows.fixed.size(); ++i) {
    text += i == 0 ? " where " : " and ";
    text += table.columns[rows.fixed[i].first].name + " = " +
            to_string(rows.fixed[i].second);
  }
  return text;
}
std::string counted_rows(std::int64_t most) {
  return most == 1 ? "one row of "
                   : "at most " + std::to_string(most) + " rows of ";
}

std::string column_words(const sql::Schema& schema, ColumnRef which) {
  const sql::Table& table = schema.at(which.table);
  return table.name + "." + table.columns[which.column].name;
}

}  // namespace

sql::Property never_negative(const sql::Schema& schema, ColumnRef which) {
  Query query = query_of(schema, which.table);
  const Expr value = column(schema, which);
  add_condition(query, compared(Op::Less, value, number(0, value.type)));
  return none_of(column_words(schema, which) + " >= 0", std::move(query));
}

sql::Property at_most_column(const sql::Schema& schema, ColumnRef which,
                             std::uint32_t limit) {
  Query query = query_of(schema, which.table);
  const ColumnRef other{which.table, limit};
  add_condition(query, compared(Op::Greater, column(schema, which),
                                column(schema, other)));
  return none_of(
      column_words(schema, which) + " <= " + column_words(schema, other),
      std::move(query));
}

sql::Property at_most_rows(const sql::Schema& schema, const RowsOf& rows,
                           std::vector<std::uint32_t> columns,
                           std::int64_t most) {
  Query query = rows_query(schema, rows);
  std::string per;
  std::sort(columns.begin(), columns.end());
  for (const std::uint32_t c : columns) {
    const Expr value = column(schema, {rows.table, c});
    add_condition(query,
                  operation(Op::Not, sql::kBoolean,
                            {operation(Op::IsNull, sql::kBoolean, {value})}));
    query.group_by.push_back(value);
    per +=
        (per.empty() ? " per " : ", ") + schema.at(rows.table).columns[c].name;
  }
  const Expr count =
      aggregated(query, sql::AggregateKind::CountRows, {}, kBigInt);
  query.having = compared(Op::Greater, count, number(most, kBigInt));
  return none_of(counted_rows(most) + rows_words(schema, rows) + per,
                 std::move(query));
}

sql::Property at_most_of_parent(const sql::Schema& schema, const RowsOf& rows,
                                std::uint32_t child, ColumnRef parent_key,
                                std::uint32_t limit) {
  Query inner = rows_query(schema, rows);
  add_condition(inner, compared(Op::Equal, column(schema, {rows.table, child}),
                                column(schema, parent_key, 1)));
  inner.targets.push_back(
      {"count", aggregated(inner, sql::AggregateKind::CountRows, {}, kBigInt)});
  Query query = query_of(schema, parent_key.table);
  const ColumnRef most{parent_key.table, limit};
  Expr bound = column(schema, most);
  if (bound.type.name == sql::TypeName::Numeric)
    bound = operation(Op::Cast, kBigInt, {std::move(bound)});
  add_condition(query, compared(Op::Greater,
                                subquery(Op::Scalar, kBigInt, std::move(inner)),
                                std::move(bound)));
  return none_of("rows of " + rows_words(schema, rows) + " per " +
                     schema.at(rows.table).columns[child].name +
                     " <= " + column_words(schema, most),
                 std::move(query));
}

namespace {

/// Of no rows: 0.
Expr total_of(const sql::Schema& schema, const Total& total) {
  Query query = query_of(schema, total.table);
  Expr value;
  if (total.column < 0) {
    value = aggregated(query, sql::AggregateKind::CountRows, {}, kBigInt);
  } else {
    Expr summand =
        column(schema, {total.table, static_cast<std::uint32_t>(total.column)});
    const bool is_small = summand.type.name == sql::TypeName::SmallInt ||
                          summand.type.name == sql::TypeName::Integer;
    value = aggregated(query, sql::AggregateKind::Sum, std::move(summand),
                       is_small ? kBigInt : kNumeric);
  }
  const sql::Type type = value.type;
  query.targets.push_back({"total", std::move(value)});
  Expr sum = subquery(Op::Scalar, type, std::move(query));
  if (type.name != sql::TypeName::Numeric)
    sum = operation(Op::Cast, kNumeric, {std::move(sum)});
  return operation(Op::Coalesce, kNumeric,
                   {std::move(sum), number(0, kNumeric)});
}
std::string total_words(const sql::Schema& schema, const Total& total) {
  if (total.column < 0) return "rows of " + schema.at(total.table).name;
  return "sum of " +
         column_words(schema,
                      {total.table, static_cast<std::uint32_t>(total.column)});
}

}  // namespace

sql::Property sum_of_totals(const sql::Schema& schema, const Total& first,
                            char sign, const Total* second) {
  Expr value = total_of(schema, first);
  std::string name = total_words(schema, first);
  if (second != nullptr) {
    value = operation(sign == '-' ? Op::Subtract : Op::Add, kNumeric,
                      {std::move(value), total_of(schema, *second)});
    name +=
        std::string(sign == '-' ? " - " : " + ") + total_words(schema, *second);
  }
  return property(std::move(name), std::move(value));
}

sql::Property kept_at(const sql::Property& sum, const sql::Value& value) {
  const Query& query = *std::get<sql::Select>(sum.condition.what);
  return property(sum.name + " = " + to_string(value),
                  compared(Op::Equal, query.targets.front().expr,
                           constant(value, kNumeric)));
}

}  // namespace txscope::analyze
