#include "tla/search/model_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "check/check.h"
#include "tla/evaluate/native.h"
#include "tla/evaluate/observed.h"
#include "tla/pluscal/module_notes.h"
#include "tla/search/coverage.h"
#include "tla/search/graph_dump.h"
#include "tla/search/trace.h"

namespace txscope::tla {
namespace {

/// Keeps the first observed transactions that a definition is given.
class HistoryFinder : public CallRecorder {
 public:
  explicit HistoryFinder(const std::vector<Value>& state) : state_(state) {}

  void call(const Def& def, std::span<const Value> args) override {
    if (history || args.size() < 2) return;
    const bool has_times =
        def.native >= 0 && native_level(def.native).order == Order::Realtime;
    history = observed_history(args[0], named(args[1]),
                               has_times ? args[2] : Value());
    if (history) is_realtime = has_times && !check::missing_times(*history);
  }
  std::optional<History> history;
  bool is_realtime = false;

 private:
  /// A set of transactions has no names for them, but a variable may: a
  /// function with just these values, each once.
  Value named(Value transactions) const {
    const Node* set = transactions.is_node() ? transactions.as_node() : nullptr;
    if (set == nullptr || set->kind != NodeKind::Set) return transactions;
    for (const Value v : state_) {
      if (!v.is_node() || v.as_node()->kind != NodeKind::Function) continue;
      std::vector<Value> values(v.as_node()->all().begin(),
                                v.as_node()->all().end());
      if (values.size() != set->size) continue;
      std::sort(values.begin(), values.end(),
                [](Value a, Value b) { return compare(a, b) < 0; });
      if (std::equal(values.begin(), values.end(), set->items)) return v;
    }
    return transactions;
  }

  const std::vector<Value>& state_;
};

}  // namespace

ModelSearch::ModelSearch(
    const Module& root, const Config& config, Loader& loader,
    const ModelRequest& request, const Budget& budget,
    const std::function<void(const ModelProgress&)>& progress,
    transport::Group* group)
    : request_(request),
      budget_(budget),
      progress_(progress),
      group_(group),
      loader_(loader) {
  shared_.budget = &budget;
  if (progress_) shared_.progress = [this] { report_progress(); };
  shared_.check_deadlock =
      request.check_deadlock.value_or(config.check_deadlock);
  const std::uint32_t jobs = group != nullptr ? 1u : std::max(1u, request.jobs);
  const std::uint32_t parts = group != nullptr ? group->size() : jobs;
  shared_.value_bytes = request.value_bytes / jobs;
  if (request.queue_bytes) shared_.queue_bytes = *request.queue_bytes / parts;
  if (request.disk) shared_.spill_directory = *request.disk;
  for (std::uint32_t i = 0; i < jobs; ++i)
    workers_.push_back(std::make_unique<Worker>(root, config, loader, shared_,
                                                request.use_natives, i));
  identity_ = identity_of(loader, shared_.check_deadlock);
  for (auto& worker : workers_) {
    worker->evaluator().set_seed(request.seed);
    worker->evaluator().set_facts(
        [this](std::string_view name) { return fact(name); });
    if (request.wants_coverage) worker->start_counting();
  }
}

/// What TLCGet knows; the counts are those of this moment.
std::optional<std::int64_t> ModelSearch::fact(std::string_view name) const {
  const auto number = [](auto n) { return static_cast<std::int64_t>(n); };
  if (name == "level") return number(Worker::level_here(shared_));
  if (name == "diameter") return number(depth_);
  if (name == "distinct") return number(distinct());
  if (name == "queue") return number(queue_);
  if (name == "generated") return number(generated());
  if (name == "duration")
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::steady_clock::now() - started_)
        .count();
  if (name == "seed") return number(request_.seed);
  if (name == "worker") return number(workers_.size());
  if (name == "simulates") return request_.simulate ? 1 : 0;
  if (name == "traces") return number(request_.simulate.value_or(0));
  if (name == "depth") return number(request_.max_depth.value_or(0));
  return std::nullopt;
}

ModelResult ModelSearch::run(ModelResult* so_far) {
  so_far_ = so_far;
  ModelResult result;
  name_checks(result);
  for (const Module* module : workers_[0]->program().modules())
    if (std::string note = PlusCalLabels(*module).complaint(); !note.empty())
      result.notes.push_back(std::move(note));
  const Module& root = workers_[0]->program().root();
  if (std::filesystem::path(root.source->file).stem() != root.name)
    result.notes.push_back("this file holds module " + root.name +
                           "; TLC wants it to be called " + root.name + ".tla");
  try {
    check_assumptions(result);
    if (result.outcome != Outcome::Violated) {
      if (workers_[0]->behaviour().init.empty())
        result.outcome = Outcome::Holds;  // nothing but assumptions
      else if (request_.simulate)
        simulate(result);
      else if (group_ != nullptr ? explore_on_ranks(result) : explore(result))
        check_liveness(result);
      if (result.outcome == Outcome::Holds) check_possible(result);
      if (result.outcome == Outcome::Holds) check_postconditions(result);
    }
  } catch (const AssertionFault& fault) {
    // Not in a state of the search: in an ASSUME, in Init, in a temporal
    // formula.
    tell(result, failed_assertion(fault));
    if (so_far_ != nullptr) result.trace = std::move(so_far_->trace);
  } catch (const transport::Lost&) {
    if (on_ranks_) result.depth = on_ranks_->depth();
    add_up(result);
    if (so_far_ != nullptr) *so_far_ = std::move(result);
    throw;
  } catch (const Stopped&) {
    // Of what is violated only the way there may be missing.
    if (result.outcome != Outcome::Violated)
      result.outcome = Outcome::Undecided;
    result.spent = budget_.reason();
    if (result.outcome == Outcome::Undecided && is_explored_ &&
        request_.checkpoint && group_ == nullptr)
      save({}, result);
  }
  if (std::any_of(workers_.begin(), workers_.end(),
                  [](const auto& worker) {
                    return worker->evaluator().wants_exit();
                  }) ||
      (on_ranks_ && on_ranks_->elsewhere().wants_exit))
    result.notes.push_back("TLCSet(\"exit\", TRUE) ended the search");
  add_up(result);
  say_what_was_checked(result);
  if (result.outcome == Outcome::Holds && result.emptiness.empty())
    decided(result);
  if (request_.wants_coverage) result.coverage = coverage(workers_);
  if (on_ranks_) add_other_ranks(result);
  if (request_.wants_graph) add_graph(result);
  result.printed = std::move(workers_[0]->evaluator().prints());
  return result;
}

/// All states, if they can be had: what was found counts more.
void ModelSearch::add_graph(ModelResult& result) {
  if (result.violation == ModelViolation::Assumption ||
      workers_[0]->behaviour().init.empty())
    return;
  try {
    result.graph = dump_graph(*workers_[0], budget_);
  } catch (const Stopped&) {
    result.notes.push_back("the graph of all states is not complete (" +
                           to_string(budget_.reason()) +
                           " ended it) and is not written");
  } catch (const Fault& fault) {
    result.notes.push_back("the graph of all states is not written: " +
                           fault.error.what);
  }
}

void ModelSearch::check_assumptions(ModelResult& result) {
  Worker& worker = *workers_[0];
  for (std::size_t i = 0; i < worker.program().assumptions().size(); ++i) {
    const Def* assume = worker.program().assumptions()[i];
    ++result.assumptions;
    if (assume->is_impure)  // TLCSet in an ASSUME is for all workers
      for (auto& other : workers_)
        if (other != workers_[0])
          (void)other->evaluator().holds(*other->program().assumptions()[i],
                                         nullptr);
    if (worker.evaluator().holds(*assume, nullptr)) continue;
    result.outcome = Outcome::Violated;
    result.violation = ModelViolation::Assumption;
    result.property = "ASSUME";
    result.property_place = error_at(assume->spot, {}).where;
    return decided(result);
  }
}

/// POSTCONDITION is asked once, at the end.
void ModelSearch::check_postconditions(ModelResult& result) {
  Worker& worker = *workers_[0];
  for (const Def* def : worker.behaviour().postconditions) {
    if (worker.evaluator().holds(*def, nullptr)) continue;
    result.outcome = Outcome::Violated;
    result.violation = ModelViolation::Postcondition;
    result.property = def->name;
    result.property_place = error_at(def->spot, {}).where;
    return decided(result);
  }
}

/// What has to be possible and no worker has seen.
void ModelSearch::check_possible(ModelResult& result) {
  const std::vector<Check>& possible = workers_[0]->behaviour().possible;
  for (std::size_t i = 0; i < possible.size(); ++i) {
    if (std::any_of(workers_.begin(), workers_.end(),
                    [&](const auto& worker) { return worker->happened()[i]; }))
      continue;
    result.outcome = Outcome::Violated;
    result.violation = ModelViolation::Impossible;
    result.property = possible[i].name;
    result.property_place = error_at(possible[i].spot, {}).where;
    return decided(result);
  }
}

/// The behaviour up to the state whose successors could not be evaluated, or in
/// which something that is checked could not.
void ModelSearch::show_way_to_error(const Worker& worker) {
  if (so_far_ == nullptr) return;
  std::vector<std::uint64_t> path;
  if (worker.parent() != 0) path = shared_.seen.path_to(worker.parent());
  if (worker.checking() != 0) path.push_back(worker.checking());
  show_path_to_error(path);
}

void ModelSearch::show_path_to_error(const std::vector<std::uint64_t>& path) {
  if (path.empty()) return;
  try {
    so_far_->trace = retrace(*workers_[0], path).shown;
  } catch (const Fault&) {  // the error counts, not the way there
  } catch (const Stopped&) {
  }
}

/// Invariants and properties, as the configuration names them.
void ModelSearch::name_checks(ModelResult& result) const {
  const auto add = [](std::vector<std::string>& names,
                      const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  const Behaviour& behaviour = workers_[0]->behaviour();
  for (const std::string& name : behaviour.property_names)
    add(result.properties, name);
  for (const Check& check : behaviour.invariants)
    if (std::find(result.properties.begin(), result.properties.end(),
                  check.name) == result.properties.end())
      add(result.invariants, check.name);
}

/// What was looked at besides invariants and properties, and whether a "holds"
/// says anything: it does not if what was asked for was asked of no state, or
/// if nothing was asked for.
void ModelSearch::say_what_was_checked(ModelResult& result) const {
  const Behaviour& behaviour = workers_[0]->behaviour();
  result.conditions =
      behaviour.postconditions.size() + behaviour.possible.size();
  for (const auto& worker : workers_) {
    result.assertions += worker->evaluator().assertions();
    result.is_cut_by_constraint |= worker->is_cut();
  }
  // A checkpoint does not say what was left out before it.
  if (request_.resume)
    result.is_cut_by_constraint |=
        !behaviour.constraints.empty() || !behaviour.action_constraints.empty();
  if (result.outcome != Outcome::Holds) return;
  const bool asks_states = !result.invariants.empty() ||
                           !result.properties.empty() || result.conditions > 0;
  const bool has_other = result.assumptions > 0 || result.assertions > 0;
  if (result.distinct == 0) {
    if (result.emptiness.empty())
      result.emptiness = "there is no INIT and no SPECIFICATION";
    if (asks_states && has_other)
      result.emptiness +=
          ", and of what was asked for only the assumptions "
          "were checked";
    if (asks_states || !has_other) return;
    result.emptiness.clear();
  } else if (!asks_states && !has_other && !result.checks_deadlock) {
    result.emptiness =
        "no INVARIANT and no PROPERTY is asked for, and deadlocks are allowed";
  }
}

void ModelSearch::decided(const ModelResult& result) const {
  // Of several ranks nobody knows alone.
  if (request_.on_verdict && group_ == nullptr) request_.on_verdict(result);
}

void ModelSearch::tell(ModelResult& result, const Finding& finding) const {
  result.outcome = Outcome::Violated;
  result.violation = finding.kind;
  result.property = finding.name;
  result.message = finding.message;
  if (finding.spot.source != nullptr)
    result.property_place = error_at(finding.spot, {}).where;
  decided(result);
}

void ModelSearch::report(ModelResult& result, const Finding& finding) {
  tell(result, finding);
  std::vector<std::uint64_t> path;
  if (finding.is_stored) {
    path = shared_.seen.path_to(finding.fingerprint);
  } else {
    path = shared_.seen.path_to(finding.parent);
    path.push_back(finding.fingerprint);
  }
  show_path(result, path);
}

void ModelSearch::show_path(ModelResult& result,
                            const std::vector<std::uint64_t>& path) {
  for (auto& worker : workers_)  // finding the way there again is no search
    worker->evaluator().set_counting(false);
  finish_trace(result, retrace(*workers_[0], path));
}

/// If the violated invariant judges observed transactions: which, and what is
/// wrong with them.
void ModelSearch::add_history(ModelResult& result,
                              const std::vector<Value>& state) {
  Worker& worker = *workers_[0];
  HistoryFinder finder(state);
  worker.evaluator().set_recorder(&finder);
  for (const Check& check : worker.behaviour().invariants)
    if (check.name == result.property && !finder.history)
      (void)worker.evaluator().holds(*check.formula.code, check.formula.frame,
                                     state.data());
  worker.evaluator().set_recorder(nullptr);
  if (!finder.history) return;
  result.history = std::make_shared<const History>(std::move(*finder.history));
  std::vector<Level> levels;
  for (const Base base : all_bases())
    levels.push_back(
        {base, finder.is_realtime ? Order::Realtime : Order::Session});
  result.levels = check::check_levels(*result.history, levels, budget_);
}

void ModelSearch::finish_trace(ModelResult& result, Trace trace) {
  add_messages(*workers_[0], trace);
  if (workers_[0]->behaviour().alias != nullptr)
    apply_alias(*workers_[0], trace, result.loop);
  for (const Module* module : workers_[0]->program().modules())
    add_labels(*module, trace);
  if (result.violation == ModelViolation::Invariant && !trace.states.empty())
    add_history(result, trace.states.back());
  result.trace = std::move(trace.shown);
}

/// Of all workers; of other ranks as they were at the end of the last level.
std::uint64_t ModelSearch::generated() const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->generated;
  if (on_ranks_) sum += on_ranks_->elsewhere().generated;
  return sum;
}

std::uint64_t ModelSearch::distinct() const {
  return on_ranks_
             ? on_ranks_->distinct_here() + on_ranks_->elsewhere().distinct
             : shared_.seen.size();
}

/// The chance that two states had one fingerprint: about n (g - n) / 2^64.
void ModelSearch::add_up(ModelResult& result) {
  result.generated = generated();
  result.distinct = distinct();
  const auto n = static_cast<double>(result.distinct);
  const auto g = static_cast<double>(result.generated);
  result.collision_probability = n * std::max(0.0, g - n) / std::exp2(64);
}

}  // namespace txscope::tla
