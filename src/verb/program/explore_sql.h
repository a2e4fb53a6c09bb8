#pragma once

#include <string>

#include "base/result.h"
#include "explore/explore.h"
#include "txscope/explore.h"
#include "verb/answer/detail.h"

namespace txscope::verb {

/// `explore` of an application in SQL.  Notes go to `report`.
[[nodiscard]] Result<ExploreDetail> explore_sql_text(
    const ExploreRequest& request, std::string text, const Budget& budget,
    Report& report);

/// Whether it has to be asked what an answer rests on.
[[nodiscard]] bool any_holds(const std::vector<Answer>& answers);

/// What `algorithm` asks for.
[[nodiscard]] Result<explore::Algorithm> algorithm_of(
    const ExploreRequest& request);

}  // namespace txscope::verb
