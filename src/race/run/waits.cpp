#include "race/run/waits.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "db/watch.h"

namespace txscope::race {
namespace {

std::set<std::int64_t> numbers_in(const std::string& text) {
  std::set<std::int64_t> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    result.insert(std::atoll(text.substr(at, comma - at).c_str()));
    at = comma + 1;
  }
  return result;
}

std::optional<Blockers> who_waits_in_postgresql(
    db::Session& control, const std::vector<std::int64_t>& backends) {
  std::string sql = "SELECT ";
  for (const std::int64_t backend : backends) {
    const std::string pid = std::to_string(backend);
    sql += (sql.size() > 7 ? ", " : "") +
           ("array_to_string(pg_blocking_pids(" + pid) +
           ") || pg_safe_snapshot_blocking_pids(" + pid + "), ',')";
  }
  const db::Answer answer = control.execute(sql);
  if (answer.rows.size() != 1) return std::nullopt;
  Blockers result;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    const std::string pids = answer.rows[0][i].value_or("");
    if (pids.empty()) return std::nullopt;
    result[backends[i]] = numbers_in(pids);
  }
  return result;
}

}  // namespace

std::optional<Blockers> who_waits(db::Session& control, Product product,
                                  const std::vector<std::int64_t>& backends) {
  if (product == Product::PostgreSql)
    return who_waits_in_postgresql(control, backends);
  const std::vector<bool> waiting = db::waiting_in_mariadb(control, backends);
  Blockers result;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    if (!waiting[i]) return std::nullopt;
    result[backends[i]] = {};
  }
  return result;
}

bool is_in_circle(const Blockers& blockers, std::int64_t backend) {
  std::set<std::int64_t> reached;
  std::vector<std::int64_t> todo = {backend};
  while (!todo.empty()) {
    const auto found = blockers.find(todo.back());
    todo.pop_back();
    if (found == blockers.end()) continue;
    for (const std::int64_t next : found->second) {
      if (next == backend) return true;
      if (reached.insert(next).second) todo.push_back(next);
    }
  }
  return false;
}

bool are_all_among(const Blockers& blockers,
                   const std::set<std::int64_t>& those) {
  return std::all_of(blockers.begin(), blockers.end(), [&](const auto& one) {
    return std::includes(those.begin(), those.end(), one.second.begin(),
                         one.second.end());
  });
}

void end_by_force(db::Session& control, Product product, std::int64_t backend,
                  bool only_statement) {
  const std::string number = std::to_string(backend);
  if (product == Product::MariaDb)
    control.execute((only_statement ? "KILL QUERY " : "KILL ") + number);
  else
    control.execute((only_statement ? "SELECT pg_cancel_backend("
                                    : "SELECT pg_terminate_backend(") +
                    number + ")");
}

}  // namespace txscope::race
