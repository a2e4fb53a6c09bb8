#include "model/product/mysql_condition.h"

#include <array>

namespace txscope {
namespace {

constexpr auto kConditions = std::to_array<MysqlCondition>({
    {"23505", "23000", 1062},
    {"23503", "23000", 1452},
    {"23502", "23000", 1048},
    {"23514", "23000", 4025},
    {"40P01", "40001", 1213},
    {"40001", "HY000", 1020},
    {"55P03", "HY000", 1205},
    {"P0003", "42000", 1172},
    {"22012", "22012", 1365},
    {"22001", "22001", 1406},
    {"22003", "22003", 1264},
    {"1365", "22012", 1365},
    {"1406", "22001", 1406},
    {"1264", "22003", 1264},
    {"1690", "22003", 1690},
    {"1292", "22007", 1292},
    {"1366", "22007", 1366},
});

}  // namespace

std::span<const MysqlCondition> mysql_conditions() { return kConditions; }

std::vector<std::string> sqlstates_of_mysql(std::int64_t error) {
  switch (error) {
    case 1062:
    case 1169:
    case 1586: return {"23505"};
    case 1216:
    case 1217:
    case 1451:
    case 1452: return {"23503"};
    case 1048:
    case 1364: return {"23502"};
    case 3819:
    case 4025: return {"23514"};
    case 1213: return {"40P01"};
    case 1020: return {"40001"};
    case 1205:
    case 3572: return {"55P03"};
    case 1329: return {"02000"};
    case 1172: return {"P0003"};
    case 1365: return {"22012", "1365"};
    case 1264:
    case 1690: return {"22003", std::to_string(error)};
    case 1406: return {"22001", "1406"};
    case 1292:
    case 1366: return {"22P02", "22007", "22008", std::to_string(error)};
    case 1644: return {"45000"};
    default: return {};
  }
}

std::vector<std::string> sqlstates_of_mysql(const std::string& sqlstate) {
  if (sqlstate == "40001") return {"40P01", "40001"};
  if (sqlstate == "HY000") return {"55P03", "HY000"};
  if (sqlstate == "42000") return {"P0003", "42000"};
  if (sqlstate == "22012") return {"22012", "1365"};
  if (sqlstate == "22003") return {"22003", "1264", "1690"};
  if (sqlstate == "22001") return {"22001", "1406"};
  if (sqlstate == "22007") return {"22P02", "22007", "22008", "1292", "1366"};
  return {sqlstate};
}

}  // namespace txscope
