#include <algorithm>
#include <cstddef>
#include <optional>

#include "tla/search/model_search.h"
#include "tla/search/simulation.h"

namespace txscope::tla {
namespace {

using Ran = Simulation::Ran;
using End = Simulation::End;

/// Behaviours of each rank between two rounds.
constexpr std::uint64_t kRound = 64;
constexpr std::uint32_t kDepth = 100;  // as in TLC

/// What a round of all ranks says: behaviour i of it ran on rank i % ranks.
/// Each rank ends its part with its first behaviour that is not done.
struct Round {
  std::vector<std::vector<Ran>> by_rank;

  [[nodiscard]] const Ran* at(std::uint64_t i) const {
    const auto& runs = by_rank[i % by_rank.size()];
    const auto k = static_cast<std::size_t>(i / by_rank.size());
    return k < runs.size() ? &runs[k] : nullptr;
  }
  /// The first that did not end like all others; one that was only stopped
  /// counts if nothing was found.
  [[nodiscard]] std::optional<std::uint64_t> end(std::uint64_t size) const {
    std::optional<std::uint64_t> stopped;
    for (std::uint64_t i = 0; i < size; ++i) {
      const Ran* const ran = at(i);
      if (ran == nullptr || ran->end == End::Done) continue;
      if (ran->end != End::Stopped) return i;
      if (!stopped) stopped = i;
    }
    return stopped;
  }
};

/// Behaviours `first` to `first + size`, by all ranks or by one alone.
Round run_round(Simulation& simulation, transport::Group* group,
                std::uint64_t first, std::uint64_t size, const Budget& budget) {
  const std::uint64_t ranks = group != nullptr ? group->size() : 1;
  std::vector<Ran> mine;
  for (std::uint64_t i = group != nullptr ? group->rank() : 0; i < size;
       i += ranks) {
    mine.push_back(simulation.attempt(first + i, budget));
    if (mine.back().end != End::Done) break;
  }
  if (group == nullptr) return {{std::move(mine)}};
  Round round;
  for (const std::string& bytes : group->all_gather(packed(mine)))
    round.by_rank.push_back(unpacked_runs(bytes));
  return round;
}

}  // namespace

/// All ranks do this together, or one alone; rank 0 tells what was found.
void ModelSearch::simulate(ModelResult& result) {
  Worker& worker = *workers_[0];
  const Behaviour& behaviour = worker.behaviour();
  if (behaviour.periodic != nullptr)
    fail(behaviour.periodic->spot,
         "_PERIODIC " + behaviour.periodic->name +
             " is not supported with --simulate",
         "a result must not depend on the clock");
  Simulation simulation(worker, shared_, request_.seed,
                        request_.max_depth.value_or(kDepth));
  if (!simulation.has_start()) {
    result.emptiness = "there is no initial state";
    return;
  }
  const std::uint64_t most =
      kRound * (group_ != nullptr ? group_->size() : std::uint64_t{1});
  std::uint64_t generated = worker.generated;
  std::optional<std::uint64_t> ended;
  End how = End::Done;
  for (std::uint64_t first = 0; first < *request_.simulate && !ended;
       first += most) {
    const std::uint64_t size = std::min(*request_.simulate - first, most);
    const Round round = run_round(simulation, group_, first, size, budget_);
    ended = round.end(size);
    if (ended) how = round.at(*ended)->end;
    for (std::uint64_t i = 0; i < (ended ? *ended + 1 : size); ++i) {
      const Ran* const ran = round.at(i);
      if (ran == nullptr) continue;
      generated += ran->generated;
      result.depth = std::max(result.depth, ran->depth);
      if (ran->end == End::Done) ++result.behaviours;
    }
    if (ended) ended = first + *ended;
  }
  share_what_was_seen(result);
  worker.generated = generated;
  if (!ended || (group_ != nullptr && group_->rank() != 0)) return;
  if (how == End::Stopped) throw Stopped{};
  for (auto& one : workers_) one->evaluator().set_counting(false);
  // What another rank found, or what could not be evaluated, is made again.
  if (group_ != nullptr || how == End::Failed)
    simulation.run(*ended, Budget::unlimited());
  worker.generated = generated;
  if (!worker.finding) {
    result.trouble =
        "a behaviour went wrong, and not when it was made again: it depends on "
        "more than its states, such as what TLCSet stored";
    return;
  }
  tell(result, *worker.finding);
  finish_trace(result, retrace(worker, simulation.path()));
}

/// What is asked about all behaviours, whichever rank they ran on.
void ModelSearch::share_what_was_seen(ModelResult& result) {
  if (group_ == nullptr) return;
  Worker& worker = *workers_[0];
  std::string mine(1, worker.is_cut() ? '1' : '0');
  for (const bool happened : worker.happened()) mine += happened ? '1' : '0';
  const std::uint64_t assertions = worker.evaluator().assertions();
  const auto all = group_->all_gather(mine + std::to_string(assertions));
  std::uint64_t sum = 0;
  for (const std::string& one : all) {
    result.is_cut_by_constraint |= one[0] == '1';
    std::vector<bool> happened;
    for (std::size_t i = 1; i < mine.size(); ++i)
      happened.push_back(one[i] == '1');
    worker.restore_happened(happened);
    sum += std::stoull(one.substr(mine.size()));
  }
  result.assertions += sum - assertions;  // its own are added later
}

}  // namespace txscope::tla
