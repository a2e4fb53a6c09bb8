#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "exec/sql/process.h"
#include "explore/explore.h"
#include "explore/sql/universe.h"
#include "model/sql/application.h"

namespace txscope::sql {

/// One statement of a schedule, with all its reads and writes.
struct TracedStatement {
  enum class Kind : std::uint8_t { Executed, Failed, Committed };
  Kind kind = Kind::Executed;
  InstanceId instance;
  Span at;
  const DbStatement* statement = nullptr;  ///< none: RAISE, COMMIT
  std::vector<Value> slots;
  StatementResult result;
  SqlError error;  ///< of Failed
  /// Transactions that committed before and whose rows it still does not see.
  std::vector<InstanceId> misses;
};

/// An application explored at theoretical levels: its sessions in the terms of
/// `Program` (names and places only), its rows in those of `Code`.
class SqlExploration {
 public:
  const Program& program() const { return program_; }
  const Code& code() const { return code_; }
  const ExploreResult& result() const { return result_; }
  ExploreResult& result() { return result_; }
  const Universe& universe() const { return *universe_; }

  /// A violation's schedule by statements, in the order of time.
  [[nodiscard]] std::vector<TracedStatement> trace(
      const Violation& violation) const;

 private:
  friend class SqlExplorer;
  const Application* application_ = nullptr;
  std::unique_ptr<Routines> routines_;
  std::unique_ptr<Universe> universe_;
  Program program_;
  Code code_;
  ExploreResult result_;
};

/// Called for every complete history of every level, once all keys are known.
using OnSqlHistory =
    std::function<void(const SqlExploration&, const ExploredHistory&)>;

/// One search over an application whose keys may turn out to be too few; it is
/// called again until they suffice.  `budget` ends a search that is in vain.
using SqlPass = std::function<void(const SqlExploration&, const Budget&)>;

/// Runs a search of the caller's over an application: the last call of `pass`
/// saw all keys.  Error as explore_sql().
[[nodiscard]] Result<std::unique_ptr<SqlExploration>> search_sql(
    const Application& application, std::uint64_t loop_bound,
    const Budget& budget, const SqlPass& pass);

/// Explores all histories of an application at each level, rows being what
/// transactions read, write and conflict on.  An Error is the application's: a
/// setup that fails, a transaction with a level of its own.
[[nodiscard]] Result<std::unique_ptr<SqlExploration>> explore_sql(
    const Application& application, const ExploreOptions& options,
    const Budget& budget, const OnSqlHistory& on_history = {});

}  // namespace txscope::sql
