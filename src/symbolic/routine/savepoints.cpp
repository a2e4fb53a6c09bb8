#include "symbolic/routine/savepoints.h"

#include <algorithm>

#include "exec/sql/routine/handlers.h"

namespace txscope::symbolic {

using smt::Term;

void Savepoints::run(const sql::PlSavepoint& statement) {
  switch (statement.kind) {
    case sql::PlSavepoint::Kind::Set: return set(statement.name);
    case sql::PlSavepoint::Kind::Release:
      return release_to(number_of(statement.name));
    case sql::PlSavepoint::Kind::RollBackTo:
      return roll_back_to(number_of(statement.name));
  }
}

void Savepoints::set(const std::string& name) {
  // Paths that have failed know an older one of that name.
  const bool is_known = !known_.insert(name).second;
  if (is_known && !path_.failures.empty())
    throw Unsupported{path_.at,
                      "a savepoint that is set again after a statement that "
                      "may fail"};
  on_.begin_block();
  open_.push_back({name, path_.aborted, path_.failures.size()});
  path_.aborted = t_.boolean(false);
}

std::size_t Savepoints::number_of(const std::string& name) const {
  const auto found =
      std::find_if(open_.rbegin(), open_.rend(),
                   [&](const Savepoint& one) { return one.name == name; });
  return static_cast<std::size_t>(open_.rend() - found) - 1;
}

void Savepoints::release_to(std::size_t depth) {
  while (open_.size() > depth) {
    on_.end_block(t_.boolean(false));
    path_.aborted = t_.any_of({path_.aborted, open_.back().aborted});
    open_.pop_back();
  }
}

void Savepoints::roll_back_to(std::size_t number) {
  Term failed = path_.aborted;
  for (std::size_t i = number + 1; i < open_.size(); ++i)
    failed = t_.any_of({failed, open_[i].aborted});
  const std::size_t known = open_[number].failures;
  std::vector<SymbolicPath::Failure> lost;
  for (std::size_t i = known; i < path_.failures.size(); ++i)
    if (path_.failures[i].code == sql::kRollBack)
      lost.push_back(path_.failures[i]);
  path_.failures.resize(known);
  path_.aborted = t_.boolean(false);
  for (const SymbolicPath::Failure& failure : lost) {
    path_.aborted = t_.any_of({path_.aborted, failure.when});
    path_.failures.push_back(failure);
  }
  path_.alive =
      t_.any_of({path_.alive, t_.all_of({failed, t_.negation(path_.aborted)})});
  while (open_.size() > number + 1) {
    on_.end_block(path_.alive);
    open_.pop_back();
  }
  on_.end_block(path_.alive);
  on_.begin_block();
}

}  // namespace txscope::symbolic
