#include "analyze/type_proof.h"

#include <algorithm>
#include <variant>

#include "analyze/level_table.h"
#include "model/sql/walk.h"
#include "robust/proof/prover.h"

namespace txscope::analyze {
namespace {

using robust::OpenTriple;
using robust::PivotLevel;

/// `numbers`: which type each of the prover's is.
void add_open(const std::vector<OpenTriple>& open,
              const std::vector<std::size_t>& numbers, TypeProof& proof) {
  for (const auto& [a, b] : robust::safe_pairs(numbers.size(), open))
    proof.safe_pairs.emplace(numbers[a], numbers[b]);
  proof.open.emplace();
  for (const OpenTriple& one : open) {
    Group group = {numbers[one.pivot], numbers[one.second], numbers[one.last]};
    std::sort(group.begin(), group.end());
    proof.open->insert(std::move(group));
  }
}

/// It is more than one transaction, through whomever it calls: no level makes
/// it one.
bool commits_inside(const sql::Application& application, sql::RoutineId id,
                    std::set<std::uint32_t>& seen) {
  if (!seen.insert(id.index).second) return false;
  bool found = false;
  sql::for_each_pl(application.at(id).body, [&](const sql::PlStatement& s) {
    const auto* call = std::get_if<sql::PlCall>(&s.what);
    found =
        found || std::holds_alternative<sql::PlEnd>(s.what) ||
        (call != nullptr && commits_inside(application, call->routine, seen));
  });
  return found;
}

void except_those_that_commit(const sql::Application& application,
                              const std::vector<sql::RoutineId>& routines,
                              std::vector<LevelTable::Need>& needs) {
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::set<std::uint32_t> seen;
    if (!commits_inside(application, routines[i], seen)) continue;
    needs[i].level.clear();
    needs[i].reason = "it commits in the middle: no level makes it one";
  }
}

}  // namespace

TypeProof prove_types(const sql::Application& application,
                      const std::vector<TransactionType>& types,
                      const Profile& profile, const Budget& budget) {
  TypeProof proof;
  if (profile.product != Product::PostgreSql) return proof;
  std::vector<sql::RoutineId> routines;
  std::vector<std::size_t> numbers;
  for (std::size_t t = 0; t < types.size(); ++t) {
    if (!types[t].not_checked.empty()) continue;
    routines.push_back(types[t].routine);
    numbers.push_back(t);
  }
  if (routines.empty()) return proof;
  robust::Prover prover(application, routines, robust::Granularity::Result,
                        true, budget);
  // That of the level in use first, for the budget may end at the other.
  const bool is_committed = profile.isolation == Isolation::ReadCommitted;
  const auto own = prover.open_triples(is_committed ? PivotLevel::ReadCommitted
                                                    : PivotLevel::Snapshot);
  if (prover.has_given_up()) return proof;
  if (profile.isolation != Isolation::Serializable)
    add_open(own, numbers, proof);
  const auto other = prover.open_triples(
      is_committed ? PivotLevel::Snapshot : PivotLevel::ReadCommitted);
  if (prover.has_given_up()) return proof;
  proof.needs = is_committed ? level_needs(prover.names(), own, other)
                             : level_needs(prover.names(), other, own);
  except_those_that_commit(application, routines, proof.needs);
  return proof;
}

}  // namespace txscope::analyze
