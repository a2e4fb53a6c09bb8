#pragma once

#include <string>

#include "engine/search/explore_profile.h"
#include "model/product/profile.h"
#include "model/sql/application.h"

namespace txscope::test {

/// What the clients of one run of the engine would have logged, as a log of
/// `audit`: every attempt is a transaction; its statements with what they were
/// told, in the order of the run, which is also its time.
/// `setup`: the SQL that made the tables.
[[nodiscard]] std::string engine_log(const sql::Application& application,
                                     const std::string& setup,
                                     const Profile& profile,
                                     const engine::ObservedOutcome& outcome);

}  // namespace txscope::test
