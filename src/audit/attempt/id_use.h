#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "model/sql/log.h"

namespace txscope::audit {

/// What a log can tell of the numbers that sequences gave.
///
/// Definition.  A sequence is told if some statement names a column that it
/// fills, or shows all columns, or gives such a column a value itself; or if a
/// foreign key, a routine or a trigger may use it.  Of one that is not told any
/// numbers are as good as any others, as long as they are fresh.  Of one that
/// is told only numbers matter that stand somewhere in the log.
class IdUse {
 public:
  IdUse() = default;
  IdUse(const sql::Schema& schema,
        const std::vector<sql::LogTransaction>& transactions,
        bool has_routines);

  [[nodiscard]] bool is_told(std::uint32_t sequence) const {
    return is_told_[sequence];
  }
  /// Whether it stands in an answer, a parameter or a text.
  [[nodiscard]] bool is_named(std::int64_t number) const {
    return named_.count(number) != 0;
  }
  /// All of these, ascending.
  [[nodiscard]] const std::set<std::int64_t>& named() const { return named_; }

 private:
  void see(const sql::Schema& schema, const sql::LogStatement& statement);

  std::vector<bool> is_told_;  // by sequence
  std::set<std::int64_t> named_;
};

}  // namespace txscope::audit
