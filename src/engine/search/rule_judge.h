#pragma once

#include <unordered_map>
#include <vector>

#include "engine/search/selection.h"
#include "engine/server/state.h"
#include "exec/sql/query/evaluate.h"

namespace txscope::engine {

/// Decides the properties of an application on committed states.
class RuleJudge {
 public:
  RuleJudge(const sql::Routines& routines, const Selection& selection,
            const Budget& budget)
      : routines_(routines), selection_(selection), budget_(budget) {}

  /// The value of a property: true, false or NULL; an error counts as false.
  /// None: the budget is spent.  Assertions only after the last commit.
  [[nodiscard]] std::optional<sql::Value> value(std::size_t property,
                                                const State& state);
  /// The part of a violated property that decides, with values: "4 <= 3", or
  /// "there is (ann)" of NOT EXISTS; empty: there is nothing short to say.
  [[nodiscard]] std::string numbers(std::size_t property, const State& state);
  /// By property, whether it is violated; remembered by committed state.
  [[nodiscard]] const std::vector<bool>& violated(const State& state,
                                                  bool is_final);

 private:
  std::vector<bool> judge(const State& state, bool is_final);

  /// The variables that an assertion names; none: one of those transactions
  /// did not commit.
  [[nodiscard]] std::optional<std::vector<sql::Value>> variables_of(
      const sql::Property& property, const State& state) const;

  const sql::Routines& routines_;
  const Selection selection_;
  const Budget& budget_;
  std::unordered_map<Hash128, std::vector<bool>, HashOfHash> known_;
};

/// The committed rows of a table, by primary key.
[[nodiscard]] std::vector<sql::Row> committed_rows(const State& state,
                                                   const sql::Schema& schema,
                                                   TableId table);

}  // namespace txscope::engine
