#include "verify/counterexample.h"

#include <algorithm>
#include <map>
#include <set>

#include "check/anomaly/name_anomaly.h"
#include "check/check.h"
#include "exec/script.h"
#include "explore/explain.h"
#include "explore/schedule.h"
#include "explore/witness.h"

namespace txscope::verify {
namespace {

/// Follows a model with the interpreter.
class Replay {
 public:
  Replay(const exec::Script& script, const ProgramQuestion& question,
         const smt::Model& model, std::uint64_t loop_bound,
         const Budget& budget)
      : script_(script),
        encoding_(*question.question.encoding),
        model_(model),
        runner_(script.make_runner(loop_bound, budget)) {}

  /// The history, or nothing if the interpreter does something else.
  std::optional<explore::WorkItem> run() {
    explore::WorkItem history;
    for (const std::size_t t : order()) {
      if (!model_.truth(encoding_.runs(t))) continue;
      auto txn = run(t);
      if (!txn) return std::nullopt;
      history.txns.push_back(std::move(*txn));
    }
    return history;
  }

  std::optional<std::uint32_t> fault_pc;  ///< of the first error

 private:
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> out;
    for (std::size_t t = 1; t < encoding_.size(); ++t) out.push_back(t);
    std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
      return a != b && model_.truth(encoding_.precedes(a, b));
    });
    return out;
  }

  /// Sources of the reads of t that happen in the model.
  [[nodiscard]] std::vector<std::uint16_t> sources(std::size_t t) const {
    std::vector<std::uint16_t> out;
    for (std::size_t r = 0; r < encoding_.read_count(t); ++r) {
      if (!model_.truth(encoding_.reads(t, r))) continue;
      for (std::size_t u = 0; u < encoding_.size(); ++u) {
        if (!model_.truth(encoding_.is_source(t, r, u))) continue;
        out.push_back(static_cast<std::uint16_t>(u));
        break;
      }
    }
    return out;
  }

  std::optional<explore::WorkItem::Txn> run(std::size_t t) {
    explore::WorkItem::Txn txn;
    txn.instance = static_cast<std::uint16_t>(t);
    txn.sources = sources(t);
    std::vector<std::int64_t> slots(script_.max_slots);
    std::map<std::uint32_t, std::int64_t> own;
    std::size_t answered = 0;
    exec::Event event = runner_->start(exec::InstanceId(t), slots.data());
    for (;;) {
      if (event.stop == exec::Stop::Write) {
        own[event.key.index] = event.value;
        event = runner_->resume(event.pc, slots.data());
        continue;
      }
      if (event.stop != exec::Stop::Read) break;
      std::int64_t value = 0;
      if (const auto mine = own.find(event.key.index); mine != own.end()) {
        value = mine->second;
      } else {
        if (answered == txn.sources.size()) return std::nullopt;
        const std::uint16_t source = txn.sources[answered++];
        const auto written = find(source, event.key);
        if (!written) return std::nullopt;
        value = *written;
      }
      event = runner_->answer(event.pc, value, slots.data());
    }
    if (answered != txn.sources.size()) return std::nullopt;
    if (event.stop == exec::Stop::Commit) committed_[t] = std::move(own);
    if (event.stop == exec::Stop::Fault && !fault_pc) fault_pc = event.pc;
    return txn;
  }

  [[nodiscard]] std::optional<std::int64_t> find(std::size_t source,
                                                 KeyId key) const {
    if (source == 0) return script_.initial[key.index];
    const auto writes = committed_.find(source);
    if (writes == committed_.end()) return std::nullopt;
    const auto found = writes->second.find(key.index);
    if (found == writes->second.end()) return std::nullopt;
    return found->second;
  }

  const exec::Script& script_;
  const symbolic::HistoryEncoding& encoding_;
  const smt::Model& model_;
  std::unique_ptr<exec::Runner> runner_;
  std::map<std::size_t, std::map<std::uint32_t, std::int64_t>> committed_;
};

/// Whether explore's judge agrees that this history has the level and breaks
/// the property, before it is explained.
bool is_shown(const exec::Script& script, const explore::Finding& finding,
              std::uint64_t loop_bound, const Budget& budget) {
  std::vector<exec::InstanceId> active;
  for (const explore::WorkItem::Txn& txn : finding.history.txns) {
    active.emplace_back(txn.instance);
  }
  std::sort(active.begin(), active.end());
  const auto has_witness = [&](std::optional<std::size_t> condition) {
    return explore::find_witness(script, finding.history, active, finding.level,
                                 condition, loop_bound, budget)
        .has_value();
  };
  if (!finding.target.property) return has_witness(std::nullopt);
  bool needs_state = false;
  for (std::size_t i = 0; i < script.conditions.size(); ++i) {
    if (script.conditions[i].property != *finding.target.property) continue;
    if (!script.conditions[i].needs_state()) continue;
    needs_state = true;
    if (has_witness(i)) return true;
  }
  return !needs_state && has_witness(std::nullopt);
}

Error doubt(const Program& program, std::string what) {
  return {program.place({}), std::move(what), "", ""};
}

}  // namespace

std::vector<InputValue> input_values(const ProgramQuestion& question,
                                     const smt::Model& model) {
  std::vector<InputValue> out;
  for (const OpenInput& input : question.question.inputs) {
    const std::int64_t value = model.integer(input.value);
    out.push_back({input.name, std::to_string(value), value});
  }
  return out;
}

Result<std::shared_ptr<const VerifiedExample>> confirm(
    const Program& program, const ProgramQuestion& question, std::size_t rule,
    Base level, const smt::Model& model, std::uint64_t loop_bound,
    const Budget& budget) {
  auto out = std::make_shared<VerifiedExample>();
  out->inputs = input_values(question, model);
  const Program chosen = with_inputs(program, question, model);
  const auto code = exec::compile(chosen);
  if (!code) return code.error();
  out->workload = workload_of(chosen);
  Replay replay(*code, question, model, loop_bound, budget);
  auto history = replay.run();
  if (!history) {
    return doubt(program, "the interpreter did not follow the solver's model");
  }
  explore::Finding finding;
  finding.level = level;
  finding.target.property = question.properties[rule];
  if (!finding.target.property) finding.target.pc = replay.fault_pc.value_or(0);
  finding.history = std::move(*history);
  if (!is_shown(*code, finding, loop_bound, budget)) {
    return doubt(program, "the solver's model does not show the violation");
  }
  out->example =
      explore::explain_finding(explore::ProgramSubject(out->workload, *code),
                               finding, loop_bound, budget);
  if (out->example.replay_problem) {
    return doubt(program, *out->example.replay_problem);
  }
  if (!out->example.calls.empty()) {
    const History shown =
        check::history_of(out->workload, out->example, {false, true});
    if (check::check(shown, {level}, budget).outcome() == Outcome::Violated) {
      return doubt(program, "check refuses the history of the model");
    }
  }
  return std::shared_ptr<const VerifiedExample>(std::move(out));
}

}  // namespace txscope::verify
