#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lift/runs.h"
#include "lift/tables.h"

namespace txscope::lift {

/// How numbers that statements SET as literals change from one write of a row
/// to the next, over the whole log: quantity = 945, later 944, is a step of -1.
class Changes {
 public:
  Changes(const Runs& runs, const Tables& tables);

  /// The step that was seen most; 0: the literal stays the same; none: no row
  /// was written twice.
  [[nodiscard]] std::optional<std::int64_t> step(
      const sql::NamedColumn& column) const;

 private:
  std::map<sql::NamedColumn, std::map<std::int64_t, std::size_t>> steps_;
};

/// The whole number that a literal is; none: it is no such.
[[nodiscard]] std::optional<std::int64_t> whole_number(const std::string& text);

}  // namespace txscope::lift
