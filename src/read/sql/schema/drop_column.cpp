// ALTER TABLE ... DROP COLUMN, of a table that nothing but constraints and
// INSERTs of values has looked at: columns are numbers, and those behind it
// move up.

#include <algorithm>

#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {
namespace {

bool has(const std::vector<std::uint32_t>& columns, std::uint32_t gone) {
  return std::find(columns.begin(), columns.end(), gone) != columns.end();
}

bool has(const Expr& e, std::uint32_t gone) {
  if (e.op == Op::Column && e.index == gone) return true;
  return std::any_of(e.args.begin(), e.args.end(),
                     [gone](const Expr& arg) { return has(arg, gone); });
}

void close_gap(std::vector<std::uint32_t>& columns, std::uint32_t gone) {
  for (std::uint32_t& c : columns) c -= c > gone ? 1 : 0;
}

void close_gap(Expr& e, std::uint32_t gone) {
  if (e.op == Op::Column && e.index > gone) --e.index;
  for (Expr& arg : e.args) close_gap(arg, gone);
}

/// As if the row had never had the column.
void drop_value(Insert& insert, std::uint32_t gone) {
  const auto at = std::find(insert.columns.begin(), insert.columns.end(), gone);
  if (at != insert.columns.end()) {
    const auto index = at - insert.columns.begin();
    insert.columns.erase(at);
    for (auto& row : insert.rows)
      if (index < static_cast<std::ptrdiff_t>(row.size()))
        row.erase(row.begin() + index);
  }
  close_gap(insert.columns, gone);
  --insert.target.columns;
}

}  // namespace

void SchemaReader::drop_column(std::uint32_t gone) {
  const bool is_made = std::any_of(
      catalog_.triggers.begin(), catalog_.triggers.end(),
      [&](const TriggerText& text) {
        return text.table == id_ &&
               (!text.generated.empty() || has(text.trigger.columns, gone));
      });
  const bool is_used = uses_.is_used && uses_.rows.empty();
  if (is_used || is_made || catalog_.obstacles.contains(id_.index) ||
      table_.columns.size() == 1) {
    source_.unsupported(tree_.whole(),
                        "DROP COLUMN of a table that has rows or triggers is",
                        "leave the column out of CREATE TABLE");
  }
  for (Insert* rows : uses_.rows) drop_value(*rows, gone);
  for (TriggerText& text : catalog_.triggers)
    if (text.table == id_) close_gap(text.trigger.columns, gone);
  const auto leads_there = [&](const ForeignKey& key) {
    return key.parent == id_ && has(key.parent_columns, gone);
  };
  for (Table& table : catalog_.schema.tables)
    std::erase_if(table.foreign, leads_there);
  std::erase_if(table_.foreign, [&](const ForeignKey& key) {
    return has(key.columns, gone) || leads_there(key);
  });
  if (table_.has_primary_key && has(table_.unique[0].columns, gone))
    table_.has_primary_key = false;
  const auto is_key = [&](const UniqueKey& key) {
    return has(key.columns, gone) || has(key.condition_columns, gone);
  };
  std::erase_if(table_.unique, is_key);
  std::erase_if(table_.partial, is_key);
  std::erase_if(table_.indexes,
                [&](const auto& columns) { return has(columns, gone); });
  std::erase_if(table_.checks,
                [&](const Check& check) { return has(check.condition, gone); });
  table_.columns.erase(table_.columns.begin() + gone);
  for (auto* keys : {&table_.unique, &table_.partial}) {
    for (UniqueKey& key : *keys) {
      close_gap(key.columns, gone);
      close_gap(key.condition_columns, gone);
      if (key.where) close_gap(*key.where, gone);
      for (KeyPart& part : key.parts) close_gap(part.value, gone);
    }
  }
  for (auto& columns : table_.indexes) close_gap(columns, gone);
  std::erase(table_.watched, gone);
  close_gap(table_.watched, gone);
  for (Check& check : table_.checks) close_gap(check.condition, gone);
  const auto close_key = [&](ForeignKey& key, bool is_own) {
    if (is_own) close_gap(key.columns, gone);
    if (key.parent == id_) close_gap(key.parent_columns, gone);
  };
  for (ForeignKey& key : table_.foreign) close_key(key, true);
  for (std::size_t t = 0; t < catalog_.schema.tables.size(); ++t)
    if (t != id_.index)
      for (ForeignKey& key : catalog_.schema.tables[t].foreign)
        close_key(key, false);
}

}  // namespace txscope::sql
