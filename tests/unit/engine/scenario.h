#pragma once

#include <string>
#include <vector>

#include "engine/server/server.h"

namespace txscope::engine::test {

/// One schedule of an application, run on the engine.
struct Scenario {
  /// By session: what its statements gave, in order: "(1,10)(2,20)" for rows,
  /// "2" for a count, the code of an error.
  std::vector<std::vector<std::string>> answers;
  std::vector<std::string> ends;  ///< by session, "committed 40001"
  std::string final;              ///< "t (1,10) (2,20); u"
  int waits = 0;
  bool is_over = false;  ///< every session came to its end

  [[nodiscard]] bool all_committed() const;
  [[nodiscard]] bool sees(std::size_t session, std::size_t statement,
                          const std::string& part) const;
};

/// `tables`: CREATE TABLE and INSERT.  `sessions`: what follows the colon of
/// their annotations; they are called a, b, c, ...  `schedule`: letters, each
/// the next step of its session (COMMIT is one); a session that waits takes its
/// steps later.  What is left at the end is done session by session.  Of a
/// deadlock the first member dies.
[[nodiscard]] Scenario run_scenario(const std::string& profile,
                                    const std::string& tables,
                                    const std::vector<std::string>& sessions,
                                    const std::string& schedule);

}  // namespace txscope::engine::test
