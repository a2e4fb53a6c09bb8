#include "tla/evaluate/remembering.h"

#include "tla/evaluate/native.h"

namespace txscope::tla {

/// A definition that reads nothing but its parameters, by their values.  The
/// arguments are evaluated first; where that fails, one that is never needed
/// may be to blame, and the call is made without looking.
Value Evaluator::Remembering::call(Evaluator& e, const Code& code, Frame* frame,
                                   const Def& def) {
  const Mark mark(e);
  Frame inner{e.push(def.slots), nullptr};
  CallMemo& memo = memo_of(e, def);
  std::uint64_t key[8];
  if (memo.is_lazy ||
      !fill_values(e, def, code.all(), frame, inner.slots, key)) {
    // Finding that out is slow: where it is frequent it is not tried.
    constexpr std::uint64_t kOften = 100;
    ++memo.failed;
    if (memo.failed > kOften && memo.failed * 10 > memo.values.asked() &&
        def.native < 0)
      memo.is_lazy = true;
    e.fill_arguments(def, code.all(), frame, inner.slots);
    return e.eval(*def.body, &inner);
  }
  if (e.recorder_ != nullptr) e.recorder_->call(def, {inner.slots, def.params});
  if (memo.values.is_off()) return e.eval(*def.body, &inner);
  const Value known = memo.values.find(key);
  if (!known.is_none()) return known;
  Value result;
  const std::uint32_t before = e.sets_.ticks();
  if (def.native >= 0) {
    static const Budget kUnlimited = Budget::unlimited();
    const Budget& budget = e.budget_ != nullptr ? *e.budget_ : kUnlimited;
    const auto answer =
        evaluate_native(def.native, {inner.slots, def.params}, budget);
    if (budget.reason() != Spent::Nothing) throw Stopped{};
    if (answer) result = Value::of_bool(*answer);
  }
  if (result.is_none()) result = e.eval(*def.body, &inner);
  memo.values.note(key, result, e.sets_.ticks() - before);
  return result;
}

Evaluator::CallMemo& Evaluator::Remembering::memo_of(Evaluator& e,
                                                     const Def& def) {
  if (e.memos_.size() <= def.id) e.memos_.resize(def.id + 1);
  auto& memo = e.memos_[def.id];
  if (!memo) memo = std::make_unique<CallMemo>(def.params, def.native >= 0);
  return *memo;
}

/// The values of the arguments, and words that tell them from others.  False
/// if one has no value.
bool Evaluator::Remembering::fill_values(Evaluator& e, const Def& def,
                                         std::span<const Code* const> kids,
                                         Frame* frame, Value* slots,
                                         std::uint64_t* key) {
  for (std::size_t i = 0; i < kids.size(); ++i) {
    Value v = e.argument(*kids[i], frame, false);
    if (v.tag() == Tag::Closure) {
      const auto& closure = *static_cast<const Closure*>(v.pointer());
      if (closure.up != nullptr || !closure.def->is_constant()) return false;
      key[i] = reinterpret_cast<std::uint64_t>(closure.def) | 6u;
      slots[i] = v;
      continue;
    }
    if (v.tag() == Tag::Thunk) {
      try {
        v = e.value_of(v);
        if (def.native >= 0) v = e.sets_.settle(v);
      } catch (const Fault&) {
        return false;
      } catch (const ValueFault&) {
        return false;
      }
    }
    key[i] = v.bits();
    slots[i] = v;
  }
  return true;
}

/// The values of the slots that code depends on; false if one has none yet.
bool Evaluator::Remembering::values_of_needs(Evaluator& e, const Code& code,
                                             const Frame* frame,
                                             std::uint64_t* key) {
  for (const OuterSlot& need : code.needs) {
    const Frame* home = frame;
    for (std::uint32_t i = need.hops; i > 0; --i) home = home->up;
    const Value v = home->slots[need.index];
    *key = v.bits();
    if (v.tag() == Tag::Closure) return false;
    if (v.tag() == Tag::Thunk) {
      const auto& thunk = *static_cast<const Thunk*>(v.pointer());
      const Value value =
          thunk.code->is_closed ? thunk.code->known : thunk.settled_in(e.now_);
      if (value.is_none()) return false;
      *key = value.bits();
    }
    ++key;
  }
  return true;
}

/// Code that nothing but a few slots can change, by their values.
Value Evaluator::Remembering::value_of(Evaluator& e, const Code& code,
                                       Frame* frame, Code::Run run) {
  std::uint64_t key[Code::kMostNeeds];
  if (e.recorder_ != nullptr || e.is_counting_ ||
      !values_of_needs(e, code, frame, key))
    return run(e, code, frame);
  if (e.remembered_.size() <= code.memo) e.remembered_.resize(code.memo + 1);
  auto& place = e.remembered_[code.memo];
  if (!place) place = std::make_unique<Memo>(code.needs.size(), false);
  Memo& memo = *place;
  if (memo.is_off()) {
    code.run = run;
    return run(e, code, frame);
  }
  const Value known = memo.find(key);
  if (!known.is_none()) return known;
  const std::uint32_t before = e.sets_.ticks();
  const Value result = run(e, code, frame);
  memo.note(key, result, e.sets_.ticks() - before);
  return result;
}

}  // namespace txscope::tla
