#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "model/sql/application.h"
#include "smt/solver.h"
#include "verify/sql/input_choices.h"
#include "verify/sql/sql_question.h"

namespace txscope::verify {

/// Assumptions about inputs that contradict each other, as an error of the
/// user; nothing if there are none, or if nobody can tell.
[[nodiscard]] std::optional<Error> contradiction_of(
    const sql::Application& application, const Budget& budget);

/// Inputs of an application that satisfy its assumptions, one choice after
/// another: first those that differ in which of them are equal to each other
/// or to keys of the setup, without NULLs, and of these first those whose
/// integers all are such keys, so that calls meet in rows; then all others.
class SqlInputs final : public InputChoices {
 public:
  /// An Error names what cannot be encoded, or assumptions that contradict each
  /// other.  The application must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<SqlInputs>> make(
      const sql::Application& application, const Budget& budget);

  [[nodiscard]] std::optional<Choice> next() override;
  [[nodiscard]] bool is_exhausted() const override { return is_exhausted_; }
  [[nodiscard]] std::string why() const override {
    return "none of the inputs that were searched shows anything, but others "
           "are left" +
           why_chosen_;
  }
  [[nodiscard]] std::optional<VerifyBounds> bounds() const override {
    return std::nullopt;
  }
  /// Why no solver was asked for those that show something.
  void explain(const std::string& why) { why_chosen_ = " (" + why + ")"; }

 private:
  SqlInputs(const sql::Application& application, SqlQuestion question,
            const Budget& budget);
  void find_classes();
  void wish();
  void give_up_a_wish();

  const sql::Application& application_;
  SqlQuestion question_;
  const Budget& budget_;
  std::unique_ptr<smt::Solver> solver_;
  std::vector<smt::Term> classes_;  ///< what tells choices apart, at first
  /// What later choices are not to repeat: classes, while these tell them
  /// apart, and the inputs themselves.
  std::vector<smt::Term> other_classes_;
  std::vector<smt::Term> others_;
  int wishes_ = 0;  ///< pushed: no NULLs, and then keys of the setup
  bool is_exhausted_ = false;
  std::string why_chosen_;
};

}  // namespace txscope::verify
