#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "db/proxy/mariadb_tap.h"
#include "db/proxy/tap.h"
#include "db/record/line_file.h"
#include "db/record/redact.h"
#include "model/product/product.h"

namespace txscope::db {

struct ProxyPlan {
  std::string host = "127.0.0.1";
  std::uint16_t port = 6432;  ///< 0: any that is free
  std::string server_host;    ///< a directory: its socket
  std::string server_port = "5432";
  std::string server_file;  ///< of MariaDB's socket in that directory
  Product product = Product::PostgreSql;
  MariadbWorld mariadb;  ///< what is known of that server
  /// The database whose tables the log begins with; connections to others pass
  /// without being recorded.
  std::string database;
  std::uint64_t max_connections = 100;
  /// How long a client may take until the server has let it in, and how many
  /// may be at that: the oldest goes when there are more.  They do not count as
  /// connections, so that who never says who he is keeps nobody out.
  std::chrono::milliseconds startup_time{10'000};
  std::uint64_t max_startups = 256;
  TapLimits limits;
};

struct ProxyCounts {
  std::uint64_t connections = 0;
  std::uint64_t transactions = 0;
  std::uint64_t refused_tls = 0;
  std::uint64_t unrecorded = 0;     ///< connections to other databases
  std::uint64_t unobserved = 0;     ///< results that were too large to keep
  std::uint64_t unknown = 0;        ///< statements that were
  std::uint64_t never_started = 0;  ///< clients that did not log in in time
};

struct ProxyWorld {
  LineFile* file = nullptr;
  const Redactor* redactor = nullptr;
  /// Called once, when the port is ours and before a connection is taken: the
  /// time to write the log's first line.  An Error ends it.
  std::function<Result<Done>(std::uint16_t port)> on_listening;
  /// Called now and then; false: end.
  std::function<bool(const ProxyCounts&)> on_progress;
};

/// Listens, passes bytes on unchanged in both directions, and records what
/// passes, until told to end.  A full disk ends the recording, not the
/// connections: they go on until the proxy is told to end.
[[nodiscard]] Result<ProxyCounts> run_recording_proxy(const ProxyPlan& plan,
                                                      const ProxyWorld& world);

}  // namespace txscope::db
