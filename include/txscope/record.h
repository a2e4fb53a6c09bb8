#pragma once

/// Runs a workload on a real database, or listens, and writes a log:
///
///     #include <txscope/record.h>
///     using namespace txscope;
///
///     verb::RecordRequest request;
///     request.workload = "bank";
///     request.db = "sqlite:bank.db";
///     request.output = "log.jsonl";
///     auto report = verb::record(request, Budget::unlimited());
#include <txscope/listener.h>
#include <txscope/write.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/budget.h"
#include "base/result.h"

namespace txscope::verb {

/// Runs a workload on a real database and records what its clients saw; or
/// listens for other clients and records what they send.
struct RecordRequest {
  std::string workload;  ///< name of a built-in one, or a file; or use `proxy`
  std::string proxy;     ///< "127.0.0.1:6432"
  std::string db;     ///< an address, a product's name; empty: TXSCOPE_DB, or a
                      ///< private PostgreSQL
  std::string level;  ///< of the transactions; empty: the product's own
  std::string output;  ///< the log; empty: standard output
  std::optional<std::uint64_t> clients;
  std::uint64_t transactions = 10000;
  std::uint64_t retries = 0;  ///< after a serialization failure or deadlock
  double rate = 0;            ///< transactions per second; 0: no limit
  std::string schema = "txscope";  ///< the database that is made for it
  bool drop = false;               ///< drop it first, if an earlier run left it
  bool keep = false;               ///< do not drop the database at the end
  bool force = false;              ///< for a proxy: overwrite an older log
  bool redact = false;             ///< texts become tokens
  bool stored = false;             ///< PostgreSQL runs the procedures
  bool random_arguments = false;
  std::uint64_t scale = 0;  ///< 0: the workload's own
  double rows_accessed = 1.0;
  double blind_writes = 0.0;
  double read_only = 0.2;
  std::uint64_t keys = 100;
  std::string operations = "1..6";
  double reads = 0.5;
  std::uint64_t seed = 1;

  /// How long to record, once everything is set up; the budget has all of it.
  std::optional<std::chrono::milliseconds> time;
  std::function<bool()> is_over;  ///< asked now and then; may be empty
  /// For a proxy: it accepts connections.
  std::function<void(const std::string& host, std::uint16_t port,
                     const std::string& database)>
      on_listening;
  Listener listener;

  /// For a workload.
  [[nodiscard]] std::uint64_t client_count() const {
    return clients.value_or(8);
  }
};

/// The budget is how long to record: its end is not a failure.  The summary
/// says what was recorded.
[[nodiscard]] Result<Report> record(const RecordRequest& request,
                                    const Budget& budget);

}  // namespace txscope::verb
