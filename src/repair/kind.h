#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "repair/problem.h"

namespace txscope::repair {

/// A kind of repair.
struct Kind {
  std::string_view name;
  bool (*applies)(const Problem& problem);
  std::vector<Change> (*changes)(const Problem& problem);
  std::string_view cost;    ///< besides errors that come then; may be empty
  std::string_view leaves;  ///< what it does not repair
};

/// In the order in which somebody who knows databases would prefer them: what
/// lets nobody wait longer first, then what the database watches over, then
/// locks, then levels, whose users have to try again.
[[nodiscard]] std::span<const Kind> kinds();

}  // namespace txscope::repair
