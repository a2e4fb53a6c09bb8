#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/record/application_actor.h"
#include "model/sql/application.h"

namespace txscope::db {

/// What a user can say about a workload.
struct WorkloadOptions {
  std::uint64_t scale = 0;     ///< accounts, users, warehouses; 0: its default
  double rows_accessed = 1.0;  ///< share of the accounts that are used (bank)
  double blind_writes = 0.0;   ///< share of writes that read nothing (bank)
  double read_only = 0.2;      ///< share of transactions that only read (bank)
  /// Of an application's file: arguments by chance, not those of its sessions.
  bool has_random_arguments = false;
};

/// A built-in workload: an application in SQL, its first rows, and who calls
/// what how often.
struct Workload {
  std::string_view name;
  std::string_view summary;
  std::uint64_t scale;  ///< default
  std::string (*source)();
  std::vector<std::string> (*rows)(const WorkloadOptions& options);
  CallSource (*calls)(const sql::Application& application,
                      const WorkloadOptions& options, std::uint64_t client);
};

/// bank, twitter, rubis, tpcc.
[[nodiscard]] std::span<const Workload> workloads();
[[nodiscard]] const Workload* find_workload(std::string_view name);

/// The text of src/db/workloads/<name>.sql.
[[nodiscard]] std::string workload_source(std::string_view name);

/// Calls of the procedures of any application: those of its sessions again and
/// again, client by client, or any of them with arguments by chance.
[[nodiscard]] Result<CallSource> application_calls(
    const sql::Application& application, bool has_random_arguments,
    std::uint64_t client);

}  // namespace txscope::db
