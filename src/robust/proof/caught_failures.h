#pragma once

#include <optional>

#include "model/sql/application.h"

namespace txscope::robust {

/// Where a transaction goes on after it has caught a serialization failure or
/// a deadlock, itself or in a routine that it calls.  What it does then no
/// serial order explains, at no level: there nothing fails so.
[[nodiscard]] std::optional<Span> caught_failure(
    const sql::Application& application, sql::RoutineId transaction);

}  // namespace txscope::robust
