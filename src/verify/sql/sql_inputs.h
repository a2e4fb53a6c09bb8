#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "model/sql/application.h"
#include "smt/solver.h"
#include "verify/sql/sql_question.h"
#include "verify/verify.h"

namespace txscope::sql {

/// Inputs of an application that satisfy its assumptions, one choice after
/// another: first those that differ in which of them are equal to each other
/// or to keys of the setup, without NULLs, and of these first those whose
/// integers all are such keys, so that calls meet in rows; then all others.
class SqlInputs {
 public:
  /// An Error names what cannot be encoded, or assumptions that contradict each
  /// other.  The application must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<SqlInputs>> make(
      const Application& application, const Budget& budget);

  /// The next choice: the application with these inputs.
  struct Choice {
    Application application;
    std::vector<InputValue> values;
  };
  [[nodiscard]] std::optional<Choice> next();
  /// There is no other: all were given.
  [[nodiscard]] bool is_exhausted() const { return is_exhausted_; }
  /// Why that may not be all.
  [[nodiscard]] std::string why() const {
    return "no choice of inputs that was searched shows anything, and others "
           "are left";
  }

 private:
  SqlInputs(const Application& application, SqlQuestion question,
            const Budget& budget);
  void find_classes();
  void wish();
  void give_up_a_wish();

  const Application& application_;
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
};

}  // namespace txscope::sql
