#include "robust/proof/proof_run.h"

#include <utility>

#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/clients.h"
#include "robust/search_sql.h"

namespace txscope::robust {
namespace {

constexpr std::size_t kMostClients = 60;  // per cycle that is left
constexpr std::size_t kMostTriples = 12;

}  // namespace

ProofRun::ProofRun(const sql::Application& application,
                   const engine::Profile* profile, PivotLevel pivot,
                   std::uint64_t loop_bound, const Budget& budget)
    : application_(application),
      profile_(profile),
      pivot_(pivot),
      loop_bound_(loop_bound),
      budget_(budget),
      types_(transaction_types(application)) {}

RobustResult ProofRun::prove(RobustResult result) {
  result.method = Method::Proof;
  Prover prover(application_, types_, result.granularity, profile_ != nullptr,
                budget_);
  open_ = prover.open_triples(pivot_);
  result.obligations = prover.statistics().obligations;
  result.solver_seconds = prover.statistics().solver_seconds;
  if (open_.empty() && !prover.has_given_up()) {
    result.answer = Answer::Robust;
    return result;
  }
  if (prover.has_given_up()) {  // what was not asked is no finding
    result.why = why_undecided(budget_.reason());
    open_.clear();
    return result;
  }
  result.why =
      "some cycles of transaction types are not excluded, and no small client "
      "was found that runs into one";
  for (const auto& triple : open_) result.open_cycles.push_back(triple.words);
  for (const auto& [a, b] : safe_pairs(types_.size(), open_)) {
    result.safe_pairs.emplace_back(prover.names()[a], prover.names()[b]);
  }
  result.all_pairs = types_.size() * (types_.size() + 1) / 2;
  for (const auto& set : safe_sets(types_.size(), open_)) {
    std::string names;
    for (const std::size_t t : set)
      names += (names.empty() ? "" : ", ") + prover.names()[t];
    if (!names.empty()) result.safe_together.push_back(std::move(names));
  }
  return result;
}

void ProofRun::find_client(RobustResult& result) const {
  if (!application_.assumptions.empty()) return;
  // The search sees whole rows; whether results show it, an engine tells that
  // runs at snapshot isolation.
  const engine::Profile* profile = profile_;
  if (profile == nullptr && result.granularity != Granularity::Row)
    profile = *engine::parse_profile("postgresql:repeatable-read");
  SearchQuestion asked;
  asked.loop_bound = loop_bound_;
  const auto shows = [&](const sql::Application& client) {
    if (profile != nullptr) {
      auto found = search_profile(client, *profile, Notion::Outcome,
                                  loop_bound_, budget_);
      if (!found || found->answer != Answer::NotRobust) return false;
      result.counterexample = std::move(found->counterexample);
      return true;
    }
    auto found = search_sql(client, asked, budget_);
    if (!found || found->answer.answer != Answer::NotRobust) return false;
    const auto& rows = *found->exploration;
    result.counterexample =
        explain(rows, asked, found->answer, &client, budget_);
    return true;
  };
  for (std::size_t i = 0; i < open_.size() && i < kMostTriples; ++i) {
    if (!try_clients(application_, types_, open_[i], kMostClients, budget_,
                     shows)) {
      continue;
    }
    result.answer = Answer::NotRobust;
    result.why.clear();
    return;
  }
}

}  // namespace txscope::robust
