#include "check/anomaly/name_anomaly.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "model/history_builder.h"

namespace txscope::check {
namespace {

/// The history of some steps; attempts that were given up are left out.
class ShownHistory {
 public:
  ShownHistory(const Workload& workload, const Counterexample& run,
               HistoryShown shown)
      : workload_(workload),
        run_(run),
        shown_(shown),
        builder_(workload.file) {}

  History build() {
    builder_.set_judge_aborted(shown_.judges_aborted);
    builder_.set_default_initial(builder_.atoms().of_int(0));
    std::set<CallRef> calls;
    for (const Step& step : run_.steps) calls.insert(step.call);
    number_versions();
    for (const CallRef call : calls) add(call);
    auto history = std::move(builder_).finish();
    assert(history && "a run is a history");
    return std::move(*history);
  }

 private:
  /// The last write of a transaction is the version that others read.
  void number_versions() {
    std::int64_t next = 0;
    for (const Step& step : run_.steps) {
      if (!counts(step)) continue;
      for (const RowUse& write : step.writes) {
        last_[{step.call, write.key}] = ++next;
        numbers_[&write] = next;
      }
    }
  }

  [[nodiscard]] bool counts(const Step& step) const {
    return std::none_of(
        run_.steps.begin(), run_.steps.end(), [&](const Step& other) {
          return other.call == step.call && other.attempt > step.attempt;
        });
  }

  void add(CallRef call) {
    const bool is_committed = std::any_of(
        run_.steps.begin(), run_.steps.end(), [&](const Step& step) {
          return step.call == call && step.kind == Step::Kind::Commit;
        });
    AtomTable& atoms = builder_.atoms();
    builder_.begin(builder_.session(
        atoms.of_string(workload_.sessions[call.session].name)));
    builder_.set_name(atoms.of_string(workload_.name(call)));
    own_.clear();
    for (const Step& step : run_.steps) {
      if (step.call == call && counts(step)) add(step);
    }
    builder_.end(is_committed ? Status::Committed : Status::Aborted);
  }

  void add(const Step& step) {
    AtomTable& atoms = builder_.atoms();
    for (const RowUse& read : step.reads) {
      if (shown_.only_what_clients_saw && overwrites(step, read)) continue;
      builder_.read(builder_.key(atoms.of_string(read.key)),
                    atoms.of_int(version_of(read)));
    }
    for (const RowUse& write : step.writes) {
      own_[write.key] = numbers_[&write];
      builder_.write(builder_.key(atoms.of_string(write.key)),
                     atoms.of_int(numbers_[&write]));
    }
  }

  static bool overwrites(const Step& step, const RowUse& read) {
    return std::any_of(step.writes.begin(), step.writes.end(),
                       [&](const RowUse& w) { return w.key == read.key; });
  }

  std::int64_t version_of(const RowUse& read) {
    if (read.is_own) return own_[read.key];
    if (!read.writer) return 0;
    return last_[{*read.writer, read.key}];
  }

  const Workload& workload_;
  const Counterexample& run_;
  const HistoryShown shown_;
  HistoryBuilder builder_;
  std::map<std::pair<CallRef, std::string>, std::int64_t> last_;
  std::map<const RowUse*, std::int64_t> numbers_;
  std::map<std::string, std::int64_t> own_;
};

bool name_with(const Workload& workload, std::optional<Base> level,
               HistoryShown shown, const Budget& budget, Counterexample& run) {
  const History history = history_of(workload, run, shown);
  for (const Base base : all_bases()) {
    // Levels that are no weaker; prefix and parallel-snapshot are neither.
    if (level && implies({*level}, {base})) continue;
    const Verdict verdict = check(history, {base}, budget);
    if (verdict.outcome() == Outcome::Undecided) return true;
    if (verdict.outcome() == Outcome::Holds) continue;
    run.refused_by = base;
    run.anomaly = anomaly_of(history, {base}, verdict.refutation());
    return true;
  }
  return false;
}

}  // namespace

History history_of(const Workload& workload, const Counterexample& run,
                   HistoryShown shown) {
  return ShownHistory(workload, run, shown).build();
}

void name_anomaly(const Workload& workload, std::optional<Base> level,
                  const Budget& budget, Counterexample& run) {
  if (run.calls.empty() || run.steps.empty() || run.replay_problem) return;
  // A theoretical level is one of histories with all reads.
  const bool is_theory = level.has_value();
  if (!is_theory && name_with(workload, level, {true, false}, budget, run))
    return;
  name_with(workload, level, {false, is_theory}, budget, run);
}

}  // namespace txscope::check
