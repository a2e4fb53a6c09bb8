#include "db/workloads/calls.h"

#include <cassert>

namespace txscope::db {

sql::RoutineId routine(const sql::Application& application,
                       std::string_view name) {
  for (std::uint32_t i = 0; i < application.routines.size(); ++i)
    if (application.routines[i].name == name) return sql::RoutineId{i};
  assert(false && "a workload has the routines that it calls");
  return {};
}

std::vector<std::string> insert_texts(std::string_view table,
                                      const std::vector<std::string>& rows) {
  constexpr std::size_t kRowsEach = 500;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % kRowsEach == 0)
      texts.push_back("INSERT INTO " + std::string(table) + " VALUES ");
    else
      texts.back() += ", ";
    texts.back() += "(" + rows[i] + ")";
  }
  return texts;
}

std::size_t choose_weighted(Random& random, std::span<const unsigned> weights) {
  std::uint64_t left = random.below(100);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return weights.size() - 1;
}

}  // namespace txscope::db
