#include "tla/evaluate/iteration.h"

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

bool Evaluator::quantify(const Code& code, Frame* frame, bool is_forall) {
  const bool undisturbed = for_all_choices(
      code, frame, [&] { return truth(code.kid(0), frame) == is_forall; });
  return undisturbed == is_forall;
}

Value Evaluator::choose(const Code& code, Frame* frame) {
  const Binder& binder = code.binders[0];
  at_ = &code;
  const Value set = eval(*binder.set, frame);
  Value found;
  sets_.for_each(set, [&](Value v) {
    assign(binder, v, frame, code.spot);
    if (!truth(code.kid(0), frame)) return true;
    found = v;
    return false;
  });
  if (found.is_none())
    fault(code, "CHOOSE finds no element that satisfies its condition",
          "the set is " + brief(set));
  return found;
}

Value Evaluator::filter(const Code& code, Frame* frame) {
  const Binder& binder = code.binders[0];
  at_ = &code;
  const Value set = eval(*binder.set, frame);
  const std::optional<std::size_t> most = short_length(set);
  if (!most) return filter_long(code, set, frame);
  const Mark mark(*this);
  Value* kept = push(*most);
  std::size_t count = 0;
  sets_.for_each(set, [&](Value v) {
    assign(binder, v, frame, code.spot);
    if (truth(code.kid(0), frame)) kept[count++] = v;
    return true;
  });
  return store_.sorted_set({kept, count});
}

Value Evaluator::filter_long(const Code& code, Value set, Frame* frame) {
  std::vector<Value> kept;
  sets_.for_each(set, [&](Value v) {
    assign(code.binders[0], v, frame, code.spot);
    if (truth(code.kid(0), frame)) sets_.append(kept, v);
    return true;
  });
  sets_.ask_for(kept.size());
  return store_.sorted_set(kept);
}

Value Evaluator::map(const Code& code, Frame* frame) {
  std::vector<Value> images;
  for_all_choices(code, frame, [&] {
    sets_.append(images, settled(code.kid(0), frame));
    return true;
  });
  sets_.ask_for(images.size());
  return store_.set(images);
}

Value Evaluator::function(const Code& code, Frame* frame) {
  if (code.binders.size() == 1) {
    const Binder& binder = code.binders[0];
    at_ = &code;
    const Value set = eval(*binder.set, frame);
    std::vector<Value> values;
    at_ = &code;
    if (set.is_node() && set.as_node()->kind == NodeKind::Interval &&
        set.as_node()->items[0] == Value::of_int(1)) {
      // A sequence; its domain need not be built.
      sets_.for_each(set, [&](Value v) {
        assign(binder, v, frame, code.spot);
        sets_.append(values, settled(code.kid(0), frame));
        return true;
      });
      sets_.ask_for(values.size());
      return store_.sequence(values);
    }
    const Node& domain = sets_.elements(set);
    sets_.ask_for(2 * domain.size);  // the list, and the function
    values.reserve(domain.size);
    for (const Value v : domain.all()) {
      assign(binder, v, frame, code.spot);
      values.push_back(settled(code.kid(0), frame));
    }
    return store_.function(Value::of_node(&domain), values);
  }
  std::vector<Value> keys;
  std::vector<std::pair<Value, Value>> points;
  for_all_choices(code, frame, [&] {
    std::vector<Value> key;
    for (const Binder& binder : code.binders) {
      if (binder.tuple == 0) {
        key.push_back(frame->slots[binder.slot]);
        continue;
      }
      key.push_back(
          store_.sequence({frame->slots + binder.slot, binder.tuple}));
    }
    points.emplace_back(store_.sequence(key), settled(code.kid(0), frame));
    keys.push_back(points.back().first);
    return true;
  });
  const Value domain = store_.set(keys);
  std::vector<Value> values(points.size());
  for (const auto& [key, value] : points)
    values[static_cast<std::size_t>(find_in_set(*domain.as_node(), key))] =
        value;
  return store_.function(domain, values);
}

}  // namespace txscope::tla
