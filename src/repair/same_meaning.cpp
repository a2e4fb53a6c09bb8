#include "repair/same_meaning.h"

#include <algorithm>
#include <numeric>

namespace txscope::repair {
namespace {

constexpr std::size_t kMostOrders = 24;

/// The calls of a session together, sessions in this order.
std::vector<std::uint32_t> calls_in(const sql::Application& application,
                                    const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> calls;
  for (const std::uint32_t session : order)
    calls.insert(calls.end(), application.sessions[session].calls.size(),
                 session);
  return calls;
}

bool have_same_rows(const sql::SerialRun& a, const sql::Application& old,
                    const sql::SerialRun& b, const sql::Application& changed) {
  const auto& tables = old.schema.tables;
  const auto& others = changed.schema.tables;
  if (tables.size() != others.size()) return false;
  for (std::uint32_t t = 0; t < tables.size(); ++t)
    if (tables[t].name != others[t].name ||
        a.database.rows(TableId{t}) != b.database.rows(TableId{t}))
      return false;
  return true;
}

bool end_alike(const sql::SerialRun& a, const sql::SerialRun& b) {
  return std::equal(a.ran.begin(), a.ran.end(), b.ran.begin(), b.ran.end(),
                    [](const auto& one, const auto& other) {
                      if (one.kind != other.kind) return false;
                      return one.kind != sql::Request::Kind::Failed ||
                             one.process.error().sqlstate ==
                                 other.process.error().sqlstate;
                    });
}

}  // namespace

bool do_the_same_serially(const sql::MemoryDatabase& before,
                          const sql::Application& old,
                          const sql::MemoryDatabase& after,
                          const sql::Application& changed,
                          const Budget& budget) {
  if (old.sessions.size() != changed.sessions.size()) return false;
  std::vector<std::uint32_t> order(old.sessions.size());
  std::iota(order.begin(), order.end(), 0);
  std::size_t orders = 0;
  do {
    const auto calls = calls_in(old, order);
    const auto a = sql::run_serially(before, old, calls, budget);
    const auto b = sql::run_serially(after, changed, calls, budget);
    if (!end_alike(a, b) || !have_same_rows(a, old, b, changed)) return false;
  } while (++orders < kMostOrders &&
           std::next_permutation(order.begin(), order.end()));
  return true;
}

}  // namespace txscope::repair
