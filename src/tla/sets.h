#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tla/value.h"

namespace txscope::tla {

/// A mistake in evaluating a value, before it has a place.
struct ValueFault {
  std::string what;
  std::string hint;
};

/// What can be done with sets, lazy ones included.  Lazy sets (Nat, Seq(S),
/// SUBSET S, [S -> T], ...) are asked for membership without being built;
/// settle() builds one where its elements are needed.  Throws ValueFault.
class Sets {
 public:
  explicit Sets(Store& store) : store_(store) {}

  /// Larger sets are refused rather than built.
  static constexpr std::size_t kLargest = std::size_t{1} << 24;

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

  Value cup(Value a, Value b);
  Value cap(Value a, Value b);
  Value minus(Value a, Value b);
  Value big_union(Value set);
  Value permutations(Value set);

 private:
  Value build(Value lazy);
  void append(Value set, std::vector<Value>& out);
  void append_subsets(const Node& base, std::vector<Value>& out);
  void append_products(std::span<const Value> sets, std::vector<Value>& out,
                       Value domain, bool is_tuple);
  bool contains_lazy(const Node& set, Value v);

  Store& store_;
  std::unordered_map<const Node*, Value> built_;
  std::vector<Value> scratch_;  // of cup() and minus(), which never nest
};

/// "a set", "a function", "an integer": for messages.
[[nodiscard]] std::string kind_of(Value v);
/// The value, shortened if it is long.
[[nodiscard]] std::string brief(Value v);

}  // namespace txscope::tla
