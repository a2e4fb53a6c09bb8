#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/session.h"
#include "race/plan/plan.h"

namespace txscope::race {

/// The rows of all tables: table -> sorted rows, each an object.
using State = nlohmann::json;

/// Reads them.  Columns that are ignored are left out; a reference that is
/// followed stands replaced by the row that it refers to.
[[nodiscard]] Result<State> read_state(db::Session& session, const Plan& plan);

}  // namespace txscope::race
