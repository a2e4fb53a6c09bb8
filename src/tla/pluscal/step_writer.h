#pragma once

#include <set>
#include <string>
#include <vector>

#include "tla/pluscal/page.h"

namespace txscope::tla::pluscal {

/// Which variables an algorithm has, and which of them exist once per process.
struct Variables {
  std::vector<std::string> all;  ///< in the order of UNCHANGED
  std::set<std::string> local;   ///< of procedures and sets of processes
  bool is_parallel = false;
};

/// Writes the action of a step.  A variable that the step has assigned to is
/// meant with its new value afterwards; one that exists per process gets the
/// process as its subscript.
class StepWriter {
 public:
  /// `self` is the process, as an expression; empty if there is only one.
  StepWriter(const Variables& variables, Formula self, Page& page)
      : variables_(variables), self_(std::move(self)), page_(page) {}

  /// `head` is `label(self)`.
  void write(const Step& step, const std::string& head);

  /// The formula as a step that has changed nothing sees it.
  [[nodiscard]] Formula initially(const Formula& formula) const {
    return seen(formula, {});
  }

 private:
  using Changed = std::set<std::string>;

  [[nodiscard]] Formula seen(const Formula& formula,
                             const Changed& changed) const;
  [[nodiscard]] bool is_subscripted(const std::string& variable) const;
  [[nodiscard]] static Changed assigned_by(const Statements& statements);
  [[nodiscard]] std::vector<std::string> missing(const Changed& changed,
                                                 const Changed& of) const;
  void conjuncts(const Statements& statements, Changed& changed,
                 std::uint32_t column);
  void unchanged(const std::vector<std::string>& names);
  void statement(const Statement& one, Changed& changed);
  void assignments(const Statement& one, Changed& changed);
  void one_variable(const std::vector<const Assignment*>& parts,
                    const Changed& changed);
  void if_statement(const Statement& one, Changed& changed);
  void either(const Statement& one, Changed& changed);
  void with(const Statement& one, Changed& changed);
  void assertion(const Statement& one, const Changed& changed);

  const Variables& variables_;
  Formula self_;
  Page& page_;
};

/// Whether `x' = e` needs parentheses around e: an operator that binds less
/// than = on its first line, outside of brackets.
[[nodiscard]] bool needs_parentheses(const Formula& formula);

/// `self`
[[nodiscard]] Formula the_self(const Spot& spot);

/// `[self]`
[[nodiscard]] Formula in_brackets(const Formula& self);

}  // namespace txscope::tla::pluscal
