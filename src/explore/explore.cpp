#include "explore/explore.h"

#include <algorithm>
#include <chrono>

#include "explore/engine.h"
#include "explore/explain.h"

namespace txscope {
namespace {

/// Calls after which a search may end once it has found a violation: about a
/// second, so that the histories of small programs are always all counted.
constexpr std::uint64_t kEnough = 4'000'000;

std::vector<InstanceId> all_instances(const Code& code) {
  std::vector<InstanceId> all;
  for (std::size_t i = 1; i < code.instances.size(); ++i) {
    all.emplace_back(i);
  }
  return all;
}

LevelResult to_level_result(const Program& program, const EngineResult& from,
                            std::size_t index, Base level) {
  const LevelCounts& counts = from.counts[index];
  LevelResult out;
  out.level = level;
  out.histories = counts.histories;
  out.end_states = from.end_states;
  out.filtered = counts.filtered;
  out.discarded = counts.discarded;
  out.faulted = counts.faulted;
  out.cut = counts.cut;
  out.blocked = from.search.blocked;
  out.explored = from.search.explored;
  out.duplicates = from.duplicates;
  out.is_complete = from.is_finished && counts.cut == 0;
  out.spent = from.is_finished ? Spent::Nothing : from.spent;
  const bool has_finding =
      std::any_of(from.findings.begin(), from.findings.end(),
                  [level](const Finding& f) { return f.level == level; });
  out.verdict = has_finding       ? Outcome::Violated
                : out.is_complete ? Outcome::Holds
                                  : Outcome::Undecided;
  for (std::size_t p = 0; p < program.properties.size(); ++p) {
    PropertyResult row;
    row.property = PropertyId(p);
    row.violating = counts.violating[p];
    row.verdict = row.violating > 0 ? Outcome::Violated
                  : out.is_complete ? Outcome::Holds
                                    : Outcome::Undecided;
    out.properties.push_back(row);
  }
  return out;
}

/// A violation is worth a moment even if the time for the search is up.
Budget explaining_budget(const Budget& budget) {
  if (budget.spent_now() && budget.reason() == Spent::Time) {
    return Budget({std::chrono::milliseconds(500), std::nullopt});
  }
  return budget;
}

/// The first violation of a level, or with `all` every one.
void explain(const Program& program, const Code& code,
             const EngineResult& found, const ExploreOptions& options,
             const Budget& search_budget, LevelResult& level) {
  const Budget budget = explaining_budget(search_budget);
  for (const Finding& finding : found.findings) {
    if (finding.level != level.level) continue;
    Violation violation =
        explain_finding(program, code, finding, options.loop_bound, budget);
    const auto& property = finding.target.property;
    if (property && options.all) {
      violation.violating = level.properties[property->index].violating;
    }
    level.violations.push_back(std::move(violation));
    if (!options.all) return;
  }
}

/// What a stronger level allows, a weaker one does, too: where a search was
/// not finished, its violations are taken over.
void infer_violations(ExploreResult& result) {
  for (LevelResult& weak : result.levels) {
    for (const LevelResult& strong : result.levels) {
      if (weak.level == strong.level || strong.verdict != Outcome::Violated ||
          weak.is_complete || !implies({strong.level}, {weak.level})) {
        continue;
      }
      for (std::size_t p = 0; p < weak.properties.size(); ++p) {
        if (strong.properties[p].verdict == Outcome::Violated) {
          weak.properties[p].verdict = Outcome::Violated;
        }
      }
      if (weak.violations.empty()) weak.violations = strong.violations;
      weak.verdict = Outcome::Violated;
    }
  }
}

}  // namespace

Result<ExploreResult> explore(const Program& program,
                              const ExploreOptions& options,
                              const Budget& budget) {
  const auto code = compile(program);
  if (!code) return code.error();
  return explore(program, *code, options, budget);
}

ExploreResult explore(const Program& program, const Code& code,
                      const ExploreOptions& options, const Budget& budget) {
  ExploreResult result;
  result.levels.resize(options.levels.size());
  // Strong levels have fewer histories, so they come first if time is short.
  for (const Base explored : {Base::Causal, Base::ReadAtomic,
                              Base::MonotonicAtomicView, Base::ReadCommitted}) {
    EngineTask task;
    task.explored = explored;
    std::vector<std::size_t> served;
    for (std::size_t i = 0; i < options.levels.size(); ++i) {
      if (std::min(options.levels[i], Base::Causal) != explored) continue;
      served.push_back(i);
      task.levels.push_back(options.levels[i]);
    }
    if (served.empty()) continue;
    task.active = all_instances(code);
    task.loop_bound = options.loop_bound;
    task.algorithm = options.algorithm;
    task.jobs = options.jobs;
    task.counts_all = options.all;
    task.self_check = options.self_check;
    if (!options.all) task.enough = kEnough;
    task.on_history = options.on_history;
    task.on_progress = options.on_progress;
    const EngineResult found = run_engine(program, code, task, budget);
    for (std::size_t k = 0; k < served.size(); ++k) {
      LevelResult& level = result.levels[served[k]];
      level = to_level_result(program, found, k, task.levels[k]);
      if (options.explains) {
        explain(program, code, found, options, budget, level);
      }
    }
  }
  infer_violations(result);
  return result;
}

namespace {

template <std::size_t W>
double average_leaves(const Code& code, Base level, unsigned walks,
                      std::uint64_t loop_bound, std::uint64_t seed,
                      const Budget& budget) {
  typename Search<W>::Options options;
  options.level = std::min(level, Base::Causal);
  options.loop_bound = loop_bound;
  for (const InstanceId i : all_instances(code)) options.active.set(i.index);
  Search<W> search(code, options, budget);
  Random random(seed);
  double sum = 0;
  unsigned done = 0;
  while (done < walks && !budget.spent_now()) {
    sum += search.random_walk(random);
    ++done;
  }
  return done == 0 ? 0 : sum / done;
}

}  // namespace

Result<double> estimate_end_states(const Program& program, Base level,
                                   unsigned walks, std::uint64_t loop_bound,
                                   std::uint64_t seed, const Budget& budget) {
  const auto code = compile(program);
  if (!code) return code.error();
  const auto with = [&](auto function) {
    return function(*code, level, walks, loop_bound, seed, budget);
  };
  const std::size_t n = code->instances.size();
  if (n <= 64) return with(average_leaves<1>);
  if (n <= 256) return with(average_leaves<4>);
  return with(average_leaves<64>);
}

}  // namespace txscope
