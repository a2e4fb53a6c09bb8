#include "robust/search.h"

#include <algorithm>
#include <memory>

#include "explore/engine.h"
#include "robust/dependence.h"
#include "robust/notions.h"
#include "robust/result.h"
#include "robust/serial_runs.h"
#include "robust/single_delay.h"

namespace txscope::robust {
namespace {

class Comparison {
 public:
  Comparison(const exec::Script& script, const SearchQuestion& question,
             const Budget& budget)
      : script_(script),
        question_(question),
        budget_(budget),
        active_(active_of(script, question)) {}

  SearchAnswer run() {
    JudgeQuestion asked;
    asked.level = question_.against;
    asked.notion = question_.notion;
    asked.granularity = question_.granularity;
    asked.loop_bound = question_.loop_bound;
    asked.serial = [this]() -> const SerialRuns& { return serial(); };
    asked.serial_reads = [this]() -> const ShownSet& { return serial_reads(); };
    const auto judge = make_judge(script_, std::move(asked), budget_);
    explore::EngineTask task;
    task.explored = std::min(question_.against, Base::Causal);
    task.levels = {question_.against};
    task.active = active_;
    task.loop_bound = question_.loop_bound;
    task.jobs = question_.jobs;
    task.on_history = [&](const explore::ExploredHistory& history) {
      ++out_.executions;
      if (!out_.odd) out_.odd = judge->find_odd(history);
    };
    task.wants_end = [this] {
      return out_.odd.has_value() || budget_.reason() != Spent::Nothing;
    };
    const explore::EngineResult found = run_engine(script_, task, budget_);
    if (out_.odd) {
      if (has_all_serial()) {
        out_.answer = Outcome::Violated;
      } else {
        out_.why = "not all serial runs were looked at";
      }
      return std::move(out_);
    }
    if (find_new_fault(found)) return std::move(out_);
    if (!found.is_finished || budget_.spent_now()) {
      out_.why =
          why_undecided(found.is_finished ? budget_.reason() : found.spent);
    } else if (found.counts.front().cut > 0) {
      out_.why = "the bound of a loop was reached";
    } else {
      out_.answer = Outcome::Holds;
    }
    return std::move(out_);
  }

 private:
  using ShownSet = std::unordered_set<Shown, ShownHash>;

  /// Nothing that was compared with is missing.
  [[nodiscard]] bool has_all_serial() {
    const bool is_about_values = question_.notion == Notion::Outcome ||
                                 question_.notion == Notion::State;
    return has_all_reads_ && (!is_about_values || serial().is_complete);
  }

  const ShownSet& serial_reads() {
    if (serial_reads_) return *serial_reads_;
    serial_reads_.emplace();
    const auto lens = make_lens(script_, question_.loop_bound, budget_);
    has_all_reads_ = for_each_serial_execution(
        script_, active_, *lens, budget_, [&](const Execution& execution) {
          Dependence dependence(script_, execution.history, *lens,
                                question_.granularity);
          for (Shown& reads :
               reads_from(script_, execution, dependence, question_.granularity,
                          question_.notion == Notion::View)) {
            serial_reads_->insert(std::move(reads));
          }
        });
    return *serial_reads_;
  }

  const SerialRuns& serial() {
    if (!serial_) {
      serial_ = run_all_orders(script_, active_, question_.loop_bound, budget_);
    }
    return *serial_;
  }

  bool find_new_fault(const explore::EngineResult& found) {
    for (const explore::Finding& finding : found.findings) {
      if (finding.target.property) continue;
      if (serial().faults.contains(finding.target.pc)) continue;
      if (!serial().is_complete) return false;
      out_.answer = Outcome::Violated;
      out_.new_fault = finding.target.pc;
      out_.fault_history = finding.history;
      return true;
    }
    return false;
  }

  const exec::Script& script_;
  const SearchQuestion& question_;
  const Budget& budget_;
  const std::vector<exec::InstanceId> active_;
  std::optional<SerialRuns> serial_;
  std::optional<ShownSet> serial_reads_;
  bool has_all_reads_ = true;
  SearchAnswer out_;
};

}  // namespace

std::vector<exec::InstanceId> active_of(const exec::Script& script,
                                        const SearchQuestion& question) {
  if (!question.active.empty()) return question.active;
  std::vector<exec::InstanceId> all;
  for (std::size_t i = 1; i < script.instances.size(); ++i) all.emplace_back(i);
  return all;
}

SearchAnswer search(const exec::Script& script, const SearchQuestion& question,
                    const Budget& budget) {
  const bool can_reduce = question.notion == Notion::Trace &&
                          question.against == Base::SnapshotIsolation &&
                          !question.avoids_reduction && !script.has_assumptions;
  if (can_reduce) {
    DelaySearch delay = find_delay(script, active_of(script, question),
                                   question.loop_bound, budget);
    // A cycle by rows may have none by columns or results.
    const bool decides = !delay.odd || question.granularity == Granularity::Row;
    if (!delay.is_inapplicable && decides) {
      SearchAnswer out;
      out.is_reduced = true;
      out.executions = delay.states;
      if (delay.odd) {
        out.answer = Outcome::Violated;
        out.odd = std::move(delay.odd);
      } else if (delay.is_finished) {
        out.answer = Outcome::Holds;
      } else {
        out.why = why_undecided(budget.reason());
      }
      return out;
    }
  }
  return Comparison(script, question, budget).run();
}

}  // namespace txscope::robust
