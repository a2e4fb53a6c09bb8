#pragma once

#include <string>
#include <vector>

#include "db/live/live_driver.h"

namespace txscope::db {

/// A session of plain statements: each transaction is a list of them.  One that
/// ends with ROLLBACK rolls back, all others commit.
using LiveScript = std::vector<std::vector<std::string>>;

/// What a transaction of a script got: one answer per statement, and the code
/// of the error that ended it.
struct LiveTransaction {
  std::vector<Answer> answers;
  bool is_committed = false;
  std::string code;
};

class ScriptClient final : public LiveClient {
 public:
  ScriptClient(const LiveScript& script, const Profile& level)
      : script_(script), level_(level), transactions_(script.size()) {}

  [[nodiscard]] LiveRequest next() override;
  void answer(const Answer& answer) override;
  [[nodiscard]] const Profile& level() const override { return level_; }
  [[nodiscard]] std::string account() const override;
  [[nodiscard]] const std::vector<LiveTransaction>& transactions() const {
    return transactions_;
  }

 private:
  const LiveScript& script_;
  const Profile& level_;
  std::vector<LiveTransaction> transactions_;
  std::size_t transaction_ = 0;
  std::size_t statement_ = 0;
};

/// One client per script.
[[nodiscard]] LiveClients script_clients(const std::vector<LiveScript>& scripts,
                                         const Profile& level);

}  // namespace txscope::db
