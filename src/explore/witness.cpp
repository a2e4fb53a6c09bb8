#include "explore/witness.h"

namespace txscope::explore {
namespace {

template <std::size_t W, std::size_t V>
std::optional<HistoryWitness> find(const exec::Script& script,
                                   const WorkItem& history,
                                   std::span<const exec::InstanceId> active,
                                   Base level,
                                   std::optional<std::size_t> invariant,
                                   std::uint64_t loop_bound,
                                   const Budget& budget) {
  typename HistorySearch<W>::Options options;
  options.level = std::min(level, Base::Causal);
  options.loop_bound = loop_bound;
  for (const exec::InstanceId i : active) options.active.set(i.index);
  HistorySearch<W> search(script, options, budget);
  search.load(history);
  LeafJudge<W, V> judge(script, {{level}, true}, budget, {}, {});
  auto found = judge.witness(search, level, invariant);
  if (!found) return std::nullopt;
  return HistoryWitness{std::move(found->precedes), std::move(found->finals)};
}

}  // namespace

std::optional<HistoryWitness> find_witness(
    const exec::Script& script, const WorkItem& history,
    std::span<const exec::InstanceId> active, Base level,
    std::optional<std::size_t> invariant, std::uint64_t loop_bound,
    const Budget& budget) {
  const std::size_t n = script.instances.size();
  const auto with = [&](auto function) {
    return function(script, history, active, level, invariant, loop_bound,
                    budget);
  };
  if (n <= 32) return with(find<1, 1>);
  if (n <= 64) return with(find<1, 2>);
  return with(find<64, 128>);
}

}  // namespace txscope::explore
