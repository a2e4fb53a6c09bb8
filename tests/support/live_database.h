#pragma once

#include "db/live/live_application.h"
#include "support/live_server.h"

namespace txscope::test {

using namespace db;  // the driver, whose names tell where they come from

/// The server of a product; only PostgreSQL and MariaDB have one.
[[nodiscard]] LiveServer& live_server(Product product);

/// The one of a product that a test program shares; its server must be there.
[[nodiscard]] LiveDatabase& live_database(Product product);

/// Runs an application on the live server of the level.
[[nodiscard]] LiveOutcomes run_live(const sql::Application& application,
                                    const Profile& level,
                                    const LiveOptions& options,
                                    bool judges_commits = false);

}  // namespace txscope::test
