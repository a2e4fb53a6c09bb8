#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exec/sql/query/plan.h"
#include "exec/sql/query/sql_error.h"
#include "model/sql/application.h"

namespace txscope::sql {

class Routines;

/// The plans of all statements of an application, made once.
class Plans {
 public:
  /// Of the application of `routines`, which has these plans already.
  void make(const Routines& routines);

  /// Of a Query, Update or Delete; none: it is not the application's own.
  [[nodiscard]] const Plan* of(PartId part) const {
    const Part* known = at(part);
    return known != nullptr && known->plan ? &*known->plan : nullptr;
  }
  /// Whether the subquery of an expression mentions nothing around it.
  [[nodiscard]] std::optional<bool> is_constant(const Query& subquery) const {
    const Part* known = at(subquery.part);
    if (known == nullptr) return std::nullopt;
    return known->is_constant;
  }
  /// The error that planning meets of a Query, Insert, Update or Delete as a
  /// statement, or of an expression of a routine (fold.h).
  [[nodiscard]] const SqlError* error(PartId part) const {
    const Part* known = at(part);
    return known != nullptr ? known->error.get() : nullptr;
  }
  /// What planning evaluates with the values of variables (foldable).
  struct Risk {
    const DbStatement* statement = nullptr;
    std::vector<const Expr*> exprs;
  };
  [[nodiscard]] const Risk* risk(PartId part) const {
    const Part* known = at(part);
    return known != nullptr ? known->risk.get() : nullptr;
  }

 private:
  struct Part {
    std::optional<Plan> plan;
    bool is_constant = false;  ///< of a query
    std::unique_ptr<const SqlError> error;
    std::unique_ptr<const Risk> risk;
  };

  [[nodiscard]] const Part* at(PartId part) const {
    return part.index < parts_.size() ? &parts_[part.index] : nullptr;
  }

  std::vector<Part> parts_;  ///< by PartId
};

}  // namespace txscope::sql
