#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "verify/program_question.h"
#include "verify/unserial_models.h"
#include "verify/verify.h"

namespace txscope::verify {

/// Inputs of a `.txn` program for which some execution of a level may be unlike
/// all serial ones (unserial_models.h), one choice after another.
class UnserialInputs {
 public:
  /// An Error is the program's: assumptions that contradict each other, or its
  /// size.  The program and the budget must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<UnserialInputs>> make(
      const Program& program, Base level, Notion notion,
      std::uint64_t loop_bound, const Budget& budget);

  /// The next choice: the program with these inputs.
  struct Choice {
    Program program;
    std::vector<InputValue> values;
  };
  [[nodiscard]] std::optional<Choice> next();
  /// There is no other.
  [[nodiscard]] bool is_exhausted() const { return models_->is_exhausted(); }
  /// Why that may not be all.
  [[nodiscard]] std::string why() const { return models_->why(); }
  /// What transactions do for some inputs.
  [[nodiscard]] std::optional<Activity> activity() {
    return models_->activity();
  }
  /// What was looked at.
  [[nodiscard]] VerifyBounds bounds() const;

 private:
  explicit UnserialInputs(const Program& program) : program_(program) {}
  [[nodiscard]] smt::Term others(const smt::Model& model);

  const Program& program_;
  std::uint64_t rounds_ = 0;
  ProgramQuestion question_;
  std::unique_ptr<UnserialModels> models_;
};

}  // namespace txscope::verify
