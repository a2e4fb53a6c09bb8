#pragma once

#include <memory>
#include <string>

#include "db/server.h"

namespace txscope::test {

/// A server that all tests of a program share, started when first asked for.
///
///     LiveServer& live = live_postgresql();
///     if (!live.server) GTEST_SKIP() << live.why;
struct LiveServer {
  std::unique_ptr<db::Server> server;
  std::string why;  ///< there is none

  /// A new session in a database; fails the test if there is none.
  [[nodiscard]] std::unique_ptr<db::Session> connect(
      const std::string& database = "") const;
};

[[nodiscard]] LiveServer& live_postgresql();
[[nodiscard]] LiveServer& live_mariadb();

}  // namespace txscope::test
