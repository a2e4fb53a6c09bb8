#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "exec/sql/routine/process.h"
#include "explore/explore.h"
#include "explore/sql/sql_script.h"
#include "explore/sql/universe.h"
#include "explore/subject.h"
#include "model/sql/application.h"

namespace txscope::explore {

/// An application explored at theoretical levels: its rows are the registers
/// of the search, and its runs are told statement by statement.
class SqlExploration : public Subject {
 public:
  explicit SqlExploration(const sql::Application& application,
                          std::uint64_t loop_bound);

  [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }
  [[nodiscard]] const Universe& universe() const { return *universe_; }

  [[nodiscard]] std::vector<Step> steps(
      std::span<const ScheduleStep> schedule) const override;
  [[nodiscard]] std::vector<FinalTable> finals(
      std::span<const FinalValue> values) const override;
  [[nodiscard]] std::vector<NamedValue> variables(
      std::size_t condition, std::span<const std::int64_t* const> slots,
      std::span<const ScheduleStep> schedule) const override;
  [[nodiscard]] std::string numbers(
      std::size_t condition, std::span<const FinalTable> finals,
      std::span<const NamedValue> variables) const override;

 private:
  friend class SqlExplorer;
  const sql::Application& application_;
  Workload names_;
  sql::Routines routines_;
  SqlScript script_;
  std::unique_ptr<Universe> universe_;
  std::vector<Answer> answers_;
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
    const sql::Application& application, std::uint64_t loop_bound,
    const Budget& budget, const SqlPass& pass);

/// Explores all histories of an application at each level, rows being what
/// transactions read, write and conflict on.  An Error is the application's: a
/// setup that fails, a transaction with a level of its own.
[[nodiscard]] Result<std::unique_ptr<SqlExploration>> explore_sql(
    const sql::Application& application, const ExploreOptions& options,
    const Budget& budget, const OnSqlHistory& on_history = {});

}  // namespace txscope::explore
