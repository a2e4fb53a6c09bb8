#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "symbolic/routine/path.h"
#include "symbolic/routine/routine.h"

namespace txscope::symbolic {

/// The savepoints of a script.  They stand outside of all blocks, so which of
/// them are open is the same on all paths that go on.  A path that fails waits
/// for the next ROLLBACK TO one that was open then: path.aborted has those that
/// failed since the innermost.
class Savepoints {
 public:
  Savepoints(SymbolicPath& path, RoutineDatabase& on)
      : path_(path), t_(path.t), on_(on) {}

  /// Throws Unsupported.
  void run(const sql::PlSavepoint& statement);
  [[nodiscard]] bool is_any_open() const { return !open_.empty(); }
  /// The script is over.
  void release_all() { release_to(0); }

 private:
  struct Savepoint {
    std::string name;
    smt::Term aborted;  ///< before it
    std::size_t failures = 0;
  };

  void set(const std::string& name);
  [[nodiscard]] std::size_t number_of(const std::string& name) const;
  /// Nothing is undone; who has failed waits for an outer one.
  void release_to(std::size_t depth);
  /// Who goes on and who has failed since then goes on as it was there.
  void roll_back_to(std::size_t number);

  SymbolicPath& path_;
  smt::Terms& t_;
  RoutineDatabase& on_;
  std::vector<Savepoint> open_;
  std::set<std::string> known_;  // that were ever set
};

}  // namespace txscope::symbolic
