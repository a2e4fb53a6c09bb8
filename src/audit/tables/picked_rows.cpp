#include "audit/tables/picked_rows.h"

#include <vector>

namespace txscope::audit {
namespace {

using sql::TableRows;

/// The rows with a primary key; in a state one at most.
std::vector<TableRows::Entry> rows_with_key(const sql::Table& table,
                                            const TableRows& rows,
                                            const sql::Row& key) {
  const auto& columns = table.unique[0].columns;
  std::vector<TableRows::Entry> found;
  for (const TableRows::Entry& entry : rows.entries) {
    bool is_same = true;
    for (std::size_t c = 0; is_same && c < columns.size(); ++c)
      is_same = (*entry.row)[columns[c]] == key[c];
    if (is_same) found.push_back(entry);
  }
  return found;
}

}  // namespace

States PickedRows::tables(std::span<const Placed::Picked> picked,
                          std::string& why) const {
  States mixed = latest_;
  std::map<std::uint32_t, std::shared_ptr<TableRows>> copies;
  // By key, first all its rows go, then come those that were seen.
  Rows seen;
  for (const Placed::Picked& one : picked) {
    const sql::Table& table = schema_.at(one.table);
    auto& copy = copies[one.table.index];
    if (copy == nullptr) {
      copy = std::make_shared<TableRows>(*mixed[one.table.index]);
      mixed[one.table.index] = copy;
    }
    TableRows& rows = *copy;
    for (const auto& entry : rows_with_key(table, rows, one.key))
      if (seen.count({one.table.index, entry.number}) == 0)
        rows.remove(table, entry);
    if (one.is_absent) continue;
    const auto state = states_.find(one.state);
    if (state == states_.end()) {
      why = "sees no state so far";
      return mixed;
    }
    for (const auto& entry :
         rows_with_key(table, *state->second[one.table.index], one.key)) {
      if (!seen.emplace(one.table.index, entry.number).second) {
        why = "sees two versions of one row";
        return mixed;
      }
      rows.add(table, entry);
    }
  }
  for (const Placed::Picked& one : picked) {
    const sql::Table& table = schema_.at(one.table);
    for (const auto& first :
         rows_with_key(table, *setup_[one.table.index], one.key)) {
      const std::pair row(one.table.index, first.number);
      if (deleted_.count(row) == 0 && seen.count(row) == 0) {
        why = "does not see a row that is always there";
        return mixed;
      }
    }
  }
  return mixed;
}

}  // namespace txscope::audit
