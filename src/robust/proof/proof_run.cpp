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

void tell_open(Prover& prover, const std::vector<OpenTriple>& open,
               const Budget& budget, RobustResult& result) {
  result.obligations = prover.statistics().obligations;
  result.solver_seconds = prover.statistics().solver_seconds;
  if (prover.has_given_up()) {
    result.why = why_undecided(budget.reason());
    return;
  }
  if (open.empty()) {
    result.answer = Outcome::Holds;
    if (!prover.can_write()) result.vacuous_because = kNobodyWrites;
    return;
  }
  result.why =
      "some cycles of transaction types are not excluded, and no small client "
      "was found that runs into one";
  const std::vector<std::string>& names = prover.names();
  for (const auto& triple : open) result.open_cycles.push_back(triple.words);
  for (const auto& [a, b] : safe_pairs(names.size(), open))
    result.safe_pairs.emplace_back(names[a], names[b]);
  result.all_pairs = names.size() * (names.size() + 1) / 2;
  for (const auto& set : safe_sets(names.size(), open)) {
    std::string together;
    for (const std::size_t t : set)
      together += (together.empty() ? "" : ", ") + names[t];
    if (!together.empty()) result.safe_together.push_back(std::move(together));
  }
}

ProofRun::ProofRun(const sql::Application& application, const Profile* profile,
                   PivotLevel pivot, std::uint64_t loop_bound,
                   const Budget& budget)
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
  tell_open(prover, open_, budget_, result);
  if (prover.has_given_up()) open_.clear();  // what was not asked is no finding
  return result;
}

void ProofRun::find_client(RobustResult& result) const {
  if (!application_.assumptions.empty()) return;
  SearchQuestion asked;
  asked.loop_bound = loop_bound_;
  asked.notion = result.notion;
  asked.granularity = result.granularity;
  const auto shows = [&](const sql::Application& client) {
    if (profile_ != nullptr) {
      auto found = search_profile(client, *profile_, Notion::Outcome,
                                  loop_bound_, budget_);
      if (!found || found->answer != Outcome::Violated) return false;
      result.counterexample = std::move(found->counterexample);
      return true;
    }
    auto found = search_sql(client, asked, budget_);
    if (!found || found->answer.answer != Outcome::Violated) return false;
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
    result.answer = Outcome::Violated;
    result.why.clear();
    return;
  }
}

}  // namespace txscope::robust
