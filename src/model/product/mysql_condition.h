#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace txscope {

/// What a handler of MySQL's stored programs is for, in the codes that our
/// statements fail with: one error of the server may be several of ours; none:
/// it cannot happen here.
[[nodiscard]] std::vector<std::string> sqlstates_of_mysql(std::int64_t error);
/// The same of `SQLSTATE 'xyz'`.
[[nodiscard]] std::vector<std::string> sqlstates_of_mysql(
    const std::string& sqlstate);

/// What GET DIAGNOSTICS tells of an error of ours.
struct MysqlCondition {
  std::string_view ours;
  std::string_view state;
  std::int64_t number = 0;
};

[[nodiscard]] std::span<const MysqlCondition> mysql_conditions();

}  // namespace txscope
