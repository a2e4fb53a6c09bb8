#include "analyze/made_up_rows.h"

#include <algorithm>
#include <array>
#include <optional>

#include "exec/sql/memory/database.h"
#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "model/sql/parts.h"

namespace txscope::analyze {
namespace {

using sql::Value;

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

std::optional<Value> plain(const sql::Type& type, std::int64_t row, bool is_key,
                           std::size_t variant) {
  constexpr std::array<std::int64_t, kVariants> kNumbers = {10,  1, 0,
                                                            100, 2, 5};
  const std::int64_t number = is_key ? row : kNumbers[variant % kVariants];
  sql::Halt halt;
  Value value;
  switch (kind_of(type.name)) {
    case sql::Kind::Bool: return Value::boolean(variant % 2 == 0);
    case sql::Kind::Date: return Value::date(number);
    case sql::Kind::Timestamp: return Value::timestamp(number * 1'000'000);
    case sql::Kind::Text:
      value = Value::text(std::string(1, static_cast<char>('a' + row - 1)));
      break;
    case sql::Kind::Integer:
    case sql::Kind::Numeric: value = Value::integer(number); break;
    default: value = Value::text(std::to_string(number)); break;
  }
  const Value result = sql::cast(value, type, sql::CastContext::Explicit, halt);
  if (halt.is_set()) return std::nullopt;
  return result;
}

/// INSERT INTO table (columns) VALUES (row).
class RowMaker {
 public:
  RowMaker(const sql::Application& application, TableId id)
      : schema_(application.schema), id_(id), table_(schema_.at(id)) {}

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
      const auto parent = parent_value(c, row, database);
      if (!parent && (column.sequence || column.default_value)) continue;
      const auto value =
          parent ? parent : plain(column.type, row, is_key(c), variant);
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
  TableId id_;
  const sql::Table& table_;
};

}  // namespace

std::vector<std::string> make_up_rows(sql::Application& application,
                                      const std::vector<bool>& wanted,
                                      const Budget& budget) {
  std::vector<std::string> filled;
  const sql::Routines routines(application);
  auto started = sql::MemoryDatabase::after_setup(routines, budget);
  auto* database = std::get_if<sql::MemoryDatabase>(&started);
  if (database == nullptr) return filled;
  std::vector<sql::DbStatement> made;
  for (const TableId table : parents_first(application.schema)) {
    if (!wanted[table.index] || !database->rows(table).empty()) continue;
    const RowMaker maker(application, table);
    std::int64_t rows = 0;
    for (std::size_t variant = 0; variant < kVariants && rows < kRows;) {
      const auto insert = maker.insert(rows + 1, variant, *database);
      if (!insert) break;
      // What fails draws numbers, which nobody does who only makes the rows.
      const sql::MemoryDatabase before = *database;
      const auto ran = database->execute(*insert, {}, budget);
      if (!std::holds_alternative<sql::StatementResult>(ran)) {
        *database = before;
        ++variant;
        continue;
      }
      made.push_back(*insert);
      ++rows;
    }
    if (rows > 0) filled.push_back(application.schema.at(table).name);
  }
  for (sql::DbStatement& statement : made)
    application.setup.push_back(std::move(statement));
  sql::number_parts(application);
  return filled;
}

std::vector<std::string> make_up_rows_for(
    const std::vector<TransactionType>& types, sql::Application& application,
    const Budget& budget) {
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
  return make_up_rows(application, wanted, budget);
}

}  // namespace txscope::analyze
