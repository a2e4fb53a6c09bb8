#include "robust/counterexample.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "check/anomaly/anomaly.h"
#include "check/anomaly/name_anomaly.h"
#include "check/check.h"
#include "explore/explain.h"
#include "explore/schedule.h"
#include "explore/witness.h"
#include "robust/dependence.h"

namespace txscope::robust {
namespace {

constexpr std::size_t kMostAttempts = 400;    // selections of transactions
constexpr std::size_t kMostTransactions = 5;  // in a selection
constexpr std::uint64_t kReduceSteps = 4'000'000;
constexpr std::size_t kMostSerialRuns = 120;

/// An execution as something to run again: sources precede readers.
explore::WorkItem item_of(const Execution& execution) {
  explore::WorkItem item;
  for (const exec::InstanceId t : execution.commit_order) {
    for (const auto& txn : execution.history.txns) {
      if (txn.instance != t) continue;
      explore::WorkItem::Txn out;
      out.instance = static_cast<std::uint16_t>(t.index);
      for (const auto& event : txn.events) {
        if (event.kind != explore::ExploredHistory::Event::Kind::Read) continue;
        out.sources.push_back(static_cast<std::uint16_t>(event.source.index));
      }
      item.txns.push_back(std::move(out));
    }
  }
  return item;
}

explore::HistoryWitness witness_of(const exec::Script& script,
                                   const Execution& execution) {
  explore::HistoryWitness out;
  const std::size_t n = script.instances.size();
  out.precedes.assign(n, std::vector<bool>(n));
  const auto& order = execution.commit_order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      out.precedes[order[i].index][order[j].index] = true;
    }
  }
  return out;
}

class Teller {
  using Shown = evidence::Step::Kind;

 public:
  Teller(const explore::Subject& subject, const SearchQuestion& question,
         const sql::Application* application, const Budget& budget)
      : subject_(subject),
        workload_(subject.workload()),
        script_(subject.script()),
        question_(question),
        application_(application),
        budget_(budget) {}

  Counterexample tell(const SearchAnswer& found) {
    out_.workload = workload_;
    const auto small = reduced(found);
    explore::WorkItem item;
    std::optional<explore::HistoryWitness> witness;
    if (small.odd) {
      item = item_of(*small.odd);
      witness = witness_of(script_, *small.odd);
    } else {
      item = small.fault_history;
      std::vector<exec::InstanceId> active;
      for (const auto& txn : item.txns) active.emplace_back(txn.instance);
      witness =
          explore::find_witness(script_, item, active, question_.against,
                                std::nullopt, question_.loop_bound, budget_);
    }
    if (!witness) return std::move(out_);
    const auto execution =
        explore::run_history(script_, item, question_.loop_bound, budget_);
    explore::TimedHistory timeline =
        make_timed_history(script_, execution, *witness);
    schedule_ = std::move(timeline.steps);
    run_.steps = subject_.steps(schedule_);
    for (const auto& txn : item.txns) instances_.emplace_back(txn.instance);
    std::sort(instances_.begin(), instances_.end());
    tell_steps();
    for (const exec::InstanceId i : instances_) {
      out_.transactions.push_back(name_of(i));
    }
    out_.all_transactions = script_.instances.size() - 1;
    for (const exec::InstanceId i : timeline.commit_order) {
      out_.commit_order.push_back(name_of(i));
    }
    if (small.odd) tell_cycle(*small.odd);
    confirm();
    out_.serial = explore::run_serially(
        subject_, instances_, {{}, written_rows(), std::nullopt},
        question_.loop_bound, kMostSerialRuns, budget_);
    out_.run = std::move(run_.steps);
    return std::move(out_);
  }

 private:
  /// What serial runs are told by.
  [[nodiscard]] std::vector<KeyId> written_rows() const {
    std::vector<KeyId> rows;
    for (const explore::ScheduleStep& step : schedule_)
      if (step.kind == explore::ScheduleStep::Kind::Write &&
          std::find(rows.begin(), rows.end(), step.key) == rows.end())
        rows.push_back(step.key);
    return rows;
  }

  [[nodiscard]] std::string name_of(exec::InstanceId i) const {
    return i == exec::kInit ? "the initial state"
                            : exec::instance_name(workload_, script_, i);
  }

  SearchAnswer reduced(const SearchAnswer& found) {
    SearchQuestion asked = question_;
    SearchAnswer best = found;
    const auto all = active_of(script_, question_);
    const Budget effort = budget_.with_grace().at_most(kReduceSteps);
    (void)smallest_selection(
        all,
        [&](const std::vector<exec::InstanceId>& selection) {
          asked.active = selection;
          SearchAnswer answer = search(script_, asked, effort);
          if (answer.answer != Outcome::Violated) return false;
          best = std::move(answer);
          return true;
        },
        effort);
    return best;
  }

  std::size_t lane_of(std::uint32_t session) {
    const auto [at, is_new] = lanes_.try_emplace(session, out_.sessions.size());
    if (is_new) out_.sessions.push_back(workload_.sessions[session].name);
    return at->second;
  }

  void tell_steps() {
    for (const exec::InstanceId i : instances_) {
      (void)lane_of(script_.instances[i.index].session);
    }
    if (application_ != nullptr) {
      tell_statements();
    } else {
      tell_events();
    }
  }

  void begin(exec::InstanceId i) {
    const bool is_begun =
        std::find(begun_.begin(), begun_.end(), i) != begun_.end();
    if (is_begun) return;
    begun_.push_back(i);
    std::string text = "begin " + workload_.at(script_.call_of(i)).label;
    if (application_ != nullptr) {
      const exec::Script::Instance& instance = script_.instances[i.index];
      const sql::Call& call =
          application_->sessions[instance.session].calls[instance.call];
      text = call_text(*application_, call);
      if (text.starts_with("BEGIN") || text.starts_with("begin")) {
        text = "BEGIN";
      }
    }
    add(Shown::Begin, i, 0, text);
  }

  void add(Shown kind, exec::InstanceId i, std::uint32_t line,
           std::string statement, std::string seen = {}) {
    evidence::Step told;
    told.kind = kind;
    told.lane = lane_of(script_.instances[i.index].session);
    told.transaction = name_of(i);
    told.text = std::move(statement);
    told.seen = std::move(seen);
    told.place.line = line;
    out_.steps.push_back({std::move(told)});
  }

  /// The step just told is one that a repair may change.
  void mark_read(Span at) {
    out_.steps.back().at = at;
    out_.steps.back().is_read = true;
  }

  void tell_events() {
    using Kind = explore::ScheduleStep::Kind;
    const std::size_t count = schedule_.size();
    for (std::size_t at = 0; at < count; ++at) {
      const explore::ScheduleStep& step = schedule_[at];
      begin(step.instance);
      const std::string label =
          workload_.at(script_.call_of(step.instance)).label;
      const std::string statement = one_line(workload_.text(step.at));
      switch (step.kind) {
        case Kind::Read: {
          std::string from = step.is_own ? "own write"
                             : step.source == exec::kInit
                                 ? "initial"
                                 : "from " + name_of(step.source);
          if (step.is_stale) from += ", stale";
          add(Shown::Statement, step.instance, step.at.line, statement,
              std::to_string(step.value) + " (" + from + ")");
          if (!step.is_own) mark_read(step.at);
          break;
        }
        case Kind::Write:
          add(Shown::Statement, step.instance, step.at.line, statement,
              std::to_string(step.value));
          break;
        case Kind::AssertFailed: continue;
        case Kind::Commit:
          add(Shown::Commit, step.instance, 0, "commit " + label);
          break;
        case Kind::Abort:
          add(Shown::Rollback, step.instance, step.at.line, "abort " + label);
          break;
        case Kind::Fault:
          out_.new_error = std::string(describe(step.fault)) + " at line " +
                           std::to_string(step.at.line);
          add(Shown::Error, step.instance, step.at.line, statement,
              std::string(describe(step.fault)));
          break;
      }
      out_.steps.back().of_run = at;
    }
  }

  void tell_statements() {
    using Kind = txscope::Step::Kind;
    for (std::size_t at = 0; at < run_.steps.size(); ++at) {
      const txscope::Step& s = run_.steps[at];
      const exec::InstanceId i(script_.first_of_session[s.call.session].index +
                               s.call.call);
      begin(i);
      if (s.kind == Kind::Statement) {
        std::string seen = s.seen;
        for (std::size_t m = 0; m < s.misses.size(); ++m) {
          seen += (m == 0 ? " (without " : ", ") + workload_.name(s.misses[m]);
        }
        if (!s.misses.empty()) seen += ")";
        add(Shown::Statement, i, s.at.line, s.text, seen);
        if (s.writes.empty() && is_select(s)) mark_read(s.at);
      } else if (s.kind == Kind::Error) {
        add(Shown::Error, i, s.at.line, s.text, s.seen);
      } else {
        add(s.kind == Kind::Commit ? Shown::Commit : Shown::Rollback, i, 0,
            s.text);
      }
      out_.steps.back().of_run = at;
    }
  }

  static bool is_select(const txscope::Step& step) {
    constexpr std::string_view kSelect = "SELECT";
    return step.text.size() >= kSelect.size() &&
           std::equal(kSelect.begin(), kSelect.end(), step.text.begin(),
                      [](char a, char b) { return a == ascii::upper(b); });
  }

  void tell_cycle(const Execution& odd) {
    const auto lens = make_lens(script_, question_.loop_bound, budget_);
    const Dependence dependence(script_, odd.history, *lens,
                                question_.granularity);
    const bool is_by_rows = question_.granularity == Granularity::Row;
    const auto cycle =
        find_cycle(script_, odd, is_by_rows ? nullptr : &dependence);
    for (const DependencyEdge& edge : cycle) {
      evidence::Edge out;
      out.from = name_of(edge.from);
      out.to = name_of(edge.to);
      out.kind = name(edge.kind);
      if (edge.key) out.key = script_.key_name(*edge.key);
      switch (edge.kind) {
        case Dependency::Session:
          out.reason = out.to + " follows in the same session";
          break;
        case Dependency::Reads:
          out.reason =
              out.to + " reads " + out.key + " as " + out.from + " wrote it";
          break;
        case Dependency::Follows:
          out.reason = out.to + " overwrites " + out.key + " of " + out.from;
          break;
        case Dependency::Misses:
          out.reason = out.from + " reads " + out.key + " as it was before " +
                       out.to + " wrote it";
          break;
      }
      out_.cycle.push_back(std::move(out));
    }
    if (const auto pivot = delayed_transaction(cycle)) {
      out_.delayed = name_of(*pivot);
    }
  }

  void confirm() {
    out_.problem =
        explore::replay_error(script_, schedule_, question_.loop_bound);
    const History history = check::history_of(workload_, run_, {false, true});
    out_.is_of_level =
        check::check(history, {question_.against}, budget_).outcome() ==
        Outcome::Holds;
    const Verdict serial = check::check(history, {Base::Serializable}, budget_);
    if (serial.outcome() != Outcome::Violated) return;
    out_.is_refused = true;
    const Anomaly anomaly =
        check::anomaly_of(history, {Base::Serializable}, serial.refutation());
    out_.anomaly = anomaly.words.empty()
                       ? anomaly.id
                       : anomaly.words + " (" + anomaly.id + ")";
  }

  const explore::Subject& subject_;
  const Workload& workload_;
  const exec::Script& script_;
  const SearchQuestion& question_;
  const sql::Application* application_;
  const Budget& budget_;
  std::vector<explore::ScheduleStep> schedule_;
  std::vector<exec::InstanceId> instances_;
  txscope::Counterexample run_;  ///< its steps, for `check`
  std::map<std::uint32_t, std::size_t> lanes_;
  std::vector<exec::InstanceId> begun_;
  Counterexample out_;
};

}  // namespace

std::vector<exec::InstanceId> smallest_selection(
    const std::vector<exec::InstanceId>& all,
    const std::function<bool(const std::vector<exec::InstanceId>&)>& breaks,
    const Budget& budget) {
  std::size_t attempts = 0;
  for (std::size_t size = 1; size < all.size() && size <= kMostTransactions;
       ++size) {
    std::vector<bool> chosen(all.size());
    std::fill(chosen.begin(), chosen.begin() + static_cast<long>(size), true);
    do {
      if (++attempts > kMostAttempts || budget.spent_now()) return all;
      std::vector<exec::InstanceId> selection;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (chosen[i]) selection.push_back(all[i]);
      }
      if (breaks(selection)) return selection;
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return all;
}

Counterexample explain(const explore::Subject& subject,
                       const SearchQuestion& question,
                       const SearchAnswer& answer,
                       const sql::Application* application,
                       const Budget& budget) {
  return Teller(subject, question, application, budget).tell(answer);
}

}  // namespace txscope::robust
