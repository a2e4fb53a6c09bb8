#include "explore/explain.h"

#include <algorithm>
#include <cassert>

#include "check/anomaly.h"
#include "check/check.h"
#include "explore/schedule.h"

namespace txscope {
namespace {

constexpr std::size_t kMaxSerialRuns = 120;
constexpr std::uint64_t kShortestEffort = 2'000'000;  // calls
constexpr std::size_t kMaxRows = 64;                  // of final values

/// The shortest history of the reduced program that shows the finding.
Finding shortest(const Program& program, const Code& code,
                 const Finding& finding,
                 const std::vector<InstanceId>& instances,
                 std::uint64_t loop_bound, const Budget& budget) {
  EngineTask task;
  task.explored = std::min(finding.level, Base::Causal);
  task.levels = {finding.level};
  task.active = instances;
  task.loop_bound = loop_bound;
  task.target = finding.target;
  task.wants_shortest = true;
  task.limit = kShortestEffort;
  EngineResult result = run_engine(program, code, task, budget);
  if (result.findings.empty()) return finding;  // the budget ended
  return std::move(result.findings.front());
}

struct Shown {
  HistoryWitness witness;
  std::optional<std::size_t> condition;  // an invariant that it breaks
};

std::optional<Shown> find_shown(const Program& program, const Code& code,
                                const Finding& finding,
                                const std::vector<InstanceId>& instances,
                                std::uint64_t loop_bound) {
  const Budget budget = Budget::unlimited();
  const auto witness = [&](std::optional<std::size_t> invariant) {
    return find_witness(program, code, finding.history, instances,
                        finding.level, invariant, loop_bound, budget);
  };
  const bool is_invariant =
      finding.target.property &&
      std::any_of(code.conditions.begin(), code.conditions.end(),
                  [&](const Code::Condition& c) {
                    return c.property == *finding.target.property &&
                           c.kind == PropertyKind::Invariant;
                  });
  if (!is_invariant) {
    auto found = witness(std::nullopt);
    if (!found) return std::nullopt;
    return Shown{std::move(*found), std::nullopt};
  }
  for (std::size_t i = 0; i < code.conditions.size(); ++i) {
    if (code.conditions[i].property != *finding.target.property) continue;
    if (auto found = witness(i)) return Shown{std::move(*found), i};
  }
  return std::nullopt;
}

/// Who committed the last version of a row.
InstanceId last_writer(const Timeline& timeline, KeyId key) {
  InstanceId writer = kInit;
  for (const InstanceId t : timeline.commit_order) {
    const bool commits = std::any_of(
        timeline.steps.begin(), timeline.steps.end(),
        [t](const ScheduleStep& s) {
          return s.instance == t && s.kind == ScheduleStep::Kind::Commit;
        });
    const bool writes = std::any_of(
        timeline.steps.begin(), timeline.steps.end(),
        [t, key](const ScheduleStep& s) {
          return s.instance == t && s.kind == ScheduleStep::Kind::Write &&
                 s.key == key;
        });
    if (commits && writes) writer = t;
  }
  return writer;
}

void describe_invariant(const Program& program, const Code& code,
                        const Shown& shown, const Timeline& timeline,
                        Violation& out) {
  const PropertyId property = code.conditions[*shown.condition].property;
  out.kind = program.at(property).kind == PropertyKind::Invariant
                 ? Violation::Kind::Invariant
                 : Violation::Kind::Assert;
  out.at = program.end_conditions[*shown.condition].at;
  for (const std::uint32_t key : code.conditions[*shown.condition].keys) {
    if (out.finals.size() == kMaxRows && !code.make_runner) break;
    out.finals.push_back({KeyId(key), shown.witness.finals[key],
                          last_writer(timeline, KeyId(key))});
  }
}

/// A top-level assert that is false, if there is one; else the one in a
/// transaction that failed.
void describe_assert(const Program& program, const Code& code,
                     const Execution& execution, const Timeline& timeline,
                     PropertyId property, Violation& out) {
  out.kind = Violation::Kind::Assert;
  std::vector<const std::int64_t*> locals(code.instances.size(), nullptr);
  for (const Execution::Txn& txn : execution.txns) {
    locals[txn.instance.index] = txn.slots.data();
  }
  const Budget budget = Budget::unlimited();
  const Machine machine(code, 1, budget);
  std::vector<std::int64_t> scratch(code.max_slots + 1);
  for (std::size_t i = 0; i < code.conditions.size(); ++i) {
    const Code::Condition& condition = code.conditions[i];
    if (condition.property != property ||
        machine.holds(condition, code.initial, locals.data(), scratch.data())) {
      continue;
    }
    out.at = program.end_conditions[i].at;
    for (const std::uint32_t ref : condition.local_refs) {
      const Code::Local& local = code.local_refs[ref];
      const std::string name =
          instance_name(program, code, local.instance) + "." +
          program.at(call_of(program, code, local.instance).transaction)
              .locals[local.local.index];
      const bool is_known =
          std::any_of(out.locals.begin(), out.locals.end(),
                      [&](const LocalValue& v) { return v.name == name; });
      if (is_known) continue;
      out.locals.push_back(
          {name, locals[local.instance.index][local.slot], ref});
    }
    return;
  }
  for (const ScheduleStep& step : timeline.steps) {
    if (step.kind == ScheduleStep::Kind::AssertFailed &&
        step.property == property) {
      out.at = step.at;
      return;
    }
  }
}

/// The first level that does not have the history, and its name for that.
void name_anomaly(const Program& program, const Code& code,
                  const Budget& budget, Violation& out) {
  if (out.instances.empty()) return;
  const History history = history_of(program, code, out.schedule);
  for (const Base level : all_bases()) {
    // Levels that are no weaker; prefix and parallel-snapshot are neither.
    if (implies({out.level}, {level})) continue;
    const Verdict verdict = check(history, {level}, budget);
    if (verdict.outcome() == Outcome::Undecided) return;
    if (verdict.outcome() == Outcome::Holds) continue;
    out.refused_by = level;
    out.anomaly = anomaly_of(history, {level}, verdict.refutation());
    return;
  }
}

}  // namespace

Violation explain_finding(const Program& program, const Code& code,
                          const Finding& finding, std::uint64_t loop_bound,
                          const Budget& budget) {
  Violation out;
  out.level = finding.level;
  out.all_instances = code.instances.size() - 1;
  out.instances = reduce(program, code, finding, loop_bound, budget);
  Finding small =
      shortest(program, code, finding, out.instances, loop_bound, budget);
  out.instances.clear();
  for (const WorkItem::Txn& txn : small.history.txns) {
    out.instances.emplace_back(txn.instance);
  }
  std::sort(out.instances.begin(), out.instances.end());
  auto shown = find_shown(program, code, small, out.instances, loop_bound);
  assert(shown && "a finding can be shown");
  const Execution execution =
      run_history(program, code, small.history, loop_bound, budget);
  Timeline timeline = make_timeline(code, execution, shown->witness);

  const auto& property = small.target.property;
  if (!property) {
    out.kind = Violation::Kind::Fault;
    out.at = code.places[small.target.pc];
    for (const ScheduleStep& step : timeline.steps) {
      if (step.kind == ScheduleStep::Kind::Fault) {
        out.name = std::string(describe(step.fault));
      }
    }
  } else {
    out.name = program.at(*property).name;
    if (shown->condition) {
      describe_invariant(program, code, *shown, timeline, out);
    } else {
      describe_assert(program, code, execution, timeline, *property, out);
    }
  }
  out.schedule = std::move(timeline.steps);
  out.commit_order = std::move(timeline.commit_order);
  out.serial = run_serially(program, code, out.instances, small.target, out,
                            loop_bound, kMaxSerialRuns);
  out.is_avoided_serially =
      !out.serial.empty() &&
      std::none_of(out.serial.begin(), out.serial.end(),
                   [](const SerialRun& run) { return run.is_violated; });
  name_anomaly(program, code, budget, out);
  out.replay_problem = replay_error(code, out.schedule, loop_bound);
  return out;
}

}  // namespace txscope
