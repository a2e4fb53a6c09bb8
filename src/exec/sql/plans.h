#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "exec/sql/plan.h"
#include "exec/sql/sql_error.h"
#include "model/sql/application.h"

namespace txscope::sql {

class Routines;

/// The plans of all statements of an application, made once.
class Plans {
 public:
  /// Of the application of `routines`, which has these plans already.
  void make(const Routines& routines);

  /// Of a Query, Update or Delete; none: it is not the application's own.
  [[nodiscard]] const Plan* of(const void* statement) const {
    const auto found = plans_.find(statement);
    return found == plans_.end() ? nullptr : &found->second;
  }
  /// Whether the subquery of an expression mentions nothing around it.
  [[nodiscard]] std::optional<bool> is_constant(const Query* subquery) const {
    const auto found = constant_.find(subquery);
    if (found == constant_.end()) return std::nullopt;
    return found->second;
  }
  /// The error that planning meets of a Query, Insert, Update or Delete as a
  /// statement, or of an expression of a routine (fold.h).
  [[nodiscard]] const SqlError* error(const void* of) const {
    if (errors_.empty()) return nullptr;
    const auto found = errors_.find(of);
    return found == errors_.end() ? nullptr : &found->second;
  }
  /// What planning evaluates with the values of variables (foldable).
  struct Risk {
    const DbStatement* statement = nullptr;
    std::vector<const Expr*> exprs;
  };
  [[nodiscard]] const Risk* risk(const void* of) const {
    const auto found = risks_.find(of);
    return found == risks_.end() ? nullptr : &found->second;
  }

 private:
  friend class PlanMaker;

  std::unordered_map<const void*, Plan> plans_;
  std::unordered_map<const Query*, bool> constant_;
  std::unordered_map<const void*, SqlError> errors_;
  std::unordered_map<const void*, Risk> risks_;
};

}  // namespace txscope::sql
