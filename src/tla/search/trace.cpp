#include "tla/search/trace.h"

#include <algorithm>

#include "tla/value/json_values.h"
#include "tla/pluscal/module_notes.h"

namespace txscope::tla {
namespace {

/// Stops at the state with a given fingerprint, or at a given state.
class Finder : public StateSink {
 public:
  Finder(Worker& worker, std::uint64_t wanted, bool is_initial)
      : worker_(worker), wanted_(wanted), is_initial_(is_initial) {}
  Finder(Worker& worker, const std::vector<Value>& state)
      : worker_(worker), state_(&state) {}

  bool state(const Value* values) override {
    const bool is_it =
        state_ != nullptr ? std::equal(state_->begin(), state_->end(), values)
        : is_initial_     ? worker_.fingerprint(values) == wanted_
                          : worker_.successor_fingerprint(values) == wanted_;
    if (!is_it) return true;
    found.assign(values, values + worker_.program().variables().size());
    Evaluator& evaluator = worker_.evaluator();
    if (evaluator.action() != nullptr) {
      name = evaluator.action_name();
      for (const auto& [parameter, v] : evaluator.action_arguments())
        arguments.emplace_back(parameter, json_of(v));
      process = evaluator.action_process();
      spot = evaluator.action()->spot;
    }
    return false;
  }

  std::vector<Value> found;
  std::string name;
  std::string process;
  std::vector<std::pair<std::string, std::string>> arguments;
  Spot spot;

  void describe(TraceState& step) {
    step.action = std::move(name);
    step.process = std::move(process);
    step.arguments = std::move(arguments);
    step.place = error_at(spot, {}).where;
  }

 private:
  Worker& worker_;
  std::uint64_t wanted_ = 0;
  bool is_initial_ = false;
  const std::vector<Value>* state_ = nullptr;
};

/// The difference between two values of a variable, as far as it is smaller
/// than the new value.
void describe_change(const std::string& name, Value before, Value after,
                     int depth, std::vector<std::string>& lines) {
  constexpr int kDeepest = 3;
  if (before == after) return;
  const bool are_nodes = before.is_node() && after.is_node() &&
                         before.as_node()->kind == after.as_node()->kind;
  if (are_nodes && depth < kDeepest) {
    const Node& b = *before.as_node();
    const Node& a = *after.as_node();
    if (a.kind == NodeKind::Set && a.size + b.size > 2) {
      for (const Value v : a.all())
        if (find_in_set(b, v) < 0)
          lines.push_back(name + " gains " + to_string(v));
      for (const Value v : b.all())
        if (find_in_set(a, v) < 0)
          lines.push_back(name + " loses " + to_string(v));
      return;
    }
    if (a.kind == NodeKind::Function && a.domain == b.domain) {
      for (std::uint32_t i = 0; i < a.size; ++i) {
        const Value key = a.domain.as_node()->items[i];
        const std::string step = key.tag() == Tag::String
                                     ? "." + key.as_name()->text
                                     : "[" + to_string(key) + "]";
        describe_change(name + step, b.items[i], a.items[i], depth + 1, lines);
      }
      return;
    }
    if (a.kind == NodeKind::Sequence && a.size > b.size && b.size > 0 &&
        std::equal(b.items, b.items + b.size, a.items)) {
      for (std::uint32_t i = b.size; i < a.size; ++i)
        lines.push_back(name + " ends with " + to_string(a.items[i]));
      return;
    }
  }
  lines.push_back(name + " = " + to_string(after));
}

TraceState show(const Program& program, const std::vector<Value>& state,
                const std::vector<Value>* before) {
  TraceState result;
  for (std::size_t i = 0; i < state.size(); ++i) {
    TraceState::Binding binding{
        program.variables()[i], to_string(state[i]), false, {}};
    if (before != nullptr && (*before)[i] != state[i]) {
      binding.changed = true;
      describe_change(binding.variable, (*before)[i], state[i], 0,
                      binding.changes);
    }
    result.json.emplace_back(binding.variable, json_of(state[i]));
    result.values.push_back(std::move(binding));
  }
  return result;
}

bool is_set_of_records(Value v) {
  if (!v.is_node() || v.as_node()->kind != NodeKind::Set) return false;
  const auto elements = v.as_node()->all();
  return std::all_of(elements.begin(), elements.end(), [](Value e) {
    if (!e.is_node() || e.as_node()->kind != NodeKind::Function) return false;
    const Node& keys = *e.as_node()->domain.as_node();
    return keys.items[0].tag() == Tag::String;
  });
}

std::vector<std::size_t> networks(const Trace& trace) {
  std::vector<std::size_t> found;
  for (std::size_t x = 0; x < trace.states[0].size(); ++x) {
    bool is_network = true;
    bool changes = false;
    for (const auto& state : trace.states) {
      is_network = is_network && is_set_of_records(state[x]);
      changes = changes || state[x] != trace.states[0][x];
    }
    if (is_network && changes) found.push_back(x);
  }
  return found;
}

/// Looks for one particular successor.
class Seeker : public StateSink {
 public:
  explicit Seeker(const std::vector<Value>& wanted) : wanted_(wanted) {}
  bool state(const Value* values) override {
    is_found = std::equal(wanted_.begin(), wanted_.end(), values);
    return !is_found;
  }
  bool is_found = false;

 private:
  const std::vector<Value>& wanted_;
};

/// Whether the step from `before` to `after` depends on `message`.
bool is_needed(Worker& worker, const std::vector<Value>& before,
               const std::vector<Value>& after, std::size_t network,
               Value message) {
  Sets& sets = worker.evaluator().sets();
  const Value only[] = {message};
  const Value single = worker.program().store().sorted_set(only);
  std::vector<Value> without = before;
  without[network] = sets.minus(before[network], single);
  std::vector<Value> wanted = after;
  wanted[network] = sets.minus(after[network], single);
  Seeker seeker(wanted);
  const Formula& next = worker.behaviour().next;
  try {
    worker.evaluator().enumerate_successors(next, without.data(), seeker);
  } catch (const Fault&) {
    return true;
  }
  return !seeker.is_found;
}

std::size_t first_with(const Trace& trace, std::size_t network, Value message,
                       std::size_t before) {
  for (std::size_t i = 0; i < before; ++i)
    if (find_in_set(*trace.states[i][network].as_node(), message) >= 0)
      return i;
  return before;
}

}  // namespace

Trace retrace(Worker& worker, const std::vector<std::uint64_t>& path) {
  Trace trace;
  const Behaviour& behaviour = worker.behaviour();
  for (std::size_t i = 0; i < path.size(); ++i) {
    Finder finder(worker, path[i], i == 0);
    worker.set_level(static_cast<std::uint32_t>(std::max<std::size_t>(1, i)));
    const std::vector<Value>* before = i == 0 ? nullptr : &trace.states.back();
    if (before == nullptr) {
      worker.evaluator().enumerate_initial(behaviour.init, finder);
    } else {
      worker.symmetry().set_base(before->data());
      worker.evaluator().enumerate_successors(behaviour.next, before->data(),
                                              finder);
    }
    if (finder.found.empty()) break;  // a specification without the symmetry
    TraceState step = show(worker.program(), finder.found, before);
    if (before != nullptr) finder.describe(step);
    trace.shown.push_back(std::move(step));
    trace.states.push_back(std::move(finder.found));
  }
  return trace;
}

Trace retrace(Worker& worker, std::vector<std::vector<Value>> states) {
  Trace trace;
  const Formula& next = worker.behaviour().next;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::vector<Value>* before = i == 0 ? nullptr : &states[i - 1];
    TraceState step = show(worker.program(), states[i], before);
    if (before != nullptr) {
      Finder finder(worker, states[i]);
      worker.evaluator().enumerate_successors(next, before->data(), finder);
      finder.describe(step);
    }
    trace.shown.push_back(std::move(step));
  }
  trace.states = std::move(states);
  return trace;
}

void apply_alias(Worker& worker, Trace& trace,
                 std::optional<std::size_t> loop) {
  const Def& alias = *worker.behaviour().alias;
  Evaluator& evaluator = worker.evaluator();
  std::vector<Value> records;
  for (std::size_t i = 0; i < trace.states.size(); ++i) {
    // After the last state nothing changes, or the loop begins again.
    const std::size_t after =
        i + 1 < trace.states.size() ? i + 1 : loop.value_or(i);
    worker.set_level(static_cast<std::uint32_t>(i + 1));
    const Value v = evaluator.sets().settle(evaluator.evaluate(
        alias, trace.states[i].data(), trace.states[after].data()));
    if (!v.is_node() || v.as_node()->kind != NodeKind::Function)
      fail(alias.spot,
           "ALIAS " + alias.name + " is " + kind_of(v) + ", not a record");
    records.push_back(v);
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Node& now = *records[i].as_node();
    const Node* before = i == 0 ? nullptr : records[i - 1].as_node();
    std::vector<TraceState::Binding>& shown = trace.shown[i].values;
    shown.clear();
    trace.shown[i].json.clear();
    for (std::uint32_t k = 0; k < now.size; ++k) {
      const Value key = now.domain.as_node()->items[k];
      TraceState::Binding b{
          key.tag() == Tag::String ? key.as_name()->text : to_string(key),
          to_string(now.items[k]),
          false,
          {}};
      if (before != nullptr && before->domain == now.domain &&
          before->items[k] != now.items[k]) {
        b.changed = true;
        describe_change(b.variable, before->items[k], now.items[k], 0,
                        b.changes);
      }
      trace.shown[i].json.emplace_back(b.variable, json_of(now.items[k]));
      shown.push_back(std::move(b));
    }
  }
}

void add_messages(Worker& worker, Trace& trace) {
  if (trace.states.size() < 2) return;
  for (const std::size_t x : networks(trace)) {
    for (std::size_t i = 1; i < trace.states.size(); ++i) {
      const auto& before = trace.states[i - 1];
      const auto& after = trace.states[i];
      for (const Value m : after[x].as_node()->all())
        if (find_in_set(*before[x].as_node(), m) < 0)
          trace.shown[i].sent.push_back({to_string(m), i});
      for (const Value m : before[x].as_node()->all())
        if (is_needed(worker, before, after, x, m))
          trace.shown[i].received.push_back(
              {to_string(m), first_with(trace, x, m, i)});
    }
  }
}

void add_labels(const Module& root, Trace& trace) {
  const PlusCalLabels labels(root);
  for (TraceState& step : trace.shown) {
    const std::string name = step.action.substr(0, step.action.find('('));
    if (const auto spot = labels.find(name))
      step.source = error_at(*spot, {}).where;
  }
}

}  // namespace txscope::tla
