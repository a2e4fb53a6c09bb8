#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "model/level.h"
#include "model/notion.h"
#include "smt/model.h"
#include "smt/solver.h"
#include "verify/activity.h"
#include "verify/question.h"

namespace txscope::verify {

/// Executions of a level that may be unlike all serial ones, by a notion; their
/// inputs, one choice after another.
///
/// Definition.  A complete execution whose dependencies have a cycle and, by a
/// notion weaker than trace, that no serial order gives; or one that runs into
/// an error, which may exist in a serial one as well.  For all other inputs
/// every execution is as the notion wants it.
/// Method.  The encoding of `verify` with this in the place of a broken rule;
/// after each model its inputs are excluded.
class UnserialModels {
 public:
  /// The question and the budget must outlive it.
  UnserialModels(Question& question, Base level, Notion notion,
                 const Budget& budget);

  /// Some execution goes on beyond the rounds that loops were given.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  /// The next one; `others` says what inputs are not those of a model.
  [[nodiscard]] std::optional<smt::Model> next(
      const std::function<smt::Term(const smt::Model&)>& others);
  /// What transactions do for some inputs.
  [[nodiscard]] Activity activity();
  /// There is no other.
  [[nodiscard]] bool is_exhausted() const { return is_exhausted_; }
  /// Why that may not be all.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  Question& question_;
  const Base level_;
  const Budget& budget_;
  std::unique_ptr<smt::Solver> solver_;
  std::vector<smt::Term> wanted_;  ///< one after the other; the last is next
  bool is_cut_ = false;
  bool is_exhausted_ = false;
  std::string why_;
};

}  // namespace txscope::verify
