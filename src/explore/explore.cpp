#include "explore/explore.h"

#include <algorithm>
#include <cmath>

#include "explore/engine.h"
#include "explore/explain.h"
#include "explore/on_ranks.h"

namespace txscope::explore {
namespace {

/// Calls after which a search may end once it has found a violation: about a
/// second, so that the histories of small programs are always all counted.
constexpr std::uint64_t kEnough = 4'000'000;

std::vector<exec::InstanceId> all_instances(const exec::Script& script) {
  std::vector<exec::InstanceId> all;
  for (std::size_t i = 1; i < script.instances.size(); ++i) {
    all.emplace_back(i);
  }
  return all;
}

PropertyKind kind_of(const Workload& workload, PropertyId property) {
  return workload.properties[property.index].kind;
}

bool is_witness(const Workload& workload, const Finding& finding) {
  const auto& property = finding.target.property;
  return property && kind_of(workload, *property) == PropertyKind::Exists;
}

Answer to_answer(const Workload& workload, const EngineResult& from,
                 std::size_t index, Base level) {
  const LevelCounts& counts = from.counts[index];
  Answer out = undecided_answer(workload, std::string(name(level)),
                                from.is_finished ? Spent::Nothing : from.spent);
  out.base = level;
  out.counts.histories = counts.histories;
  out.counts.end_states = from.end_states;
  out.counts.filtered = counts.filtered;
  out.counts.discarded = counts.discarded;
  out.counts.faulted = counts.faulted;
  out.counts.cut = counts.cut;
  out.counts.blocked = from.search.blocked;
  out.counts.explored = from.search.explored;
  out.counts.duplicates = from.duplicates;
  out.is_complete = from.is_finished && counts.cut == 0;
  const auto verdict = [&](bool is_violated) {
    if (is_violated) return Outcome::Violated;
    return out.is_complete ? Outcome::Holds : Outcome::Undecided;
  };
  bool is_violated = std::any_of(
      from.findings.begin(), from.findings.end(), [&](const Finding& f) {
        return f.level == level && !is_witness(workload, f);
      });
  for (PropertyAnswer& row : out.properties) {
    row.violating = counts.violating[row.property.index];
    if (kind_of(workload, row.property) == PropertyKind::Exists) {
      row.verdict = row.violating > 0 ? Outcome::Holds
                    : out.is_complete ? Outcome::Violated
                                      : Outcome::Undecided;
      is_violated |= row.verdict == Outcome::Violated;
    } else {
      row.verdict = verdict(row.violating > 0);
    }
  }
  out.outcome = verdict(is_violated);
  return out;
}

void tell_outcomes(const Observed& observed, const LevelCounts& counts,
                   Answer& answer) {
  for (const auto& [seen, count] : counts.outcomes) {
    SeenEnd end;
    end.histories = count;
    for (std::size_t i = 0; i < seen.size(); ++i)
      end.values.push_back(
          {observed.names[i],
           seen[i] ? sql::Value::integer(*seen[i]) : sql::Value()});
    answer.ends.push_back(std::move(end));
  }
}

/// The first violation of a level, or with `all` every one, and a witness of
/// each thing that has to exist.  They are told even if the time for the search
/// is up.
void explain(const Subject& subject, const EngineResult& found,
             const ExploreOptions& options, const Budget& search_budget,
             Answer& answer) {
  const Budget budget = search_budget.with_grace();
  for (const Finding& finding : found.findings) {
    if (finding.level != *answer.base) continue;
    const bool is_told = !options.all && !answer.counterexamples.empty();
    const bool is_wanted = is_witness(subject.workload(), finding);
    if (is_told && !is_wanted) continue;
    Counterexample example =
        explain_finding(subject, finding, options.loop_bound, budget);
    if (is_wanted) {
      answer.witnesses.push_back(std::move(example));
      continue;
    }
    const auto& property = finding.target.property;
    if (property && options.all) {
      example.violating = answer.properties[property->index].violating;
    }
    answer.counterexamples.push_back(std::move(example));
  }
}

/// Whether some execution of the level is wrong; that something does not exist
/// says nothing of weaker levels.
bool shows_violation(const Workload& workload, const Answer& answer) {
  if (answer.outcome != Outcome::Violated) return false;
  bool misses_something = false;
  for (const PropertyAnswer& row : answer.properties) {
    if (row.verdict != Outcome::Violated) continue;
    if (kind_of(workload, row.property) != PropertyKind::Exists) return true;
    misses_something = true;
  }
  return !misses_something || !answer.counterexamples.empty();
}

/// What a stronger level allows, a weaker one does, too: where a search was
/// not finished, its violations and witnesses are taken over.
void infer_violations(const Workload& workload, std::vector<Answer>& answers) {
  for (Answer& weak : answers) {
    for (const Answer& strong : answers) {
      if (weak.level == strong.level || weak.is_complete || !strong.base ||
          !weak.base || !implies({*strong.base}, {*weak.base})) {
        continue;
      }
      for (std::size_t p = 0; p < weak.properties.size(); ++p) {
        const bool is_wanted =
            kind_of(workload, PropertyId(p)) == PropertyKind::Exists;
        const Outcome shown = is_wanted ? Outcome::Holds : Outcome::Violated;
        if (strong.properties[p].verdict == shown)
          weak.properties[p].verdict = shown;
      }
      if (!shows_violation(workload, strong)) continue;
      if (weak.counterexamples.empty()) {
        weak.counterexamples = strong.counterexamples;
      }
      weak.outcome = Outcome::Violated;
    }
  }
}

}  // namespace

Result<std::vector<Answer>> explore(const Program& program,
                                    const ExploreOptions& options,
                                    const Budget& budget) {
  const auto code = exec::compile(program);
  if (!code) return code.error();
  const Workload workload = workload_of(program);
  return explore(ProgramSubject(workload, *code), options, budget);
}

namespace {

// Strong levels have fewer histories, so they come first if time is short.
constexpr Base kSearches[] = {Base::Causal, Base::ReadAtomic,
                              Base::MonotonicAtomicView, Base::ReadCommitted};

/// The levels of the options, by place, that the search at `explored` serves.
std::vector<std::size_t> served_by(Base explored,
                                   const ExploreOptions& options) {
  std::vector<std::size_t> served;
  for (std::size_t i = 0; i < options.levels.size(); ++i)
    if (std::min(options.levels[i], Base::Causal) == explored)
      served.push_back(i);
  return served;
}

EngineTask task_of(const Subject& subject, Base explored,
                   const ExploreOptions& options, const Observed* observed) {
  EngineTask task;
  task.explored = explored;
  for (const std::size_t i : served_by(explored, options))
    task.levels.push_back(options.levels[i]);
  task.active = all_instances(subject.script());
  task.loop_bound = options.loop_bound;
  task.algorithm = options.algorithm;
  task.jobs = options.jobs;
  task.counts_all = options.all;
  task.self_check = options.self_check;
  task.observed = observed;
  if (!options.all && observed == nullptr) task.enough = kEnough;
  task.on_history = options.on_history;
  task.on_progress = options.on_progress;
  return task;
}

Answer undecided(const Subject& subject, Base level, const Budget& budget) {
  Answer answer = undecided_answer(subject.workload(), std::string(name(level)),
                                   budget.reason());
  answer.base = level;
  return answer;
}

}  // namespace

std::vector<Answer> explore(const Subject& subject,
                            const ExploreOptions& options,
                            const Budget& budget) {
  const exec::Script& script = subject.script();
  const std::optional<Observed> observed =
      options.outcomes ? subject.observed() : std::nullopt;
  const auto task = [&](std::uint64_t number) {
    return task_of(subject, kSearches[number], options,
                   observed ? &*observed : nullptr);
  };
  std::vector<Answer> answers;
  for (const Base level : options.levels)
    answers.push_back(undecided(subject, level, budget));
  std::optional<RankSearches> ranks;
  if (options.ranks != nullptr) ranks.emplace(*options.ranks);
  if (ranks && options.ranks->rank() != 0) {
    ranks->help(script, task, budget);
    return answers;
  }
  for (std::uint64_t number = 0; number < std::size(kSearches); ++number) {
    const std::vector<std::size_t> served =
        served_by(kSearches[number], options);
    if (served.empty()) continue;
    if (budget.spent_now()) {
      for (const std::size_t i : served)
        answers[i] = undecided(subject, options.levels[i], budget);
      continue;
    }
    const EngineTask what = task(number);
    const EngineResult found = ranks && RankSearches::can_share(what)
                                   ? ranks->lead(script, what, number, budget)
                                   : run_engine(script, what, budget);
    for (std::size_t k = 0; k < served.size(); ++k) {
      Answer& answer = answers[served[k]];
      answer = to_answer(subject.workload(), found, k, what.levels[k]);
      if (observed) tell_outcomes(*observed, found.counts[k], answer);
      if (options.on_answer) options.on_answer(answer);
      if (options.explains) explain(subject, found, options, budget, answer);
    }
  }
  if (ranks) ranks->dismiss();
  infer_violations(subject.workload(), answers);
  return answers;
}

namespace {

template <std::size_t W>
Estimate average_leaves(const exec::Script& script, Base level, unsigned walks,
                        std::uint64_t loop_bound, std::uint64_t seed,
                        const Budget& budget) {
  typename HistorySearch<W>::Options options;
  options.level = std::min(level, Base::Causal);
  options.loop_bound = loop_bound;
  for (const exec::InstanceId i : all_instances(script))
    options.active.set(i.index);
  HistorySearch<W> search(script, options, budget);
  Random random(seed);
  double sum = 0;
  double squares = 0;
  unsigned done = 0;
  while (done < walks && !budget.spent_now()) {
    const double leaves = search.random_walk(random);
    sum += leaves;
    squares += leaves * leaves;
    ++done;
  }
  if (done < 2) return {};
  const double mean = sum / done;
  const double variance = (squares - sum * mean) / (done - 1);
  return {mean, std::sqrt(std::max(variance, 0.0) / done)};
}

}  // namespace

Result<Estimate> estimate_end_states(const Program& program, Base level,
                                     unsigned walks, std::uint64_t loop_bound,
                                     std::uint64_t seed, const Budget& budget) {
  const auto code = exec::compile(program);
  if (!code) return code.error();
  const auto with = [&](auto function) {
    return function(*code, level, walks, loop_bound, seed, budget);
  };
  const std::size_t n = code->instances.size();
  if (n <= 64) return with(average_leaves<1>);
  return with(average_leaves<64>);
}

}  // namespace txscope::explore
