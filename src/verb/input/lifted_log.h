#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "lift/lift.h"
#include "txscope/analyze.h"

namespace txscope::verb {

/// An application lifted from a log, with the tables of files and folders of
/// SQL, as far as there are any.  `product` becomes whose log it is.
struct LiftedLog {
  lift::Lifted lifted;
  std::string level;  ///< "mariadb:repeatable-read": what to analyse it at
};
[[nodiscard]] Result<LiftedLog> lifted_log(
    const LogRequest& request, const std::vector<std::string>& schema,
    const Budget& budget);

}  // namespace txscope::verb
