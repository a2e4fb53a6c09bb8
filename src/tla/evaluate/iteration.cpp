#include "tla/evaluate/iteration.h"

#include "tla/code/fold.h"

namespace txscope::tla {
namespace {

/// How many elements a set has that are worth a place each on the stack.
std::optional<std::size_t> short_length(Value set) {
  constexpr std::int64_t kShort = 256;
  if (!set.is_node()) return std::nullopt;
  const Node& node = *set.as_node();
  std::int64_t length = kShort + 1;
  if (node.kind == NodeKind::Set) length = node.size;
  if (node.kind == NodeKind::Interval)
    length = node.items[1].as_int() - node.items[0].as_int() + 1;
  if (length > kShort) return std::nullopt;
  return static_cast<std::size_t>(length);
}

/// A slot that has another value for a while.
class Lent {
 public:
  explicit Lent(Value& slot) : slot_(slot), was_(slot) {}
  ~Lent() { slot_ = was_; }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  Value& slot_;
  const Value was_;
};

}  // namespace

void Evaluator::assign(const Binder& binder, Value v, Frame* frame,
                       const Spot& spot) {
  if (binder.tuple == 0) {
    frame->slots[binder.slot] = v;
    return;
  }
  const Node* node = v.is_node() ? v.as_node() : nullptr;
  if (node == nullptr || node->kind != NodeKind::Sequence ||
      node->size != binder.tuple)
    fail(spot, "expected a tuple of " + std::to_string(binder.tuple) +
                   " elements, found " + brief(v));
  for (std::uint32_t i = 0; i < binder.tuple; ++i)
    frame->slots[binder.slot + i] = node->items[i];
}

bool Evaluator::Iteration::quantify(Evaluator& e, const Code& code,
                                    Frame* frame, bool is_forall) {
  const bool undisturbed = for_all_choices(
      e, code, frame, [&] { return e.truth(code.kid(0), frame) == is_forall; });
  return undisturbed == is_forall;
}

Value Evaluator::Iteration::choose(Evaluator& e, const Code& code,
                                   Frame* frame) {
  const Binder& binder = code.binders[0];
  e.at_ = &code;
  const Value set = e.eval(*binder.set, frame);
  Value found;
  e.sets_.for_each(set, [&](Value v) {
    e.assign(binder, v, frame, code.spot);
    if (!e.truth(code.kid(0), frame)) return true;
    found = v;
    return false;
  });
  if (found.is_none())
    e.fault(code, "CHOOSE finds no element that satisfies its condition",
            "the set is " + brief(set));
  return found;
}

Value Evaluator::Iteration::filter(Evaluator& e, const Code& code,
                                   Frame* frame) {
  const Binder& binder = code.binders[0];
  e.at_ = &code;
  const Value set = e.eval(*binder.set, frame);
  const std::optional<std::size_t> most = short_length(set);
  if (!most) return filter_long(e, code, set, frame);
  const Mark mark(e);
  Value* kept = e.push(*most);
  std::size_t count = 0;
  e.sets_.for_each(set, [&](Value v) {
    e.assign(binder, v, frame, code.spot);
    if (e.truth(code.kid(0), frame)) kept[count++] = v;
    return true;
  });
  return e.store_.sorted_set({kept, count});
}

Value Evaluator::Iteration::filter_long(Evaluator& e, const Code& code,
                                        Value set, Frame* frame) {
  std::vector<Value> kept;
  e.sets_.for_each(set, [&](Value v) {
    e.assign(code.binders[0], v, frame, code.spot);
    if (e.truth(code.kid(0), frame)) e.sets_.append(kept, v);
    return true;
  });
  e.sets_.ask_for(kept.size());
  return e.store_.sorted_set(kept);
}

Value Evaluator::Iteration::map(Evaluator& e, const Code& code, Frame* frame) {
  std::vector<Value> images;
  for_all_choices(e, code, frame, [&] {
    e.sets_.append(images, e.settled(code.kid(0), frame));
    return true;
  });
  e.sets_.ask_for(images.size());
  return e.store_.set(images);
}

Value Evaluator::Iteration::function(Evaluator& e, const Code& code,
                                     Frame* frame) {
  if (code.binders.size() == 1) {
    const Binder& binder = code.binders[0];
    e.at_ = &code;
    const Value set = e.eval(*binder.set, frame);
    std::vector<Value> values;
    e.at_ = &code;
    if (set.is_node() && set.as_node()->kind == NodeKind::Interval &&
        set.as_node()->items[0] == Value::of_int(1)) {
      // A sequence; its domain need not be built.
      e.sets_.for_each(set, [&](Value v) {
        e.assign(binder, v, frame, code.spot);
        e.sets_.append(values, e.settled(code.kid(0), frame));
        return true;
      });
      e.sets_.ask_for(values.size());
      return e.store_.sequence(values);
    }
    const Node& domain = e.sets_.elements(set);
    e.sets_.ask_for(2 * domain.size);  // the list, and the function
    values.reserve(domain.size);
    for (const Value v : domain.all()) {
      e.assign(binder, v, frame, code.spot);
      values.push_back(e.settled(code.kid(0), frame));
    }
    return e.store_.function(Value::of_node(&domain), values);
  }
  std::vector<Value> keys;
  std::vector<std::pair<Value, Value>> points;
  for_all_choices(e, code, frame, [&] {
    std::vector<Value> key;
    for (const Binder& binder : code.binders) {
      if (binder.tuple == 0) {
        key.push_back(frame->slots[binder.slot]);
        continue;
      }
      key.push_back(
          e.store_.sequence({frame->slots + binder.slot, binder.tuple}));
    }
    points.emplace_back(e.store_.sequence(key), e.settled(code.kid(0), frame));
    keys.push_back(points.back().first);
    return true;
  });
  const Value domain = e.store_.set(keys);
  std::vector<Value> values(points.size());
  for (const auto& [key, value] : points)
    values[static_cast<std::size_t>(find_in_set(*domain.as_node(), key))] =
        value;
  return e.store_.function(domain, values);
}

/// As the recursion does it: its terms are asked for in the order of the calls,
/// or of their returns, and added from the last one on.
Value Evaluator::Iteration::fold(Evaluator& e, const Code& code, Frame* frame) {
  const Fold fold = *fold_of(code);
  Value& slot = frame->slots[fold.set];
  e.at_ = &code;
  const auto elements = e.sets_.elements(e.value_of(slot)).all();
  const Lent lent(slot);
  const Mark mark(e);
  slot = e.store_.empty_set();
  if (elements.empty()) return e.eval(*fold.base, frame);
  const auto number = [&](const Code& from, const Code& of) {
    const Value v = e.eval(from, frame);
    if (!v.is_int()) e.not_integer(of, v);
    return v;
  };
  Value* terms = e.push(elements.size());
  const auto term = [&](std::size_t i) {
    e.check_depth(code);
    frame->slots[fold.element] = elements[i];
    terms[i] = number(*fold.term, *fold.term);
  };
  Value base;
  if (!fold.is_term_first) base = number(*fold.base, *fold.rest);
  for (std::size_t i = 0; i < elements.size(); ++i)
    term(fold.is_term_first ? i : elements.size() - 1 - i);
  if (fold.is_term_first) base = number(*fold.base, *fold.rest);
  std::int64_t sum = base.as_int();
  for (std::size_t i = elements.size(); i-- > 0;) {
    sum += terms[i].as_int();
    if (sum > kLargestInt || sum < -kLargestInt)
      return e.too_large(code.kid(2).kid(0));
  }
  return Value::of_int(sum);
}

}  // namespace txscope::tla
