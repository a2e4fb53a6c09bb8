#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/workloads/workload.h"

namespace txscope::db {

/// The routine of that name, which a workload of ours has.
[[nodiscard]] sql::RoutineId routine(const sql::Application& application,
                                     std::string_view name);

/// INSERT INTO `table` VALUES (...), (...), some hundred rows at a time.
[[nodiscard]] std::vector<std::string> insert_texts(
    std::string_view table, const std::vector<std::string>& rows);

[[nodiscard]] inline sql::Value number(std::int64_t value) {
  return sql::Value::integer(value);
}

/// Chooses by weights that add up to 100.
[[nodiscard]] std::size_t choose_weighted(Random& random,
                                          std::span<const unsigned> weights);

}  // namespace txscope::db
