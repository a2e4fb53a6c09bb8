#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tla/syntax/syntax.h"

namespace txscope::tla {

/// The labels of the PlusCal algorithm that a module holds in a comment, and
/// whether its translation, which is what runs, still belongs to it.
class PlusCalLabels {
 public:
  /// Looks at the module itself only, not at those it extends.
  explicit PlusCalLabels(const Module& module);

  [[nodiscard]] std::optional<Spot> find(const std::string& label) const;
  [[nodiscard]] bool has_algorithm() const { return has_algorithm_; }
  /// What is wrong with the translation; empty if nothing is.
  [[nodiscard]] std::string complaint() const { return complaint_; }

 private:
  void scan(const Module& module);
  void compare(const Module& module);

  std::map<std::string, Spot> labels_;
  bool has_algorithm_ = false;
  std::string complaint_;
};

}  // namespace txscope::tla
