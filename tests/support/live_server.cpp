#include "support/live_server.h"

#include <gtest/gtest.h>

#include "db/mariadb.h"
#include "db/postgresql.h"

namespace txscope::test {
namespace {

LiveServer keep(Result<std::unique_ptr<db::Server>> started) {
  LiveServer live;
  if (started)
    live.server = *std::move(started);
  else
    live.why = started.error().what + "; " + started.error().hint;
  return live;
}

}  // namespace

std::unique_ptr<db::Session> LiveServer::connect(
    const std::string& database) const {
  auto session = server->connect(database);
  if (session) return *std::move(session);
  ADD_FAILURE() << session.error().what;
  return nullptr;
}

LiveServer& live_postgresql() {
  static LiveServer live = keep(db::start_postgresql());
  return live;
}

LiveServer& live_mariadb() {
  static LiveServer live = keep(db::start_mariadb());
  return live;
}

}  // namespace txscope::test
