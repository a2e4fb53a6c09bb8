#pragma once

#include <optional>
#include <unordered_map>

#include "exec/sql/plan.h"
#include "model/sql/application.h"

namespace txscope::sql {

/// The plans of all statements of an application, made once.
class Plans {
 public:
  explicit Plans(const Application& application);

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

 private:
  friend class PlanMaker;

  std::unordered_map<const void*, Plan> plans_;
  std::unordered_map<const Query*, bool> constant_;
};

}  // namespace txscope::sql
