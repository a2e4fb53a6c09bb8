#pragma once

#include <string>
#include <vector>

#include "tla/pluscal/page.h"

namespace txscope::tla::pluscal {

/// Writes Spec: the steps, and the fairness of the algorithm, of its processes
/// and of the procedures that they call.
class SpecWriter {
 public:
  SpecWriter(const Algorithm& algorithm, Page& page)
      : algorithm_(algorithm), page_(page) {}

  void write();

 private:
  [[nodiscard]] ProcessFairness fairness_of(const Process& process) const;
  [[nodiscard]] static std::vector<std::string> conditions(
      const Routine& routine, const std::string& self,
      const std::string& argument, bool is_strong);
  [[nodiscard]] std::vector<const Procedure*> called_by(
      const Process& process) const;
  [[nodiscard]] std::string fairness(const Process& process) const;

  const Algorithm& algorithm_;
  Page& page_;
};

}  // namespace txscope::tla::pluscal
