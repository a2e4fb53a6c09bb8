#include <algorithm>

#include "repair/kinds/changes.h"
#include "repair/parents.h"

namespace txscope::repair {

std::vector<Change> foreign_keys(const Problem& problem) {
  std::vector<Change> all;
  const sql::Schema& schema = problem.application->schema;
  for (const sql::Table& child : schema.tables) {
    for (std::uint32_t c = 0; c < child.columns.size(); ++c) {
      const bool is_part = std::any_of(
          child.foreign.begin(), child.foreign.end(), [&](const auto& key) {
            return std::find(key.columns.begin(), key.columns.end(), c) !=
                   key.columns.end();
          });
      const auto parent = parent_of(schema, child, c);
      if (is_part || !parent) continue;
      const std::string key = "FOREIGN KEY (" + child.columns[c].name +
                              ") REFERENCES " + parent->table->name + " (" +
                              parent->key + ")";
      Change change;
      change.what = "declare " + key + " of " + child.name;
      change.edits = {at_the_end(problem, child,
                                 "ALTER TABLE " + child.name + " ADD " + key)};
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace txscope::repair
