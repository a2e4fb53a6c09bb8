#include "tla/trace.h"

namespace txscope::tla {
namespace {

/// Stops at the state with a given fingerprint.
class Finder : public StateSink {
 public:
  Finder(Worker& worker, std::uint64_t wanted)
      : worker_(worker), wanted_(wanted) {}

  bool state(const Value* values) override {
    if (worker_.fingerprint(values) != wanted_) return true;
    found.assign(values, values + worker_.program().variables().size());
    if (worker_.evaluator().action() != nullptr) {
      name = worker_.evaluator().action_name();
      spot = worker_.evaluator().action()->spot;
    }
    return false;
  }

  std::vector<Value> found;
  std::string name;
  Spot spot;

 private:
  Worker& worker_;
  std::uint64_t wanted_;
};

}  // namespace

TraceState trace_state(const Program& program, const Value* state,
                       const Value* before) {
  TraceState result;
  for (std::size_t i = 0; i < program.variables().size(); ++i)
    result.values.push_back({program.variables()[i], to_string(state[i]),
                             before != nullptr && before[i] != state[i]});
  return result;
}

std::vector<TraceState> retrace(Worker& worker,
                                const std::vector<std::uint64_t>& path) {
  std::vector<TraceState> trace;
  std::vector<Value> state;
  const Behaviour& behaviour = worker.behaviour();
  for (std::size_t i = 0; i < path.size(); ++i) {
    Finder finder(worker, path[i]);
    if (i == 0) {
      worker.evaluator().enumerate_initial(*behaviour.init.code,
                                           behaviour.init.frame, finder);
    } else {
      worker.symmetry().set_base(state.data());
      worker.evaluator().enumerate_successors(
          *behaviour.next.code, behaviour.next.frame, state.data(), finder);
    }
    if (finder.found.empty()) break;  // a specification without the symmetry
    TraceState step = trace_state(worker.program(), finder.found.data(),
                                  i == 0 ? nullptr : state.data());
    if (i > 0) {
      step.action = finder.name;
      step.place = error_at(finder.spot, {}).where;
    }
    trace.push_back(std::move(step));
    state = finder.found;
  }
  return trace;
}

}  // namespace txscope::tla
