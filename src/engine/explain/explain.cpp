#include "engine/explain/explain.h"

#include <algorithm>

#include "analysis/footprint.h"
#include "check/anomaly/name_anomaly.h"
#include "engine/explain/replay.h"
#include "engine/search/serial.h"
#include "engine/search/serial_difference.h"
#include "engine/search/shortest_path.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kMaxOrders = 720;
constexpr std::size_t kMaxSelections = 600;
constexpr std::uint64_t kStepsForSelections = 200'000;
constexpr std::uint64_t kStepsForSchedule = 200'000;

// All selections with `size` of the calls, in lexicographic order.
std::vector<std::vector<CallRef>> choose(const std::vector<CallRef>& calls,
                                         std::size_t size) {
  std::vector<std::vector<CallRef>> chosen;
  std::vector<char> marks(calls.size(), 0);
  std::fill(marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(size),
            1);
  do {
    auto& row = chosen.emplace_back();
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (marks[i] != 0) row.push_back(calls[i]);
  } while (chosen.size() < kMaxSelections &&
           std::prev_permutation(marks.begin(), marks.end()));
  return chosen;
}

bool is_avoided(const std::vector<SerialOutcome>& serial,
                std::size_t property) {
  return !serial.empty() && std::none_of(serial.begin(), serial.end(),
                                         [&](const SerialOutcome& outcome) {
                                           return outcome.is_violated[property];
                                         });
}

class Explainer {
 public:
  Explainer(const Surroundings& around, const Profile& profile,
            const sql::MemoryDatabase& initial, const Question& what,
            const ProfileOptions& options)
      : around_(around),
        application_(around.routines.application()),
        profile_(profile),
        initial_(initial),
        what_(what),
        options_(options) {}

  Counterexample run(const std::vector<Move>& path) {
    Selection selection = Selection::all(application_);
    std::vector<Move> moves = path;
    must_avoid_ = is_avoided_by_all_of(selection);
    reduce(selection, moves);
    shorten(selection, moves);
    Counterexample out = describe(selection, moves);
    if (!what_.builtin) {
      const std::vector<SerialOutcome> serial = run_serially(selection);
      for (const SerialOutcome& one : serial)
        out.serial.push_back(told(one, selection));
      out.is_avoided_serially = is_avoided(serial, what_.property);
    } else if (*what_.builtin == Builtin::OneAfterTheOther) {
      out.serial = serial_differences(around_, profile_, selection, initial_,
                                      moves, kMaxOrders);
      out.is_avoided_serially = true;
    }
    check::name_anomaly(sql::workload_of(application_), {}, around_.budget,
                        out);
    return out;
  }

 private:
  std::vector<SerialOutcome> run_serially(const Selection& selection) const {
    return run_serially_in_all_orders(initial_, application_, selection,
                                      kMaxOrders, around_.budget);
  }

  /// Whether every serial order keeps the property.
  [[nodiscard]] bool is_avoided_by_all_of(const Selection& selection) const {
    return !what_.builtin &&
           is_avoided(run_serially(selection), what_.property);
  }

  // The first selection, by size, that shows the violation.
  void reduce(Selection& selection, std::vector<Move>& moves) {
    const std::vector<CallRef> calls = selection.refs();
    const Budget budget = around_.budget.at_most(kStepsForSelections);
    for (std::size_t size = 1; size < calls.size(); ++size) {
      for (const std::vector<CallRef>& chosen : choose(calls, size)) {
        if (budget.spent_now()) return;
        const Selection smaller = Selection::of(application_, chosen);
        if (must_avoid_ && !is_avoided_by_all_of(smaller)) continue;
        if (auto found = search(smaller, budget)) {
          selection = smaller;
          moves = std::move(*found);
          return;
        }
      }
    }
  }

  [[nodiscard]] bool asks_serial() const {
    return what_.builtin && *what_.builtin == Builtin::OneAfterTheOther;
  }

  std::optional<std::vector<Move>> search(const Selection& selection,
                                          const Budget& budget) {
    ProfileOptions options;
    options.reduces = options_.reduces;
    options.stop_at = what_;
    const Surroundings around = around_.with(budget);
    Server server(around, profile_, selection);
    RuleJudge judge(around_.routines, selection, budget);
    auto serial = serial_outcomes(around, selection);
    StateSearch search(server, judge, options, budget,
                       serial ? &*serial : nullptr);
    search.run(server.initial(initial_));
    if (!search.found(what_)) return std::nullopt;
    return search.found(what_)->path;
  }

  /// If they are needed.
  [[nodiscard]] std::optional<SerialOutcomes> serial_outcomes(
      const Surroundings& around, const Selection& selection) const {
    std::optional<SerialOutcomes> out;
    if (asks_serial())
      out.emplace(around, profile_, selection, initial_, *options_.builtins);
    return out;
  }

  void shorten(const Selection& selection, std::vector<Move>& moves) {
    const Budget budget = around_.budget.at_most(kStepsForSchedule);
    const Surroundings around = around_.with(budget);
    Server server(around, profile_, selection);
    RuleJudge judge(around_.routines, selection, budget);
    auto serial = serial_outcomes(around, selection);
    const IsGoal is_goal = [&](const State& end) {
      if (!what_.builtin)
        return bool{judge.violated(end, true)[what_.property]};
      if (!serial) return end.had_deadlock;
      const auto is_serial = serial->contains(end);
      return is_serial && !*is_serial;
    };
    if (auto path =
            shortest_path(server, server.initial(initial_), is_goal, budget)) {
      moves = std::move(*path);
    }
  }

  Counterexample describe(const Selection& selection,
                          const std::vector<Move>& moves) {
    Replayed run = replay(application_, profile_, selection, what_, moves,
                          around_.routines.loop_bound(), around_.budget);
    Counterexample out;
    out.level = profile_.name;
    if (what_.builtin) {
      out.kind = Counterexample::Kind::Builtin;
      out.builtin = what_.builtin;
      out.name = name(*what_.builtin);
      out.broken = std::move(run.broken);
    } else {
      const sql::Property& property = application_.properties[what_.property];
      out.kind = property.kind == PropertyKind::Invariant
                     ? Counterexample::Kind::Invariant
                     : Counterexample::Kind::Assert;
      out.name = property.name;
      out.property = PropertyId(what_.property);
      out.at = property.at;
      out.value = run.value;
      out.numbers = run.numbers;
    }
    out.calls = selection.refs();
    out.all_calls = Selection::all(application_).refs().size();
    out.steps = std::move(run.steps);
    out.variables = std::move(run.variables);
    out.replay_problem = std::move(run.problem);
    for (const TableId table : tables(selection)) {
      if (table.index >= run.final_uses.size()) break;  // the budget ended
      out.finals.push_back({application_.schema.at(table).name,
                            std::move(run.final_uses[table.index])});
    }
    return out;
  }

  /// The tables that the property mentions; if there is none those that the
  /// calls may change.
  [[nodiscard]] std::vector<TableId> tables(const Selection& selection) const {
    std::vector<bool> shown(application_.schema.tables.size());
    const auto add = [&](const std::vector<bool>& more) {
      for (std::size_t t = 0; t < more.size(); ++t)
        shown[t] = shown[t] || more[t];
    };
    if (!what_.builtin) {
      add(analysis::footprint_of(
              application_, application_.properties[what_.property].condition)
              .reads);
    } else {
      for (const CallRef call : selection.refs()) {
        const sql::RoutineId routine =
            application_.sessions[call.session].calls[call.call].routine;
        add(analysis::footprint_of(application_, routine).writes);
      }
    }
    std::vector<TableId> tables;
    for (std::size_t t = 0; t < shown.size(); ++t)
      if (shown[t]) tables.emplace_back(t);
    return tables;
  }

  [[nodiscard]] SerialRun told(const SerialOutcome& serial,
                               const Selection& selection) const {
    SerialRun out;
    // A session in `order` runs its next call among those that are needed.
    std::vector<std::size_t> next(selection.calls.size());
    for (const std::uint32_t s : serial.order) {
      const CallRef call{s, selection.calls[s][next[s]++]};
      out.order.push_back(call);
      if (!serial.ends[s][call.call].is_committed) out.aborted.push_back(call);
    }
    for (const TableId table : tables(selection)) {
      FinalTable rows{application_.schema.at(table).name, {}};
      for (const sql::Row& row : serial.final[table.index])
        rows.rows.push_back({"", row, std::nullopt, false, false});
      out.finals.push_back(std::move(rows));
    }
    out.is_violated = serial.is_violated[what_.property];
    return out;
  }

  const Surroundings& around_;
  const sql::Application& application_;
  const Profile& profile_;
  const sql::MemoryDatabase& initial_;
  const Question what_;
  const ProfileOptions& options_;
  bool must_avoid_ = false;
};

}  // namespace

Counterexample explain_violation(const Surroundings& around,
                                 const Profile& profile,
                                 const sql::MemoryDatabase& initial,
                                 const Question& what,
                                 const std::vector<Move>& path,
                                 const ProfileOptions& options) {
  return Explainer(around, profile, initial, what, options).run(path);
}

}  // namespace txscope::engine
