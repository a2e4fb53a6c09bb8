#include "verify/sql/identical_sessions.h"

#include <algorithm>
#include <set>

namespace txscope::verify {
namespace {

bool is_same(const sql::Session& a, const sql::Session& b) {
  return std::ranges::equal(
      a.calls, b.calls, [](const sql::Call& x, const sql::Call& y) {
        return x.routine == y.routine && x.arguments == y.arguments &&
               x.open == y.open;
      });
}

}  // namespace

std::vector<std::vector<std::uint32_t>> identical_sessions(
    const sql::Application& application) {
  const sql::Schema& schema = application.schema;
  std::vector<std::vector<std::uint32_t>> out;
  // Hidden numbers belong to their transaction: then none is like another.
  if (!schema.sequences.empty()) return out;
  for (const sql::Table& table : schema.tables) {
    if (!table.has_primary_key) return out;
  }
  std::set<std::size_t> named;
  for (const auto* list : {&application.properties, &application.assumptions}) {
    for (const sql::Property& p : *list) {
      for (const sql::VariableRef& ref : p.variables) named.insert(ref.session);
    }
  }
  std::vector<bool> is_done(application.sessions.size());
  for (std::uint32_t s = 0; s < is_done.size(); ++s) {
    if (is_done[s] || named.contains(s)) continue;
    std::vector<std::uint32_t> group = {s};
    for (std::uint32_t u = s + 1; u < is_done.size(); ++u) {
      if (is_done[u] || named.contains(u) ||
          !is_same(application.sessions[s], application.sessions[u])) {
        continue;
      }
      is_done[u] = true;
      group.push_back(u);
    }
    if (group.size() > 1) {
      out.push_back(std::move(group));
    }
  }
  return out;
}

}  // namespace txscope::verify
