#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "audit/certificate/rerun.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Tables as a statement saw them that took rows from several states.
///
/// Any version of a row that some state has may be seen, of each row one.  Rows
/// that are not picked are as in the last state.  A row is one life of its key:
/// one that is not seen must not have been there all the time.  All tables
/// of picked rows have a primary key.
class PickedRows {
 public:
  /// Tables and numbers.
  using Rows = std::set<std::pair<std::uint32_t, std::uint64_t>>;

  /// `deleted`: the rows that some state does not have any more.
  PickedRows(const sql::Schema& schema, const States& setup,
             const std::map<std::uint32_t, States>& states,
             const States& latest, const Rows& deleted)
      : schema_(schema),
        setup_(setup),
        states_(states),
        latest_(latest),
        deleted_(deleted) {}

  /// The tables; why they are not what somebody can have seen goes to `why`.
  [[nodiscard]] States tables(std::span<const Placed::Picked> picked,
                              std::string& why) const;

 private:
  const sql::Schema& schema_;
  const States& setup_;
  const std::map<std::uint32_t, States>& states_;
  const States& latest_;
  const Rows& deleted_;
};

}  // namespace txscope::audit
