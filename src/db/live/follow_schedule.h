#pragma once

#include "base/result.h"
#include "db/live/live_database.h"
#include "model/statement_schedule.h"

namespace txscope::db {

/// Runs a schedule, step by step, on a live database that the setup was loaded
/// into, from its first rows.
///
/// Method.  Each step's statement is sent when its turn comes; then everybody
/// comes to rest (`settle`): has an answer or waits for a lock.  A statement
/// that was told to wait is expected to wait, and its answer is looked at where
/// the schedule has its end.  On PostgreSQL the victim of a deadlock is the one
/// of the schedule, if deadlock_timeout can be set there; MariaDB chooses for
/// itself.
///
/// The first step that goes otherwise ends it.  An Error: the server is gone,
/// or cannot be set back to the first rows.
[[nodiscard]] Result<FollowedSchedule> follow_schedule(
    LiveDatabase& database, const StatementSchedule& schedule);

/// Whether two texts of shown_result() mean the same result, however products
/// write numbers and truth values and in whatever order rows come.
[[nodiscard]] bool is_same_result(const std::string& a, const std::string& b);

}  // namespace txscope::db
