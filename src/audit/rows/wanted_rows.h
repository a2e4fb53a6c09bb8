#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/rows/row_versions.h"
#include "audit/tables/tables.h"

namespace txscope::audit {

/// Which versions of rows some answer of a log shows, or needs.
///
/// Of the ways in which a transaction can have written, those are the likelier
/// ones that leave what somebody saw soon afterwards, or, where a routine adds
/// to a row without showing it, what that must have been added to.  A guess
/// that orders a search: nothing follows from it.
class WantedRows {
 public:
  WantedRows(const LoadedLog& log, const RowVersions& rows);

  /// How much the effects of a transaction that commits at `at` are wanted.
  [[nodiscard]] std::size_t count(const Tables& tables, const Effects& effects,
                                  std::int64_t at) const;

 private:
  /// A value that a version made at such a time should have.
  struct Want {
    std::int64_t from = 0;
    std::int64_t until = 0;
    std::size_t weight = 0;
  };
  /// Who wrote a row, in the order of commits, and what it adds.
  struct Writer {
    std::int64_t at = 0;
    const RowVersion* version = nullptr;
  };
  using Writers = std::vector<Writer>;

  void want(std::uint32_t row, std::uint32_t column, const sql::Value& value,
            std::int64_t until, std::size_t weight);

  const RowVersions& rows_;
  std::vector<Writers> writers_;  // by row
  bool has_calls_ = false;
  /// By row and column, then by the hash of the value.
  std::map<std::pair<std::uint32_t, std::uint32_t>,
           std::unordered_map<std::uint64_t, std::vector<Want>>>
      wants_;
};

}  // namespace txscope::audit
