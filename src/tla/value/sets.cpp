#include "tla/value/sets.h"

#include <algorithm>
#include <limits>

namespace txscope::tla {
namespace {

bool is_set(Value v) { return v.is_node() && !v.as_node()->is_function(); }

const Node& set_node(Value v) {
  if (!is_set(v)) throw ValueFault{"expected a set, found " + brief(v), {}};
  return *v.as_node();
}

/// Its elements cost less than a set that waits for them.
bool is_short_interval(const Node& set) {
  constexpr std::int64_t kShort = 64;
  return set.kind == NodeKind::Interval &&
         set.items[1].as_int() - set.items[0].as_int() < kShort;
}

void check_size(double size) {
  if (size > static_cast<double>(Sets::kLargest))
    throw ValueFault{"this set has more than 16,777,216 elements",
                     "test membership in it instead of enumerating it"};
}

/// a * b of numbers that are not negative, as long as it is an integer of
/// TLA+ here.
std::int64_t limited_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result > kLargestInt)
    throw ValueFault{"this number is too large", {}};
  return result;
}

std::int64_t limited_power(std::int64_t base, std::int64_t exponent) {
  if (base <= 1) return exponent == 0 ? 1 : base;
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i)
    result = limited_product(result, base);
  return result;
}

}  // namespace

std::string kind_of(Value v) {
  switch (v.tag()) {
    case Tag::Int: return "an integer";
    case Tag::Bool: return "a boolean";
    case Tag::String: return "a string";
    case Tag::Model: return "a model value";
    case Tag::Node: return v.as_node()->is_function() ? "a function" : "a set";
    case Tag::Thunk:
    case Tag::Closure: return "an operator";
    case Tag::None: break;
  }
  return "no value";
}

std::string brief(Value v) {
  constexpr std::size_t kLongest = 60;
  std::string text = to_string(v);
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

const Node& Sets::elements(Value set) {
  set_node(set);
  return *settle(set).as_node();
}

bool Sets::contains(Value set, Value v) {
  const Node& node = set_node(set);
  if (node.kind == NodeKind::Set) return find_in_set(node, settle(v)) >= 0;
  return contains_lazy(node, v);
}

bool Sets::contains_lazy(const Node& set, Value v) {
  const auto every_item_in = [&](Value target) {
    for (const Value item : v.as_node()->all())
      if (!contains(target, item)) return false;
    return true;
  };
  const bool is_function = v.is_node() && v.as_node()->is_function();
  const bool is_sequence =
      is_function && v.as_node()->kind == NodeKind::Sequence;
  switch (set.kind) {
    case NodeKind::Interval:
      return v.is_int() && v.as_int() >= set.items[0].as_int() &&
             v.as_int() <= set.items[1].as_int();
    case NodeKind::Naturals: return v.is_int() && v.as_int() >= 0;
    case NodeKind::Integers: return v.is_int();
    case NodeKind::Strings: return v.tag() == Tag::String;
    case NodeKind::Subset:
      if (!is_set(v))
        throw ValueFault{"expected a set as element of " +
                             brief(Value::of_node(&set)) + ", found " +
                             brief(v),
                         {}};
      return is_subset(v, set.items[0]);
    case NodeKind::SequenceSet:
      return is_sequence && every_item_in(set.items[0]);
    case NodeKind::FunctionSet: {
      if (!is_function) return false;
      if (!is_finite(set.items[0])) return false;
      const Node& f = *v.as_node();
      const Node& domain = elements(set.items[0]);
      if (domain.size != f.size) return false;
      if (is_sequence) {
        for (std::uint32_t i = 0; i < f.size; ++i)
          if (domain.items[i] != Value::of_int(i + 1)) return false;
      } else if (f.domain != Value::of_node(&domain)) {
        return false;
      }
      return every_item_in(set.items[1]);
    }
    case NodeKind::RecordSet: {
      if (!is_function || v.as_node()->domain != set.domain) return false;
      for (std::uint32_t i = 0; i < set.size; ++i)
        if (!contains(set.items[i], v.as_node()->items[i])) return false;
      return true;
    }
    case NodeKind::Product: {
      if (!is_sequence || v.as_node()->size != set.size) return false;
      for (std::uint32_t i = 0; i < set.size; ++i)
        if (!contains(set.items[i], v.as_node()->items[i])) return false;
      return true;
    }
    case NodeKind::Union:
      return contains(set.items[0], v) || contains(set.items[1], v);
    case NodeKind::Intersection:
      return contains(set.items[0], v) && contains(set.items[1], v);
    case NodeKind::Difference:
      return contains(set.items[0], v) && !contains(set.items[1], v);
    case NodeKind::BigUnion: {
      for (const Value part : elements(set.items[0]).all())
        if (contains(part, v)) return true;
      return false;
    }
    case NodeKind::Set:
    case NodeKind::Function:
    case NodeKind::Sequence: break;
  }
  return false;
}

bool Sets::is_subset(Value a, Value b) {
  const Node& left = set_node(a);
  set_node(b);
  if (a == b) return true;
  // SUBSET S \subseteq SUBSET T iff S \subseteq T, without building either.
  if (left.kind == NodeKind::Subset && b.as_node()->kind == NodeKind::Subset)
    return is_subset(left.items[0], b.as_node()->items[0]);
  return for_each(a, [&](Value v) { return contains(b, v); });
}

bool Sets::is_finite(Value set) {
  const Node& node = set_node(set);
  switch (node.kind) {
    case NodeKind::Set:
    case NodeKind::Interval: return true;
    case NodeKind::Naturals:
    case NodeKind::Integers:
    case NodeKind::Strings: return false;
    case NodeKind::SequenceSet:
      return is_finite(node.items[0]) && elements(node.items[0]).size == 0;
    case NodeKind::Intersection:
      return is_finite(node.items[0]) || is_finite(node.items[1]);
    case NodeKind::Difference: return is_finite(node.items[0]);
    case NodeKind::Function:
    case NodeKind::Sequence: return true;
    case NodeKind::Subset:
    case NodeKind::FunctionSet:
    case NodeKind::RecordSet:
    case NodeKind::Product:
    case NodeKind::Union:
    case NodeKind::BigUnion: break;
  }
  return std::all_of(node.all().begin(), node.all().end(),
                     [this](Value part) { return is_finite(part); });
}

std::int64_t Sets::cardinality(Value set) {
  const Node& node = set_node(set);
  switch (node.kind) {
    case NodeKind::Interval:
      return node.items[1].as_int() - node.items[0].as_int() + 1;
    case NodeKind::Subset: return limited_power(2, cardinality(node.items[0]));
    case NodeKind::FunctionSet:
      if (!is_finite(set)) break;
      return limited_power(cardinality(node.items[1]),
                           cardinality(node.items[0]));
    case NodeKind::RecordSet:
    case NodeKind::Product: {
      if (!is_finite(set)) break;
      std::int64_t product = 1;
      for (const Value part : node.all())
        product = limited_product(product, cardinality(part));
      return product;
    }
    default: break;
  }
  return elements(set).size;
}

/// Sets of subsets, functions, records or tuples can be gone through one by
/// one.
std::optional<SetWalk> Sets::walk(const Node& set) {
  switch (set.kind) {
    case NodeKind::Subset: return SetWalk(store_, elements(set.items[0]));
    case NodeKind::FunctionSet: {
      const Node& domain = elements(set.items[0]);
      const Node* range = &elements(set.items[1]);
      return SetWalk(store_, std::vector<const Node*>(domain.size, range),
                     Value::of_node(&domain));
    }
    case NodeKind::RecordSet:
    case NodeKind::Product: {
      std::vector<const Node*> choices;
      for (const Value part : set.all()) choices.push_back(&elements(part));
      return SetWalk(store_, std::move(choices), set.domain);
    }
    default: return std::nullopt;
  }
}

bool Sets::is_worth_keeping(const Node& set) {
  switch (set.kind) {
    case NodeKind::Subset:
    case NodeKind::FunctionSet:
    case NodeKind::RecordSet:
    case NodeKind::Product: break;
    default: return true;
  }
  const Value v = Value::of_node(&set);
  if (built_.contains(&set) || !is_finite(v)) return true;
  try {
    return cardinality(v) <= kWorthKeeping;
  } catch (const ValueFault&) {
    return false;  // too many to be counted
  }
}

void Sets::look_at_budget() const {
  if (budget_ != nullptr && budget_->spent_now()) throw Stopped{};
}

void Sets::ask_budget(std::size_t values) const {
  if (budget_ != nullptr && !budget_->has_room(values * sizeof(Value)))
    throw Stopped{};
}

Value Sets::gather(SetWalk& walk, double count) {
  check_size(count);
  const auto size = static_cast<std::size_t>(count);
  ask_for(2 * size);  // the list, and the set
  std::vector<Value> out;
  out.reserve(size);
  for (Value v = walk.next(); !v.is_none(); v = walk.next()) {
    tick();
    out.push_back(v);
  }
  return store_.sorted_set(out);
}

Value Sets::subsets_of_size(Value set, std::int64_t size) {
  const Node& base = elements(set);
  if (size < 0 || size > base.size) return store_.empty_set();
  double count = 1;
  for (std::int64_t i = 0; i < std::min(size, base.size - size); ++i)
    count =
        count * static_cast<double>(base.size - i) / static_cast<double>(i + 1);
  SetWalk walk(store_, base, static_cast<std::uint32_t>(size));
  return gather(walk, count);
}

Value Sets::build(Value lazy) {
  const Node& node = *lazy.as_node();
  const auto known = built_.find(&node);
  if (known != built_.end()) return known->second;
  if (!is_finite(lazy))
    throw ValueFault{"the elements of " + brief(lazy) +
                         " are needed, and there are infinitely many",
                     "replace it by a finite set in the configuration"};
  Value result;
  if (auto elements = walk(node)) {
    result = gather(*elements, count_of(lazy));
  } else {
    std::vector<Value> out;
    append_elements(lazy, out);
    ask_for(out.size());
    result = store_.set(out);
  }
  built_.emplace(&node, result);
  return result;
}

double Sets::count_of(Value set) {
  try {
    return static_cast<double>(cardinality(set));
  } catch (const ValueFault&) {
    return std::numeric_limits<double>::infinity();
  }
}

void Sets::append_elements(Value set, std::vector<Value>& out) {
  const Node& node = *set.as_node();
  switch (node.kind) {
    case NodeKind::Interval: {
      const std::int64_t first = node.items[0].as_int();
      const std::int64_t last = node.items[1].as_int();
      check_size(static_cast<double>(last - first) + 1);
      for (std::int64_t i = first; i <= last; ++i)
        append(out, Value::of_int(i));
      return;
    }
    case NodeKind::SequenceSet: append(out, store_.empty_sequence()); return;
    case NodeKind::Union:
      for (const Value part : node.all())
        for (const Value v : elements(part).all()) append(out, v);
      return;
    case NodeKind::Intersection: {
      const bool first = is_finite(node.items[0]);
      const Value from = node.items[first ? 0 : 1];
      for_each(from, [&](Value v) {
        if (contains(node.items[first ? 1 : 0], v)) append(out, v);
        return true;
      });
      return;
    }
    case NodeKind::Difference:
      for_each(node.items[0], [&](Value v) {
        if (!contains(node.items[1], v)) append(out, v);
        return true;
      });
      return;
    case NodeKind::BigUnion:
      for (const Value part : elements(node.items[0]).all())
        for (const Value v : elements(part).all()) append(out, v);
      return;
    case NodeKind::Set:
    case NodeKind::Function:
    case NodeKind::Sequence:
    case NodeKind::Subset:
    case NodeKind::FunctionSet:
    case NodeKind::RecordSet:
    case NodeKind::Product:
    case NodeKind::Naturals:
    case NodeKind::Integers:
    case NodeKind::Strings: return;
  }
}

Value Sets::cup(Value a, Value b) {
  const Node& x = set_node(a);
  const Node& y = set_node(b);
  if (a == b) return a;
  if (x.is_lazy() || y.is_lazy()) {
    const Value both[] = {a, b};
    return store_.lazy(NodeKind::Union, both);
  }
  if (x.size == 0) return b;
  if (y.size == 0) return a;
  if (y.size == 1) return with(a, y.items[0]);
  std::vector<Value>& out = scratch_;
  out.clear();
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i < x.size && j < y.size) {
    const int c = compare(x.items[i], y.items[j]);
    if (c <= 0) out.push_back(x.items[i++]);
    if (c == 0) ++j;
    if (c > 0) out.push_back(y.items[j++]);
  }
  while (i < x.size) out.push_back(x.items[i++]);
  while (j < y.size) out.push_back(y.items[j++]);
  return store_.sorted_set(out);
}

Value Sets::cap(Value a, Value b) {
  const Node& x = set_node(a);
  const Node& y = set_node(b);
  if (a == b) return a;
  if (x.is_lazy() && y.is_lazy()) {
    const Value both[] = {a, b};
    return store_.lazy(NodeKind::Intersection, both);
  }
  const Node& from = x.is_lazy() ? y : x;
  const Value other = x.is_lazy() ? a : b;
  std::vector<Value> out;
  for (const Value v : from.all())
    if (contains(other, v)) out.push_back(v);
  return store_.sorted_set(out);
}

Value Sets::minus(Value a, Value b) {
  const Node& x = set_node(a);
  set_node(b);
  if (a == b) return store_.empty_set();
  if (is_short_interval(x)) return minus(settle(a), b);
  if (x.is_lazy()) {
    const Value both[] = {a, b};
    return store_.lazy(NodeKind::Difference, both);
  }
  std::vector<Value>& out = scratch_;
  out.clear();
  if (b.as_node()->is_lazy()) {
    for (const Value v : x.all())
      if (!contains(b, v)) out.push_back(v);
  } else {
    for (const Value v : x.all())
      if (find_in_set(*b.as_node(), v) < 0) out.push_back(v);
  }
  return out.size() == x.size ? a : store_.sorted_set(out);
}

bool Sets::is_at_hand(Value set) {
  return set.is_node() && (set.as_node()->kind == NodeKind::Set ||
                           is_short_interval(*set.as_node()));
}

Value Sets::with(Value set, Value more) {
  const Node& x = elements(set);
  if (find_in_set(x, more) >= 0) return set;
  std::vector<Value>& out = scratch_;
  out.assign(x.items, x.items + x.size);
  const auto less = [](Value a, Value b) { return compare(a, b) < 0; };
  out.insert(std::upper_bound(out.begin(), out.end(), more, less), more);
  return store_.sorted_set(out);
}

Value Sets::without(Value set, Value less) {
  const Node& x = elements(set);
  const std::int64_t at = find_in_set(x, less);
  if (at < 0) return set;
  std::vector<Value>& out = scratch_;
  out.clear();
  for (std::uint32_t i = 0; i < x.size; ++i)
    if (i != at) out.push_back(x.items[i]);
  return store_.sorted_set(out);
}

Value Sets::big_union(Value set) {
  const Node& node = set_node(set);
  if (node.kind == NodeKind::Subset) return node.items[0];
  if (node.is_lazy()) {
    const Value only[] = {set};
    return store_.lazy(NodeKind::BigUnion, only);
  }
  if (node.size == 1) {
    set_node(node.items[0]);
    return node.items[0];
  }
  std::vector<Value> out;
  for (const Value part : node.all())
    for (const Value v : elements(part).all()) append(out, v);
  ask_for(out.size());
  return store_.set(out);
}

Value Sets::permutations(Value set) {
  const Node& base = elements(set);
  if (base.size > 9)
    throw ValueFault{"Permutations of more than 9 elements are too many", {}};
  std::vector<Value> images(base.all().begin(), base.all().end());
  std::vector<Value> out;
  const auto less = [](Value a, Value b) { return compare(a, b) < 0; };
  do {
    tick();
    out.push_back(store_.function(Value::of_node(&base), images));
  } while (std::next_permutation(images.begin(), images.end(), less));
  return store_.set(out);
}

}  // namespace txscope::tla
