#include "tla/evaluate/randomness.h"

#include <algorithm>
#include <set>

namespace txscope::tla {

/// Random numbers that depend on nothing but the seed, the place, the set, the
/// state, and how many were drawn before in this evaluation: asked again, the
/// same state has the same successors.
Random Evaluator::Randomness::draw(Evaluator& e, const Code& code, Value set) {
  std::uint64_t h = scramble(e.seed_ + 1);
  h = scramble(h ^ (std::uint64_t{code.spot.line} << 32 | code.spot.column));
  h = scramble(h ^ hash_of(set));
  if (e.now_ != nullptr && !e.is_unsettled(e.now_))
    for (std::size_t i = 0; i < e.program_.variables().size(); ++i)
      h = scramble(h ^ (e.now_[i].is_none() ? 0 : hash_of(e.now_[i])));
  return Random(scramble(h ^ ++e.draws_));
}

/// An element of a set that may be too large to be built.
Value Evaluator::Randomness::sample(Evaluator& e, Value set, Random& random) {
  const Node* node = set.is_node() ? set.as_node() : nullptr;
  if (node == nullptr || node->is_function())
    throw ValueFault{"expected a set, found " + brief(set), {}};
  std::vector<Value> items;
  switch (node->kind) {
    case NodeKind::Interval:
      if (node->items[0].as_int() > node->items[1].as_int()) break;
      return Value::of_int(
          random.between(node->items[0].as_int(), node->items[1].as_int()));
    case NodeKind::Subset:
      for (const Value v : e.sets_.elements(node->items[0]).all())
        if (random.chance(0.5)) items.push_back(v);
      return e.store_.sorted_set(items);
    case NodeKind::FunctionSet: {
      const Node& domain = e.sets_.elements(node->items[0]);
      for (std::uint32_t i = 0; i < domain.size; ++i)
        items.push_back(sample(e, node->items[1], random));
      return e.store_.function(Value::of_node(&domain), items);
    }
    case NodeKind::RecordSet:
      for (const Value part : node->all())
        items.push_back(sample(e, part, random));
      return e.store_.function(node->domain, items);
    case NodeKind::Product:
      for (const Value part : node->all())
        items.push_back(sample(e, part, random));
      return e.store_.sequence(items);
    default: break;
  }
  const Node& all = e.sets_.elements(set);
  if (all.size == 0) throw ValueFault{"a random element of an empty set", {}};
  return all.items[random.below(all.size)];
}

Value Evaluator::Randomness::subset(Evaluator& e, const Code& code,
                                    Frame* frame) {
  const std::int64_t asked = e.integer(code.kid(0), frame);
  const Value set = e.eval(code.kid(1), frame);
  e.at_ = &code;
  constexpr std::int64_t kSmall = 1 << 16;
  Random random = draw(e, code, set);
  const std::int64_t size = e.sets_.cardinality(set);
  if (asked < 0)
    e.fault(code, "no subset has " + std::to_string(asked) + " elements");
  const std::int64_t wanted = std::min(asked, size);  // as TLC
  std::vector<Value> chosen;
  if (size <= kSmall) {
    const Node& all = e.sets_.elements(set);
    std::vector<Value> rest(all.all().begin(), all.all().end());
    for (std::int64_t i = 0; i < wanted; ++i) {
      const std::size_t at = random.below(rest.size());
      chosen.push_back(rest[at]);
      rest[at] = rest.back();
      rest.pop_back();
    }
  } else {
    std::set<std::uint64_t> known;
    while (known.size() < static_cast<std::size_t>(wanted)) {
      e.tick();
      const Value v = sample(e, set, random);
      if (known.insert(v.bits()).second) chosen.push_back(v);
    }
  }
  return e.store_.set(chosen);
}

/// About k sets of about n elements each.
Value Evaluator::Randomness::subsets(Evaluator& e, const Code& code,
                                     Frame* frame) {
  const std::int64_t count = e.integer(code.kid(0), frame);
  const std::int64_t size = e.integer(code.kid(1), frame);
  const Value set = e.eval(code.kid(2), frame);
  e.at_ = &code;
  const Node& all = e.sets_.elements(set);
  Random random = draw(e, code, set);
  const double p =
      all.size == 0 ? 0
                    : static_cast<double>(size) / static_cast<double>(all.size);
  std::vector<Value> subsets;
  for (std::int64_t i = 0; i < count; ++i) {
    e.tick();
    std::vector<Value> chosen;
    for (const Value v : all.all())
      if (random.chance(p)) chosen.push_back(v);
    subsets.push_back(e.store_.sorted_set(chosen));
  }
  return e.store_.set(subsets);
}

}  // namespace txscope::tla
