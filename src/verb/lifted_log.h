#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "lift/lift.h"

namespace txscope::verb {

/// A log that is to be analysed instead of code.
struct LogRequest {
  std::string file;                  ///< empty: there is none
  std::string format;                ///< empty: by its beginning
  double gap_seconds = 2;            ///< of silence between two requests
  bool one_user = false;             ///< at a time; see lift::RunOptions
  std::vector<std::string> without;  ///< tables that are left out
  bool whole_requests = false;
  std::string emit;  ///< where the lifted application goes; empty: nowhere
};

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
