#include "tla/evaluate/enumeration.h"

namespace txscope::tla {
namespace {

/// One state is enough.
class AnyState : public StateSink {
 public:
  bool state(const Value*) override {
    is_found = true;
    return false;
  }
  bool is_found = false;
};

}  // namespace

Evaluator::Building::Building(Evaluator& e, StateSink& to, bool initial,
                              bool partial)
    : evaluator(e),
      values(e.building_),
      open(e.open_),
      version(e.version_),
      is_initial(e.is_initial_),
      is_partial(e.is_partial_),
      is_stopped(e.is_stopped_),
      sink(e.sink_),
      action(e.action_),
      action_frame(e.action_frame_),
      action_is_set(e.action_is_set_) {
  Value* mine = e.arena_.get() + e.builders_ * e.width_;
  if (mine >= e.arena_end_)
    throw ValueFault{"ENABLED is nested too deeply", {}};
  ++e.builders_;
  std::fill(mine, mine + e.width_, Value());
  e.building_ = mine;
  e.open_ = e.program_.variables().size();
  e.version_ = ++e.last_version_;
  e.is_initial_ = initial;
  e.is_partial_ = partial;
  e.is_stopped_ = false;
  e.sink_ = &to;
  e.action_ = nullptr;
  e.action_frame_ = nullptr;
  e.action_is_set_ = false;
}

Evaluator::Building::~Building() {
  Evaluator& e = evaluator;
  --e.builders_;
  e.building_ = values;
  e.open_ = open;
  e.version_ = version;
  e.is_initial_ = is_initial;
  e.is_partial_ = is_partial;
  e.is_stopped_ = is_stopped;
  e.sink_ = sink;
  e.action_ = action;
  e.action_frame_ = action_frame;
  e.action_is_set_ = action_is_set;
}

void Evaluator::enumerate_partial(const Code& action, Frame* frame,
                                  const Value* now, StateSink& sink) {
  const Building building(*this, sink, false, true);
  guarded([&] {
    now_ = now;
    next_ = building_;
    Enumeration::run(*this, action, frame, nullptr);
    return true;
  });
}

bool Evaluator::is_enabled(const Code& action, Frame* frame, const Value* now) {
  return guarded([&] {
    now_ = now;
    next_ = nullptr;
    return Enumeration::enabled(*this, action, frame);
  });
}

/// ENABLED A: some next state satisfies A.  It is looked for as successors
/// are, but A need not give a value to every variable.  The answer depends on
/// the current state only, whatever was read while looking.
bool Evaluator::Enumeration::enabled(Evaluator& e, const Code& action,
                                     Frame* frame) {
  const bool was_provisional = e.is_provisional_;
  AnyState any;
  {
    const Building building(e, any, false, true);
    const StateScope scope(e);
    const Mark mark(e);
    e.next_ = e.building_;
    run(e, action, frame, nullptr);
  }
  e.is_provisional_ = was_provisional || e.is_unsettled(e.now_);
  return any.is_found;
}

/// Inside ENABLED, a variable of an instantiated module that stands for an
/// expression is a variable of its own: y' = 1 with y <- x % 2 asks for a next
/// value of y, not of x (Lamport, Specifying Systems, Section 17.8).
std::int64_t Evaluator::Enumeration::stand_in(Evaluator& e, const Code& code) {
  if (!e.is_partial_ || code.stand_in == 0) return -1;
  return static_cast<std::int64_t>(e.program_.variables().size()) +
         code.stand_in - 1;
}

/// Whether `code` can have another value in the next state that ENABLED looks
/// for; what has no value there yet can.
bool Evaluator::Enumeration::may_change(Evaluator& e, const Code& code,
                                        Frame* frame) {
  if (const std::int64_t i = stand_in(e, code); i >= 0 && e.open_ > 0)
    return e.building_[i].is_none() || e.building_[i] != e.settled(code, frame);
  switch (code.op) {
    case Op::Variable:
      return e.building_[code.index].is_none() ||
             e.building_[code.index] != e.now_[code.index];
    case Op::Tuple:
      for (const Code* kid : code.all())
        if (may_change(e, *kid, frame)) return true;
      return false;
    case Op::Slot: {
      for (std::uint32_t i = code.hops; i > 0; --i) frame = frame->up;
      const Value v = frame->slots[code.index];
      if (v.tag() != Tag::Thunk) return false;
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      return may_change(e, *thunk.code, thunk.frame);
    }
    case Op::Call:
      if (code.def->params == 0 && code.def->is_global()) {
        const Mark mark(e);
        Frame inner{e.push(code.def->slots), nullptr};
        return may_change(e, *code.def->body, &inner);
      }
      break;
    default: break;
  }
  try {
    return !e.unchanged(code, frame);
  } catch (const Fault&) {
    return true;  // it reads what is still open
  }
}

}  // namespace txscope::tla
