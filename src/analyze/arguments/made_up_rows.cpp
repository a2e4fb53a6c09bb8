#include "analyze/arguments/made_up_rows.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/arguments/column_hints.h"
#include "analyze/arguments/plain_value.h"
#include "exec/sql/memory/database.h"
#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "model/sql/parts.h"
#include "model/sql/value/enumeration.h"

namespace txscope::analyze {
namespace {

using sql::Value;
using Hints = std::map<ColumnRef, ColumnHints>;

constexpr std::int64_t kRows = 2;     // per table
constexpr std::size_t kVariants = 6;  // of plain values

/// Tables in an order in which parents come first, as far as there is one.
std::vector<TableId> parents_first(const sql::Schema& schema) {
  std::vector<TableId> order;
  std::vector<int> state(schema.tables.size(), 0);
  const auto visit = [&](const auto& self, std::size_t t) -> void {
    if (state[t] != 0) return;
    state[t] = 1;
    for (const sql::ForeignKey& key : schema.tables[t].foreign)
      self(self, key.parent.index);
    order.emplace_back(t);
  };
  for (std::size_t t = 0; t < schema.tables.size(); ++t) visit(visit, t);
  return order;
}

/// A value that nothing is said of.
std::optional<Value> unnamed_value(const sql::Type& type, std::int64_t row,
                                   bool is_key, std::size_t variant) {
  constexpr std::array<std::int64_t, kVariants> kNumbers = {10,  1, 0,
                                                            100, 2, 5};
  const std::int64_t number = is_key ? row : kNumbers[variant % kVariants];
  switch (kind_of(type.name)) {
    case sql::Kind::Bool: return Value::boolean(variant % 2 == 0);
    case sql::Kind::Enum:
      return plain_value(type, row + static_cast<std::int64_t>(variant));
    case sql::Kind::Text:
    case sql::Kind::Array:
    case sql::Kind::Row: return plain_value(type, row);
    default: return plain_value(type, number);
  }
}

/// INSERT INTO table (columns) VALUES (row).
class RowMaker {
 public:
  RowMaker(const sql::Application& application, const Hints& hints,
           const RowPlan& plan, TableId id)
      : schema_(application.schema),
        hints_(hints),
        plan_(plan),
        id_(id),
        table_(schema_.at(id)) {}

  [[nodiscard]] std::optional<sql::DbStatement> insert(
      std::int64_t row, std::size_t variant,
      const sql::MemoryDatabase& database) const {
    sql::Insert insert;
    insert.target.name = table_.name;
    insert.target.table = id_;
    insert.target.columns = static_cast<std::uint32_t>(table_.columns.size());
    insert.rows.emplace_back();
    for (std::uint32_t c = 0; c < table_.columns.size(); ++c) {
      const sql::Column& column = table_.columns[c];
      const auto planned = plan_.find({table_.name, row, column.name});
      const auto parent = parent_value(c, row, database);
      const bool is_planned = planned != plan_.end();
      if (!is_planned && !parent && (column.sequence || column.default_value))
        continue;
      const auto value = is_planned ? std::optional(planned->second)
                         : parent   ? parent
                                    : own_value(c, row, variant);
      if (!value && !column.is_nullable) return std::nullopt;
      sql::Expr constant;
      constant.type = column.type;
      constant.value = value.value_or(Value());
      insert.columns.push_back(c);
      insert.rows.back().emplace_back(std::move(constant));
    }
    sql::DbStatement statement;
    statement.at = table_.at;
    statement.what = std::move(insert);
    return statement;
  }

 private:
  /// What code and constraints say, one after the other, then anything.
  [[nodiscard]] std::optional<Value> own_value(std::uint32_t c,
                                               std::int64_t row,
                                               std::size_t variant) const {
    const sql::Column& column = table_.columns[c];
    const auto found = hints_.find({id_, c});
    if (found == hints_.end() || is_key(c))
      return unnamed_value(column.type, row, is_key(c), variant);
    const ColumnHints& hints = found->second;
    if (column.is_nullable && hints.is_tested_for_null) {
      if (variant == 0) return std::nullopt;
      --variant;
    }
    const auto at = static_cast<std::size_t>(row - 1) + variant;
    const auto count = hints.constants.size();
    if (at < count || (hints.is_checked && count > 0)) {
      sql::Halt halt;
      const Value value = sql::cast(hints.constants[at % count], column.type,
                                    sql::CastContext::Explicit, halt);
      if (!halt.is_set()) return value;
    }
    return unnamed_value(column.type, row, false, variant);
  }

  [[nodiscard]] bool is_key(std::uint32_t column) const {
    return std::any_of(table_.unique.begin(), table_.unique.end(),
                       [&](const sql::UniqueKey& key) {
                         return std::find(key.columns.begin(),
                                          key.columns.end(),
                                          column) != key.columns.end();
                       });
  }

  [[nodiscard]] std::optional<Value> parent_value(
      std::uint32_t column, std::int64_t row,
      const sql::MemoryDatabase& database) const {
    for (const sql::ForeignKey& key : table_.foreign) {
      const auto at = std::find(key.columns.begin(), key.columns.end(), column);
      if (at == key.columns.end() || key.parent == id_) continue;
      const auto rows = database.rows(key.parent);
      if (rows.empty()) return std::nullopt;
      const auto& parent = rows[std::min<std::size_t>(
          static_cast<std::size_t>(row - 1), rows.size() - 1)];
      return parent[key.parent_columns[static_cast<std::size_t>(
          at - key.columns.begin())]];
    }
    return std::nullopt;
  }

  const sql::Schema& schema_;
  const Hints& hints_;
  const RowPlan& plan_;
  TableId id_;
  const sql::Table& table_;
};

/// What these look at, and what their rows refer to.
std::vector<bool> wanted_tables(const std::vector<TransactionType>& types,
                                const sql::Application& application) {
  std::vector<bool> wanted(application.schema.tables.size(), false);
  for (const TransactionType& type : types)
    for (std::size_t t = 0; t < wanted.size(); ++t)
      wanted[t] = wanted[t] || type.footprint.reads[t];
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t t = 0; t < wanted.size(); ++t) {
      if (!wanted[t]) continue;
      for (const sql::ForeignKey& key : application.schema.tables[t].foreign)
        if (!wanted[key.parent.index]) wanted[key.parent.index] = grows = true;
    }
  }
  return wanted;
}

}  // namespace

MadeUpRows::MadeUpRows(const std::vector<TransactionType>& types,
                       const sql::Application& application,
                       const Budget& budget)
    : application_(application),
      wanted_(wanted_tables(types, application)),
      hints_(column_hints(application)),
      routines_(application),
      budget_(budget) {
  auto started = sql::MemoryDatabase::after_setup(routines_, budget_);
  if (auto* database = std::get_if<sql::MemoryDatabase>(&started))
    initial_ = std::move(*database);
}

std::optional<MadeUpRows::Made> MadeUpRows::make(const RowPlan& plan) const {
  if (!initial_) return std::nullopt;
  Made made{*initial_, {}, {}};
  for (const TableId table : parents_first(application_.schema)) {
    if (!wanted_[table.index] || !made.database.rows(table).empty()) continue;
    const RowMaker maker(application_, hints_, plan, table);
    std::int64_t rows = 0;
    for (std::size_t variant = 0; variant < kVariants && rows < kRows;) {
      const auto insert = maker.insert(rows + 1, variant, made.database);
      if (!insert) break;
      // What fails draws numbers, which nobody does who only makes the rows.
      const sql::MemoryDatabase before = made.database;
      const auto ran = made.database.execute(*insert, {}, budget_);
      if (!std::holds_alternative<sql::StatementResult>(ran)) {
        made.database = before;
        ++variant;
        continue;
      }
      made.statements.push_back(*insert);
      ++rows;
    }
    if (rows > 0) made.tables.push_back(table);
  }
  return made;
}

std::vector<Value> MadeUpRows::alternatives(ColumnRef ref) const {
  const sql::Table& table = application_.schema.at(ref.table);
  const sql::Column& column = table.columns[ref.column];
  std::vector<Value> all;
  const auto add = [&](const Value& value) {
    sql::Halt halt;
    const Value made =
        sql::cast(value, column.type, sql::CastContext::Explicit, halt);
    if (!halt.is_set() && std::find(all.begin(), all.end(), made) == all.end())
      all.push_back(made);
  };
  if (const auto hints = hints_.find(ref); hints != hints_.end())
    for (const Value& value : hints->second.constants) add(value);
  if (column.is_nullable) all.emplace_back();
  switch (kind_of(column.type.name)) {
    case sql::Kind::Bool:
      for (const bool is_true : {false, true}) add(Value::boolean(is_true));
      break;
    case sql::Kind::Integer:
    case sql::Kind::Numeric:
    case sql::Kind::Float:
      for (const std::int64_t number : {0, 1, 100}) add(Value::integer(number));
      break;
    case sql::Kind::Date:
    case sql::Kind::Timestamp:
    case sql::Kind::TimestampTz:  // before and after every now()
      for (const char* const time : {"2001-01-01", "2999-01-01"})
        add(Value::text(time));
      break;
    case sql::Kind::Enum:
      for (const std::string& label : sql::enumeration(column.type.of).labels)
        add(Value::text(label));
      break;
    default: break;
  }
  constexpr std::size_t kMost = 6;
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

std::vector<std::string> make_up_rows_for(
    const std::vector<TransactionType>& types, const RowPlan& plan,
    sql::Application& application, const Budget& budget) {
  std::vector<std::string> filled;
  std::vector<sql::DbStatement> statements;
  {
    const MadeUpRows rows(types, application, budget);
    auto made = rows.make(plan);
    if (!made) return filled;
    statements = std::move(made->statements);
    for (const TableId table : made->tables)
      filled.push_back(application.schema.at(table).name);
  }
  for (sql::DbStatement& statement : statements)
    application.setup.push_back(std::move(statement));
  sql::number_parts(application);
  return filled;
}

}  // namespace txscope::analyze
