#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "smt/solver.h"
#include "verify/program_question.h"
#include "verify/verify.h"

namespace txscope {

/// Inputs of a `.txn` program for which some execution of a level may be unlike
/// all serial ones, one choice after another.
///
/// Definition.  A complete execution whose dependencies have a cycle; or one
/// that runs into an error, which may exist in a serial one as well.  For all
/// other inputs every execution is conflict serializable and without errors.
/// Method.  The encoding of `verify` with the cycle instead of a broken rule;
/// after each model its inputs are excluded.
class UnserialInputs {
 public:
  /// An Error is the program's: assumptions that contradict each other, or its
  /// size.  The program and the budget must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<UnserialInputs>> make(
      const Program& program, Base level, std::uint64_t loop_bound,
      const Budget& budget);

  /// The next choice: the program with these inputs.
  struct Choice {
    Program program;
    std::vector<InputValue> values;
  };
  [[nodiscard]] std::optional<Choice> next();
  /// There is no other.
  [[nodiscard]] bool is_exhausted() const { return is_exhausted_; }
  /// Why that may not be all.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  UnserialInputs(const Program& program, const Budget& budget)
      : program_(program), budget_(budget) {}
  /// True if no execution goes on beyond the rounds.
  bool ask(ProgramQuestion question, Base level);
  [[nodiscard]] smt::Term others(const smt::Model& model);

  const Program& program_;
  const Budget& budget_;
  ProgramQuestion question_;
  std::unique_ptr<smt::Solver> solver_;
  std::vector<smt::Term> wanted_;  ///< one after the other; the last is next
  bool is_bounded_ = false;        ///< some loop goes on beyond its rounds
  bool is_exhausted_ = false;
  std::string why_ =
      "executions with errors were found for some inputs, the same as serially "
      "for those that were searched; others are left";
};

}  // namespace txscope
