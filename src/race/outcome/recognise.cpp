#include "race/outcome/recognise.h"

#include <algorithm>
#include <map>

namespace txscope::race {
namespace {

void ignore(const ColumnName& name, Plan& plan) {
  if (std::find(plan.ignored.begin(), plan.ignored.end(), name) ==
      plan.ignored.end())
    plan.ignored.push_back(name);
}

/// Column -> its values in all rows, sorted.
std::map<std::string, std::vector<State>> values_of(const State& rows) {
  std::map<std::string, std::vector<State>> result;
  for (const State& row : rows)
    for (const auto& [column, value] : row.items())
      result[column].push_back(value);
  for (auto& [column, values] : result) std::sort(values.begin(), values.end());
  return result;
}

}  // namespace

void add_generated(const Catalog& catalog, Plan& plan) {
  for (const auto& [name, table] : catalog.tables) {
    for (const std::string& column : table.generated)
      ignore(name + "." + column, plan);
    for (const auto& [column, target] : table.references) {
      const std::size_t dot = target.rfind('.');
      const auto parent = catalog.tables.find(target.substr(0, dot));
      if (parent != catalog.tables.end() &&
          parent->second.generated.count(target.substr(dot + 1)) == 1)
        plan.followed.emplace(name + "." + column, target);
    }
  }
}

void add_differing(const State& first, const State& second, Plan& plan) {
  for (const auto& [table, rows] : first.items()) {
    if (!second.contains(table) || second[table].size() != rows.size())
      continue;
    const auto others = values_of(second[table]);
    for (const auto& [column, values] : values_of(rows)) {
      const auto other = others.find(column);
      if (other == others.end() || other->second != values)
        ignore(table + "." + column, plan);
    }
  }
}

}  // namespace txscope::race
