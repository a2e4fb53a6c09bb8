#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/product/profile.h"

namespace txscope {

/// Statements of several sessions in the order of time, as they go to a
/// database, and what each of them gave: a counterexample that can be run
/// without the program that it is one of.
struct StatementSchedule {
  struct Step {
    enum class Kind : std::uint8_t {
      Statement,  ///< gives `seen`
      Wait,       ///< has to wait; a later step of the session is its end
      Error,      ///< fails with `code`
      Commit,
      Rollback,
    };
    Kind kind = Kind::Statement;
    std::size_t session = 0;  ///< of `sessions`
    std::string transaction;  ///< "atm.withdraw"
    std::string sql;
    std::string seen;  ///< "100", "2 rows: (1, 5), (2, 7)"
    std::string code;
    /// The program's own doing (RAISE): nothing goes to the database.
    bool is_outside = false;
    /// Of an Error: the transaction goes on after it.
    bool is_caught = false;
  };
  /// A table's rows in the end, each cell as text; none: NULL.
  using Rows = std::vector<std::vector<std::optional<std::string>>>;

  std::string name;   ///< of the rule that breaks
  std::string level;  ///< that it was found at, as the report names it
  const Profile* profile = nullptr;  ///< to run it at
  /// Levels that transactions have for themselves.
  std::map<std::string, const Profile*> own_levels;
  std::vector<std::string> setup;   ///< statements, in order
  std::vector<std::string> tables;  ///< that the setup makes
  std::vector<std::string> sessions;
  std::vector<Step> steps;
  std::vector<std::pair<std::string, Rows>> finals;
  /// In SQL: not true in the end; empty: nothing is asked.
  std::string condition;
  /// It is true in the end, because that is what was to be shown.
  bool is_witness = false;

  [[nodiscard]] const Profile& profile_of(const Step& step) const {
    const auto own = own_levels.find(step.transaction);
    return own == own_levels.end() ? *profile : *own->second;
  }
};

/// How a database went along with a schedule.
struct FollowedSchedule {
  enum class End : std::uint8_t {
    Reproduced,  ///< every step gave what it had given
    Prevented,   ///< the database made somebody wait or fail
    Diverged,    ///< something else was seen
  };
  End end = End::Reproduced;
  std::size_t step = 0;  ///< the first that differs, from 1
  std::string what;      ///< "counter waits for a lock"
  /// "counter: SELECT .. -> 100", as it went.
  std::vector<std::string> trace;
};

}  // namespace txscope
