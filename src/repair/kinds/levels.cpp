#include "repair/kinds/changes.h"

namespace txscope::repair {

std::vector<Change> levels(const Problem& problem) {
  std::vector<Change> all;
  if (problem.transactions.empty()) {
    for (const Profile* level : problem.levels) {
      Change change;
      change.level = level->name;
      change.what = "run them at " + change.level;
      all.push_back(std::move(change));
    }
    return all;
  }
  for (const Profile* level : problem.levels) {
    for (const std::string& name : problem.transactions) {
      const bool is_first = all.empty() && !problem.text.ends_with('\n');
      Change change;
      change.what = "run " + name + " at " + std::string(level->name);
      change.edits = {{problem.text.size(), 0,
                       (is_first ? "\n--@ level " : "--@ level ") + name +
                           ": " + std::string(level->name) + "\n"}};
      all.push_back(std::move(change));
    }
  }
  return all;
}

}  // namespace txscope::repair
