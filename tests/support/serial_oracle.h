#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/server/trace.h"
#include "exec/sql/memory/database.h"
#include "exec/sql/routine/process.h"

namespace txscope::test {

/// "As if one after the other", from the definition: all orders of the
/// transactions that committed, run on tables in memory.
class SerialOracle {
 public:
  /// The setup of the application must succeed.
  explicit SerialOracle(const sql::Application& application);

  /// Whether some order tells everybody what the outcome did, and leaves the
  /// same rows.
  [[nodiscard]] bool is_serial(const engine::ObservedOutcome& outcome) const;

 private:
  /// What the statements of a call gave.
  using Results = std::vector<sql::StatementResult>;

  [[nodiscard]] bool shows(
      const std::vector<std::uint32_t>& order,
      const std::map<std::uint32_t, std::vector<std::uint32_t>>& committed,
      const std::map<CallRef, Results>& told,
      const engine::ObservedOutcome& outcome) const;
  /// None: it does not commit.
  [[nodiscard]] std::optional<Results> run(sql::MemoryDatabase& database,
                                           const sql::Call& call) const;

  const sql::Application& application_;
  const Budget budget_ = Budget::unlimited();
  const sql::Routines routines_;
  const sql::MemoryDatabase initial_;
};

}  // namespace txscope::test
