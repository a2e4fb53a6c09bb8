#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "tla/value/set_walk.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// A mistake in evaluating a value, before it has a place.
struct ValueFault {
  std::string what;
  std::string hint;
};

/// Thrown out of an evaluation that the budget has ended.
struct Stopped {};

/// What can be done with sets, lazy ones included.  Lazy sets (Nat, Seq(S),
/// SUBSET S, [S -> T], ...) are asked for membership without being built;
/// settle() builds one where its elements are needed.  Throws ValueFault.
class Sets {
 public:
  explicit Sets(Store& store) : store_(store) {}

  /// Larger sets are refused rather than built.
  static constexpr std::size_t kLargest = std::size_t{1} << 24;
  /// Larger ones are not kept for the sake of walking through them.
  static constexpr std::int64_t kWorthKeeping = std::int64_t{1} << 16;
  /// The budget is asked before so many values are copied.
  static constexpr std::size_t kMany = std::size_t{1} << 16;

  /// Building a set throws Stopped once it is spent.
  void set_budget(const Budget* budget) { budget_ = budget; }

  [[nodiscard]] bool contains(Value set, Value v);
  [[nodiscard]] bool is_subset(Value a, Value b);
  [[nodiscard]] bool is_finite(Value set);
  [[nodiscard]] std::int64_t cardinality(Value set);

  /// The same value with all its elements at hand, equal to no other word.
  [[nodiscard]] Value settle(Value v) {
    return v.is_node() && v.as_node()->is_lazy() ? build(v) : v;
  }
  /// A settled set; anything else than a set is a fault.
  [[nodiscard]] const Node& elements(Value set);

  /// Calls visit(element) in ascending order until it says false; true if it
  /// never did.  Large sets of subsets, functions, records and tuples are not
  /// built for it.
  template <class Visit>
  bool for_each(Value set, const Visit& visit);

  /// Forgets which lazy sets have been built.
  void forget() { built_.clear(); }

  /// Whether the elements of a set are listed, or soon are.
  [[nodiscard]] static bool is_at_hand(Value set);
  /// Such a set and a settled value, and without it.
  Value with(Value set, Value more);
  Value without(Value set, Value less);

  Value cup(Value a, Value b);
  Value cap(Value a, Value b);
  Value minus(Value a, Value b);
  Value big_union(Value set);
  Value permutations(Value set);
  Value subsets_of_size(Value set, std::int64_t size);
  /// Called in every loop over elements; looks at the budget now and then.
  void tick() {
    if ((++ticks_ & 0xfffu) == 0) look_at_budget();
  }
  /// Appends to a list, for which the budget must have room when it doubles.
  void append(std::vector<Value>& list, Value v) {
    if (list.size() == list.capacity()) ask_for(list.size());
    list.push_back(v);
  }
  /// To be called before so many values are copied: throws Stopped if the
  /// budget has no room for them.
  void ask_for(std::size_t values) const {
    if (values >= kMany) ask_budget(values);
  }
  /// How often, modulo 2^32: a measure of work.
  [[nodiscard]] std::uint32_t ticks() const { return ticks_; }

 private:
  Value build(Value lazy);
  void append_elements(Value set, std::vector<Value>& out);
  [[nodiscard]] std::optional<SetWalk> walk(const Node& set);
  [[nodiscard]] bool is_worth_keeping(const Node& set);
  [[nodiscard]] double count_of(Value set);
  Value gather(SetWalk& walk, double count);
  void look_at_budget() const;
  void ask_budget(std::size_t values) const;
  bool contains_lazy(const Node& set, Value v);

  Store& store_;
  const Budget* budget_ = nullptr;
  std::uint32_t ticks_ = 0;
  std::unordered_map<const Node*, Value> built_;
  std::vector<Value> scratch_;  // of what never nests
};

template <class Visit>
bool Sets::for_each(Value set, const Visit& visit) {
  const Node* node = set.is_node() ? set.as_node() : nullptr;
  if (node != nullptr && node->kind == NodeKind::Interval) {
    const std::int64_t last = node->items[1].as_int();
    for (std::int64_t i = node->items[0].as_int(); i <= last; ++i) {
      tick();
      if (!visit(Value::of_int(i))) return false;
    }
    return true;
  }
  if (node != nullptr && node->is_lazy() && !is_worth_keeping(*node)) {
    auto elements = walk(*node);
    for (Value v = elements->next(); !v.is_none(); v = elements->next()) {
      tick();
      if (!visit(v)) return false;
    }
    return true;
  }
  const Node& all = elements(set);
  for (std::uint32_t i = 0; i < all.size; ++i) {
    tick();
    if (!visit(all.items[i])) return false;
  }
  return true;
}

/// "a set", "a function", "an integer": for messages.
[[nodiscard]] std::string kind_of(Value v);
/// The value, shortened if it is long.
[[nodiscard]] std::string brief(Value v);

}  // namespace txscope::tla
