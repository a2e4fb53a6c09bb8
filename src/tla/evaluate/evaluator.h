#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/random.h"
#include "tla/code/code.h"
#include "tla/code/program.h"
#include "tla/evaluate/memo.h"
#include "tla/value/recent.h"
#include "tla/value/sets.h"

namespace txscope::tla {

/// The slots of a definition that is being evaluated, and the frame around it.
struct Frame {
  Value* slots = nullptr;
  Frame* up = nullptr;
};

/// A formula together with the values of what it is bound in.
struct Formula {
  const Code* code = nullptr;
  Frame* frame = nullptr;
  const Def* named = nullptr;  ///< the definition whose body it is, if known
  explicit operator bool() const { return code != nullptr; }
};

/// Gets every state that an initial predicate or an action describes.
class StateSink {
 public:
  virtual ~StateSink() = default;
  /// False ends the enumeration.
  virtual bool state(const Value* values) = 0;
  /// So many states were passed through on the way, as A \cdot B does.
  virtual void passed(std::size_t) {}
};

/// Keeps them one after the other.
class StateRows : public StateSink {
 public:
  explicit StateRows(std::size_t width) : width_(width) {}
  bool state(const Value* values) override {
    rows.insert(rows.end(), values, values + width_);
    return true;
  }
  std::vector<Value> rows;

 private:
  std::size_t width_;
};

/// Sees the calls of definitions that depend on nothing but their arguments.
class CallRecorder {
 public:
  virtual ~CallRecorder() = default;
  virtual void call(const Def& def, std::span<const Value> args) = 0;
};

/// Evaluates compiled code over a current and, for actions, a next state.
/// Throws Fault with the place in the user's text.
///
/// Arguments that may be expensive are thunks: evaluated when first needed,
/// then kept.  Definitions that depend on nothing but their arguments, and
/// iterate, are remembered by the values of the arguments.
class Evaluator {
 public:
  explicit Evaluator(Program& program);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator();

  [[nodiscard]] Program& program() { return program_; }
  [[nodiscard]] Sets& sets() { return sets_; }

  /// A definition without parameters, in the state `now`.
  Value evaluate(const Def& def, const Value* now, const Value* next = nullptr);
  bool holds(const Def& def, const Value* now, const Value* next = nullptr);
  /// Code outside of any definition that keeps its own frame.
  Value evaluate(const Code& code, Frame* frame, const Value* now,
                 const Value* next = nullptr);
  bool holds(const Code& code, Frame* frame, const Value* now,
             const Value* next = nullptr);

  /// All states that satisfy every one of `init`, one call per way of
  /// satisfying them.  Returns false if the sink ended it.
  bool enumerate_initial(std::span<const Formula> init, StateSink& sink);
  /// All successors of `now` by `action`, one call per way of satisfying it.
  bool enumerate_successors(const Formula& action, const Value* now,
                            StateSink& sink);

  /// The same for an action that may leave variables open; those are none.
  void enumerate_partial(const Code& action, Frame* frame, const Value* now,
                         StateSink& sink);
  /// ENABLED action: whether some next state satisfies it.  The action may
  /// leave variables open.
  bool is_enabled(const Code& action, Frame* frame, const Value* now);

  /// During a sink's call: the definition and arguments of the step, such as
  /// `Send(p1)`; found when keep_actions is on.
  [[nodiscard]] std::string action_name();
  /// The first argument of that step: by convention, who takes it.
  [[nodiscard]] std::string action_process();
  [[nodiscard]] const Def* action() const { return action_; }
  /// Names and values of its parameters.
  [[nodiscard]] std::vector<std::pair<std::string, Value>> action_arguments();

  /// Values given to Print and PrintT, in order, at most a thousand.
  [[nodiscard]] std::vector<std::string>& prints() { return prints_; }

  /// What TLCGet("level") and its like say about the run.
  void set_facts(
      std::function<std::optional<std::int64_t>(std::string_view)> facts) {
    facts_ = std::move(facts);
  }
  void set_seed(std::uint64_t seed) { seed_ = seed; }

  /// Whether TLCSet("exit", TRUE) was evaluated, which cancels the budget.
  [[nodiscard]] bool wants_exit() const { return wants_exit_; }
  /// How often an Assert was evaluated.
  [[nodiscard]] std::uint64_t assertions() const { return assertions_; }
  /// While it lives no state is changed or moved in memory: what was computed
  /// from a state is kept from one evaluation to the next.
  class Staying {
   public:
    explicit Staying(Evaluator& e) : evaluator_(e) {
      ++e.epoch_;
      e.is_staying_ = true;
    }
    ~Staying() { evaluator_.is_staying_ = false; }
    Staying(const Staying&) = delete;
    Staying& operator=(const Staying&) = delete;

   private:
    Evaluator& evaluator_;
  };

  /// Evaluations throw Stopped once it is spent.
  void set_budget(const Budget* budget) {
    budget_ = budget;
    sets_.set_budget(budget);
  }

  /// While set, is told about calls, remembered ones included.
  void set_recorder(CallRecorder* recorder) { recorder_ = recorder; }

  /// Forgets what can be computed again and marks the values that are left,
  /// see Store::sweep.  Not during an evaluation.
  void mark_values();

  /// Whether each formula counts how often it is evaluated.
  void set_counting(bool is_on) { is_counting_ = is_on; }

  /// A frame that lives as long as the evaluator, for quantified fairness.
  Frame* keep_frame(const Frame& like, std::uint32_t slots);
  Frame* new_frame(std::uint32_t slots);
  /// Replaces a reference to a definition, a parameter or a LET by what it
  /// stands for, in a frame of its own; false if the formula is none.
  bool open(Formula& f);
  /// Whether a formula speaks of one state only.
  [[nodiscard]] bool is_state_level(const Formula& f);
  [[nodiscard]] const Node& elements_of(const Code& code, Frame* frame);

  // What is evaluated how, each in files of its name.  Their functions get the
  // evaluator, whose values, stack and states they share.
  struct Shapes;
  struct Enumeration;
  struct Iteration;
  struct Membership;
  struct DefinedFunctions;
  struct SequenceOperations;
  struct TlcOperations;
  struct LibraryOperations;
  struct Randomness;
  struct Remembering;

 private:
  struct Forms;
  struct Thunk;
  struct Closure;
  struct FunctionInstance;
  struct Continuation;
  struct Mark;
  struct Dependence;
  struct Building;
  struct StateScope;
  struct LetScope;

  // evaluator.cpp: names, control
  Value eval(const Code& code, Frame* frame) {
    return code.op == Op::Const ? code.value : code.run(*this, code, frame);
  }
  Value compute(const Code& code, Frame* frame);
  bool truth(const Code& code, Frame* frame) {
    if (is_counting_) ++code.visits;
    return test(code, frame);
  }
  bool test(const Code& code, Frame* frame) {  // truth, not counted
    const Value v = eval(code, frame);
    return v == kTrue || (v != kFalse && not_boolean(code, v));
  }
  [[noreturn]] bool not_boolean(const Code& code, Value v);
  [[noreturn]] Value no_state(const Code& code);
  [[noreturn]] Value no_value(const Code& code);
  Value value_of(Value slot);
  Value force(Value v);
  Value argument(const Code& kid, Frame* frame, bool keeps_variables);
  void fill_arguments(const Def& def, std::span<const Code* const> kids,
                      Frame* frame, Value* slots);
  Value case_of(const Code& code, Frame* frame);
  // opening.cpp: frames that stay
  Value kept_argument(const Code& kid, Frame* frame);
  Value kept_thunk(const Code& code, Frame* frame);

  // calls.cpp
  Value call(const Code& code, Frame* frame);
  Frame* enter_instances(const Code& code, Frame* frame);
  Value call_closure(const Closure& closure, std::span<const Value> args);
  Value body(const Def& def, Frame* frame);
  Value let(const Code& code, Frame* frame);

  /// A function over an infinite set, in the frame it belongs to: it can be
  /// applied, but not built.  No code: it is none.
  struct Unbuilt {
    const Code* code = nullptr;
    Frame* frame = nullptr;
  };

  /// Whether a state is one of those that are being built.
  [[nodiscard]] bool is_unsettled(const Value* state) const {
    return state >= arena_.get() && state < arena_end_;
  }
  Value primed(const Code& code, Frame* frame);
  bool unchanged(const Code& code, Frame* frame);

  void assign(const Binder& binder, Value v, Frame* frame, const Spot& spot);

  // operations.cpp: what works on values
  Value operate(const Code& code, Frame* frame);
  bool equal(Value a, Value b, const Code& code);
  Value arithmetic(const Code& code, Frame* frame);
  std::int64_t place_of(const Node& f, Value arg);
  Value apply(Value f, Value arg, const Code& code);
  Value field(const Code& code, Frame* frame);
  Value except(const Code& code, Frame* frame);
  Value update(Value base, const CodeUpdate& u, std::size_t step,
               const Value* path, Frame* frame, const Code& code);
  Value remade(const Node& like, const Value* items);
  Value domain(Value f, const Code& code);
  Value merge(Value f, Value g, const Code& code);

  Value settled(const Code& code, Frame* frame);
  std::int64_t integer(const Code& code, Frame* frame);
  [[noreturn]] void not_integer(const Code& code, Value v);
  [[noreturn]] Value too_large(const Code& code);
  const Node& sequence_node(Value v, const Code& code);
  const Node& function_node(Value v, const Code& code);

  Value* push(std::size_t words);
  void check_depth(const Code& code);
  /// Called in every loop and recursion; looks at the budget now and then.
  void tick() { sets_.tick(); }
  [[noreturn]] void fault(const Code& code, std::string what,
                          std::string hint = {});
  void enter();
  template <class Run>
  auto guarded(const Run& run) -> decltype(run());

  Program& program_;
  Store& store_;
  Sets sets_;
  std::unique_ptr<std::uint64_t[]> stack_;  // of values, thunks, closures
  std::size_t top_ = 0;
  const char* deepest_ = nullptr;  // the C++ stack may grow down to here
  std::uint64_t thread_ = 0;       // of which deepest_ is true
  const Value* now_ = nullptr;
  const Value* next_ = nullptr;
  const Code* at_ = nullptr;  // for faults of values
  CallRecorder* recorder_ = nullptr;
  const Budget* budget_ = nullptr;
  bool wants_exit_ = false;
  std::uint64_t assertions_ = 0;
  /// Of calls, by their arguments.
  struct CallMemo {
    CallMemo(std::size_t width, bool keeps_all) : values(width, keeps_all) {}
    Memo values;
    std::uint64_t failed = 0;  // an argument has no value
    bool is_lazy = false;      // arguments are evaluated when they are needed
  };
  std::vector<std::unique_ptr<CallMemo>> memos_;   // by Def::id
  std::vector<std::unique_ptr<Memo>> remembered_;  // by Code::memo
  std::uint64_t epoch_ = 0;  // counts evaluations from outside
  bool is_staying_ = false;  // but not these
  std::vector<std::unique_ptr<FunctionInstance>> functions_;
  std::vector<FunctionInstance*> free_functions_;
  std::unordered_map<const Def*, FunctionInstance*> function_of_;
  std::vector<std::string> prints_;
  Recent places_;   // of a value in a domain
  Recent members_;  // of sets that never change: value, set; see Membership
  struct KeptSlots {
    std::unique_ptr<Value[]> slots;
    std::size_t count;
  };
  std::vector<KeptSlots> kept_slots_;  // of kept_frames_
  std::vector<std::unique_ptr<std::uint64_t[]>>
      kept_words_;  // thunks, closures
  std::vector<std::unique_ptr<Frame>> kept_frames_;
  std::unordered_map<std::uint64_t, Value> registers_;  // of TLCSet
  std::function<std::optional<std::int64_t>(std::string_view)> facts_;
  bool is_counting_ = false;
  std::uint64_t seed_ = 1;
  std::uint64_t draws_ = 0;      // random numbers in this evaluation
  bool is_provisional_ = false;  // see Dependence
  // While enumerating, see Building.
  std::unique_ptr<Value[]> arena_;  // of states being built
  const Value* arena_end_ = nullptr;
  std::size_t width_ = 0;     // of one of them, stand-ins included
  std::size_t builders_ = 0;  // how many are in use
  Value* building_ = nullptr;
  std::size_t open_ = 0;            // variables without a value
  std::uint64_t version_ = 0;       // of what building_ holds
  std::uint64_t last_version_ = 0;  // never used again
  bool is_initial_ = false;
  bool is_partial_ = false;
  bool is_stopped_ = false;
  StateSink* sink_ = nullptr;
  const Def* action_ = nullptr;
  Frame* action_frame_ = nullptr;
  bool action_is_set_ = false;
};

}  // namespace txscope::tla
