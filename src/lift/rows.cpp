#include "lift/rows.h"

#include <algorithm>
#include <functional>
#include <map>

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;
using Role = sql::LiteralSlot::Role;
using RowValues = std::map<std::string, std::string>;  ///< literals by column

constexpr std::size_t kMostRowsOfTable = 4;

bool fits(const RowValues& row, const RowValues& pattern) {
  return std::all_of(pattern.begin(), pattern.end(), [&](const auto& one) {
    const auto found = row.find(one.first);
    return found == row.end() || found->second == one.second;
  });
}

class RowWriter {
 public:
  RowWriter(const std::vector<Procedure>& procedures, const Tables& tables,
            const sql::Schema* schema, const std::set<std::string>& filled)
      : procedures_(procedures),
        tables_(tables),
        schema_(schema),
        filled_(filled) {}

  std::string run() {
    for (const Procedure& procedure : procedures_) {
      for (const RowPattern& pattern : procedure.patterns) place(pattern);
      for (const TemplateStep& step : procedure.of->steps) note(step.shape());
      for (const std::string& table : procedure.of->tables) want(table);
    }
    std::string text;
    for (const std::string& table : order_) text += inserts(table);
    return text;
  }

 private:
  void place(const RowPattern& pattern) {
    auto& rows = rows_[pattern.table];
    if (pattern.is_absent) return;
    for (RowValues& row : rows)
      if (fits(row, pattern.values)) {
        row.insert(pattern.values.begin(), pattern.values.end());
        return;
      }
    if (rows.size() < kMostRowsOfTable) rows.push_back(pattern.values);
  }

  /// What statements assign: no row has it from the beginning.
  void note(const sql::StatementShape& shape) {
    for (const sql::LiteralSlot& slot : shape.slots)
      if (slot.role == Role::Assigned)
        assigned_[slot.column].insert(slot.value);
  }

  /// Parents come before their children.
  void want(const std::string& table) {
    if (!wanted_.insert(table).second) return;
    if (schema_ != nullptr)
      for (const sql::Table& one : schema_->tables)
        if (one.name == table)
          for (const sql::ForeignKey& key : one.foreign) {
            const sql::Table& parent = schema_->at(key.parent);
            want(parent.name);
            for (std::size_t i = 0; i < key.columns.size(); ++i)
              parents_[{table, one.columns[key.columns[i]].name}] = {
                  parent.name, parent.columns[key.parent_columns[i]].name};
          }
    order_.push_back(table);
  }

  std::string inserts(const std::string& name) {
    const LiftedTable* table = tables_.find(name);
    if (table == nullptr || table->columns.empty() || filled_.count(name) != 0)
      return {};
    auto& rows = rows_[name];
    if (rows.empty()) rows.emplace_back();
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (const LiftedColumn& column : table->columns)
        (void)value_of(*table, column, r);
    const std::string drawn = drawn_key(*table, rows);
    std::string text;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::string columns;
      std::string values;
      for (const LiftedColumn& column : table->columns) {
        if (column.name == drawn) continue;
        const std::string value = value_of(*table, column, r);
        columns += (columns.empty() ? "" : ", ") + name_text(column.name);
        values += (values.empty() ? "" : ", ") + value;
      }
      text += "INSERT INTO " + name_text(name) + " (" + columns + ") VALUES (" +
              values + ");\n";
    }
    return text;
  }

  /// A key whose numbers are drawn: if rows can be put so that they draw the
  /// numbers that they are to have, nobody draws one of them again.
  static std::string drawn_key(const LiftedTable& table,
                               std::vector<RowValues>& rows) {
    if (table.key.size() != 1) return {};
    const std::string& key = table.key[0];
    const LiftedColumn* column = table.find(key);
    if (column == nullptr || !column->is_generated) return {};
    std::stable_sort(
        rows.begin(), rows.end(), [&](const RowValues& a, const RowValues& b) {
          const std::string& x = a.at(key);
          const std::string& y = b.at(key);
          return x.size() != y.size() ? x.size() < y.size() : x < y;
        });
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r].at(key) != std::to_string(r + 1)) return {};
    return key;
  }

  std::string value_of(const LiftedTable& table, const LiftedColumn& column,
                       std::size_t r) {
    RowValues& row = rows_[table.name][r];
    const auto found = row.find(column.name);
    if (found != row.end()) return found->second;
    const bool is_key = table.unique.count(column.name) != 0 ||
                        (table.key.size() == 1 && table.key[0] == column.name);
    std::string value;
    const auto parent = parents_.find({table.name, column.name});
    if (parent != parents_.end())
      value = value_in_parent(parent->second);
    else if (is_key && column.is_integer())
      value = unused_number(table.name, column.name, r);
    else
      value = plain_value(table, column, is_key ? r : 0);
    row[column.name] = value;
    return value;
  }

  std::string value_in_parent(const sql::NamedColumn& parent) {
    const auto rows = rows_.find(parent.table);
    if (rows == rows_.end() || rows->second.empty()) return "NULL";
    const auto value = rows->second.front().find(parent.column);
    return value == rows->second.front().end() ? "NULL" : value->second;
  }

  std::string unused_number(const std::string& table, const std::string& column,
                            std::size_t r) {
    std::set<std::string> used;
    for (const RowValues& row : rows_[table])
      if (const auto found = row.find(column); found != row.end())
        used.insert(found->second);
    std::size_t number = r + 1;
    while (used.count(std::to_string(number)) != 0) ++number;
    return std::to_string(number);
  }

  std::string plain_value(const LiftedTable& table, const LiftedColumn& column,
                          std::size_t n) {
    if (!tables_.domain({table.name, column.name}).empty() &&
        column.is_integer())
      return "1";
    if (column.is_number()) return "10";
    if (column.is_time()) return "'2026-01-01'";
    if (column.type == "boolean") return "false";
    if (column.type.starts_with("json")) return "'{}'";
    const auto& taken = assigned_[{table.name, column.name}];
    if (column.type == "text" || column.type.starts_with("character"))
      for (const std::string& value : column.values)
        if (taken.count(value) == 0 && value.size() < 40 && n == 0)
          return text_literal(value);
    if (column.type.starts_with("uuid"))
      return "'00000000-0000-0000-0000-00000000000" + std::to_string(n + 1) +
             "'";
    return text_literal(std::string(1, static_cast<char>('a' + n)));
  }
  static std::string text_literal(const std::string& value) {
    std::string out = "'";
    for (const char c : value) {
      if (c == '\'') out += '\'';
      out += c;
    }
    return out + "'";
  }

  const std::vector<Procedure>& procedures_;
  const Tables& tables_;
  const sql::Schema* schema_;
  const std::set<std::string>& filled_;
  std::map<std::string, std::vector<RowValues>> rows_;
  std::map<sql::NamedColumn, std::set<std::string>> assigned_;
  std::map<sql::NamedColumn, sql::NamedColumn> parents_;
  std::set<std::string> wanted_;
  std::vector<std::string> order_;
};

}  // namespace

std::string rows_text(const std::vector<Procedure>& procedures,
                      const Tables& tables, const sql::Schema* schema,
                      const std::set<std::string>& filled) {
  return RowWriter(procedures, tables, schema, filled).run();
}

}  // namespace txscope::lift
