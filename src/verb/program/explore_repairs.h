#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "engine/search/explore_profile.h"

namespace txscope::verb {

/// What was explored, as far as repairs of it have to know.
struct Explored {
  std::string file;
  std::string_view text;  ///< as the user wrote it
  const sql::Application& application;
  const Profile& profile;
  engine::ProfileOptions options;
  /// Results for levels of the unchanged application, to be used instead of
  /// exploring again.
  std::span<const Answer> known;
  /// Whether a level may be recommended.
  std::function<bool(const Profile&)> is_offered;
};

/// Changes after which a violation is gone; the changed application was
/// explored whole.
[[nodiscard]] std::vector<Repair> explore_repairs(const Explored& explored,
                                                  const Counterexample& example,
                                                  const Budget& budget);

}  // namespace txscope::verb
