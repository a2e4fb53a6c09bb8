#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace txscope::verb {

/// The SQL of files and folders: one file as it is, several as a script that
/// includes them in order.
struct JoinedSql {
  std::string name;
  std::string text;
};
[[nodiscard]] Result<JoinedSql> joined_sql(
    const std::vector<std::string>& inputs);

}  // namespace txscope::verb
