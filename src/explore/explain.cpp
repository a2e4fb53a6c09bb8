#include "explore/explain.h"

#include <algorithm>
#include <cassert>

#include "check/anomaly/name_anomaly.h"
#include "explore/schedule.h"

namespace txscope::explore {
namespace {

constexpr std::size_t kMaxSerialRuns = 120;
constexpr std::uint64_t kShortestEffort = 200'000;  // calls

/// The shortest history of the reduced program that shows the finding.
Finding shortest(const exec::Script& script, const Finding& finding,
                 const std::vector<exec::InstanceId>& instances,
                 std::uint64_t loop_bound, const Budget& budget) {
  EngineTask task;
  task.explored = std::min(finding.level, Base::Causal);
  task.levels = {finding.level};
  task.active = instances;
  task.loop_bound = loop_bound;
  task.target = finding.target;
  task.wants_shortest = true;
  task.limit = kShortestEffort;
  EngineResult result = run_engine(script, task, budget);
  if (result.findings.empty()) return finding;  // the budget ended
  return std::move(result.findings.front());
}

struct Shown {
  HistoryWitness witness;
  std::optional<std::size_t> condition;  // an invariant that it breaks
};

std::optional<Shown> find_shown(const exec::Script& script,
                                const Finding& finding,
                                const std::vector<exec::InstanceId>& instances,
                                std::uint64_t loop_bound) {
  const Budget budget = Budget::unlimited();
  const auto witness = [&](std::optional<std::size_t> invariant) {
    return find_witness(script, finding.history, instances, finding.level,
                        invariant, loop_bound, budget);
  };
  const bool needs_state =
      finding.target.property &&
      std::any_of(script.conditions.begin(), script.conditions.end(),
                  [&](const exec::Script::Condition& c) {
                    return c.property == *finding.target.property &&
                           c.needs_state();
                  });
  if (!needs_state) {
    auto found = witness(std::nullopt);
    if (!found) return std::nullopt;
    return Shown{std::move(*found), std::nullopt};
  }
  for (std::size_t i = 0; i < script.conditions.size(); ++i) {
    if (script.conditions[i].property != *finding.target.property) continue;
    if (!script.conditions[i].needs_state()) continue;
    if (auto found = witness(i)) return Shown{std::move(*found), i};
  }
  // It may be another condition of that name that is false.
  auto found = witness(std::nullopt);
  if (!found) return std::nullopt;
  return Shown{std::move(*found), std::nullopt};
}

/// Who committed the last version of a row.
exec::InstanceId last_writer(const TimedHistory& timeline, KeyId key) {
  exec::InstanceId writer = exec::kInit;
  for (const exec::InstanceId t : timeline.commit_order) {
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

Counterexample::Kind kind_of(PropertyKind kind) {
  if (kind == PropertyKind::Exists) return Counterexample::Kind::Witness;
  return kind == PropertyKind::Invariant ? Counterexample::Kind::Invariant
                                         : Counterexample::Kind::Assert;
}

/// The slots of finished transactions, by InstanceId.
std::vector<const std::int64_t*> slots_of(const exec::Script& script,
                                          const ScheduledRun& execution) {
  std::vector<const std::int64_t*> slots(script.instances.size(), nullptr);
  for (const ScheduledRun::Txn& txn : execution.txns) {
    slots[txn.instance.index] = txn.slots.data();
  }
  return slots;
}

/// A top-level assert that is false, if there is one.
std::optional<std::size_t> failing_condition(
    const exec::Script& script, PropertyId property,
    std::span<const std::int64_t* const> slots) {
  const Budget budget = Budget::unlimited();
  const auto runner = script.make_runner(1, budget);
  std::vector<std::int64_t> scratch(script.max_slots + 1);
  for (std::size_t i = 0; i < script.conditions.size(); ++i) {
    if (script.conditions[i].property == property &&
        !runner->holds(i, script.initial, slots.data(), scratch.data())) {
      return i;
    }
  }
  return std::nullopt;
}

/// The place of an assert in a transaction that failed.
Span failing_assert(const TimedHistory& timeline, PropertyId property) {
  for (const ScheduleStep& step : timeline.steps) {
    if (step.kind == ScheduleStep::Kind::AssertFailed &&
        step.property == property) {
      return step.at;
    }
  }
  return {};
}

/// What a run shows, and what must be asked of serial runs to compare.
class Description {
 public:
  Description(const Subject& subject, const Finding& finding,
              const Shown& shown, const ScheduledRun& execution,
              const TimedHistory& timeline)
      : subject_(subject),
        script_(subject.script()),
        finding_(finding),
        shown_(shown),
        timeline_(timeline),
        slots_(slots_of(script_, execution)) {}

  SerialQuestion fill(Counterexample& out) {
    SerialQuestion question{finding_.target, {}, {}};
    out.steps = subject_.steps(timeline_.steps);
    for (const exec::InstanceId i : timeline_.commit_order) {
      out.commit_order.push_back(*subject_.call(i));
    }
    if (!finding_.target.property) {
      fault(out);
      return question;
    }
    const PropertyId id = *finding_.target.property;
    const Property& property = subject_.workload().properties[id.index];
    out.property = id;
    out.name = property.name;
    out.kind = kind_of(property.kind);
    out.value = out.kind == Counterexample::Kind::Witness ? "true" : "false";
    question.condition = shown_.condition
                             ? shown_.condition
                             : failing_condition(script_, id, slots_);
    if (!question.condition) {
      out.at = failing_assert(timeline_, id);
      return question;
    }
    out.at = script_.conditions[*question.condition].at;
    out.variables =
        subject_.variables(*question.condition, slots_, timeline_.steps);
    if (shown_.condition) finals(question, out);
    if (shown_.condition && out.value == "false")
      out.numbers =
          subject_.numbers(*question.condition, out.finals, out.variables);
    return question;
  }

 private:
  void fault(Counterexample& out) const {
    out.kind = Counterexample::Kind::Error;
    const Budget budget = Budget::unlimited();
    out.at = script_.make_runner(1, budget)->place(finding_.target.pc);
    for (const ScheduleStep& step : timeline_.steps) {
      if (step.kind == ScheduleStep::Kind::Fault) {
        out.name = std::string(describe(step.fault));
      }
    }
  }

  void finals(SerialQuestion& question, Counterexample& out) const {
    std::vector<FinalValue> values;
    for (const std::uint32_t key :
         script_.conditions[*question.condition].keys) {
      question.rows.emplace_back(key);
      values.push_back({KeyId(key), shown_.witness.finals[key],
                        last_writer(timeline_, KeyId(key))});
    }
    out.finals = subject_.finals(values);
  }

  const Subject& subject_;
  const exec::Script& script_;
  const Finding& finding_;
  const Shown& shown_;
  const TimedHistory& timeline_;
  const std::vector<const std::int64_t*> slots_;
};

}  // namespace

Counterexample explain_finding(const Subject& subject, const Finding& finding,
                               std::uint64_t loop_bound, const Budget& budget) {
  const exec::Script& script = subject.script();
  Counterexample out;
  out.level = name(finding.level);
  out.all_calls = script.instances.size() - 1;
  const Finding small =
      shortest(script, finding, reduce(script, finding, loop_bound, budget),
               loop_bound, budget);
  std::vector<exec::InstanceId> instances;
  for (const WorkItem::Txn& txn : small.history.txns) {
    instances.emplace_back(txn.instance);
  }
  std::sort(instances.begin(), instances.end());
  for (const exec::InstanceId i : instances)
    out.calls.push_back(*subject.call(i));
  const auto shown = find_shown(script, small, instances, loop_bound);
  assert(shown && "a finding can be shown");
  // One run, which the search has made before: it needs no budget.
  const ScheduledRun execution =
      run_history(script, small.history, loop_bound, Budget::unlimited());
  const TimedHistory timeline =
      make_timed_history(script, execution, shown->witness);
  const SerialQuestion question =
      Description(subject, small, *shown, execution, timeline).fill(out);
  out.serial = run_serially(subject, instances, question, loop_bound,
                            kMaxSerialRuns, budget);
  out.is_avoided_serially =
      !out.serial.empty() &&
      std::none_of(out.serial.begin(), out.serial.end(),
                   [](const SerialRun& run) { return run.is_violated; });
  out.replay_problem = replay_error(script, timeline.steps, loop_bound);
  check::name_anomaly(subject.workload(), finding.level, budget, out);
  return out;
}

}  // namespace txscope::explore
