#pragma once

#include <string>
#include <vector>

#include "db/workloads/workload.h"

namespace txscope::db {

// One pair per built-in workload: its first rows, and its mix of calls.

std::vector<std::string> bank_rows(const WorkloadOptions& options);
CallSource bank_calls(const sql::Application& application,
                      const WorkloadOptions& options, std::uint64_t client);

std::vector<std::string> twitter_rows(const WorkloadOptions& options);
CallSource twitter_calls(const sql::Application& application,
                         const WorkloadOptions& options, std::uint64_t client);

std::vector<std::string> rubis_rows(const WorkloadOptions& options);
CallSource rubis_calls(const sql::Application& application,
                       const WorkloadOptions& options, std::uint64_t client);

std::vector<std::string> tpcc_rows(const WorkloadOptions& options);
CallSource tpcc_calls(const sql::Application& application,
                      const WorkloadOptions& options, std::uint64_t client);

}  // namespace txscope::db
