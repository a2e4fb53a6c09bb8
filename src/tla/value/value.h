#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"
#include "tla/value/node_table.h"

namespace txscope::tla {

struct Node;

/// A string or a model value: the atoms of the value space.
struct Name {
  std::uint64_t hash = 0;
  std::uint32_t index = 0;  ///< in order of creation, per kind
  bool is_model = false;
  std::string text;
};

enum class Tag : std::uint8_t {
  Node,  ///< a set or a function, see NodeKind
  Int,   ///< 61 bits
  Bool,
  String,
  Model,
  Thunk,    ///< inside the evaluator only: an argument not yet needed
  Closure,  ///< inside the evaluator only: an operator as an argument
  None,     ///< no value
};

/// A TLA+ value as one word.  Composite values are shared nodes of a Store, so
/// that equal values of one Store are equal words.  Lazy sets (Nat, SUBSET S,
/// ...) are the exception: Store::settle() makes them comparable.
class Value {
 public:
  constexpr Value() = default;
  [[nodiscard]] static constexpr Value of_int(std::int64_t n) {
    return Value((static_cast<std::uint64_t>(n) << 3u) | 1u);
  }
  [[nodiscard]] static constexpr Value of_bool(bool b) {
    return Value((b ? 8u : 0u) | 2u);
  }
  [[nodiscard]] static Value of_name(const Name* atom) {
    return Value(reinterpret_cast<std::uint64_t>(atom) |
                 (atom->is_model ? 4u : 3u));
  }
  [[nodiscard]] static Value of_node(const Node* node) {
    return Value(reinterpret_cast<std::uint64_t>(node));
  }
  [[nodiscard]] static constexpr Value of_bits(std::uint64_t bits) {
    return Value(bits);
  }
  [[nodiscard]] static Value of_pointer(const void* p, Tag tag) {
    return Value(reinterpret_cast<std::uint64_t>(p) |
                 static_cast<std::uint64_t>(tag));
  }

  [[nodiscard]] constexpr Tag tag() const {
    return static_cast<Tag>(bits_ & 7u);
  }
  [[nodiscard]] constexpr bool is_node() const { return (bits_ & 7u) == 0; }
  [[nodiscard]] constexpr bool is_int() const { return tag() == Tag::Int; }
  [[nodiscard]] constexpr bool is_bool() const { return tag() == Tag::Bool; }
  [[nodiscard]] constexpr bool is_none() const { return tag() == Tag::None; }
  [[nodiscard]] constexpr std::int64_t as_int() const {
    return static_cast<std::int64_t>(bits_) >> 3;
  }
  [[nodiscard]] constexpr bool as_bool() const { return bits_ == (8u | 2u); }
  [[nodiscard]] const Name* as_name() const {
    return static_cast<const Name*>(pointer());
  }
  [[nodiscard]] const Node* as_node() const {
    return reinterpret_cast<const Node*>(bits_);
  }
  [[nodiscard]] const void* pointer() const {
    return reinterpret_cast<const void*>(bits_ & ~std::uint64_t{7});
  }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(Value, Value) = default;

 private:
  constexpr explicit Value(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 7;  // none
};

inline constexpr Value kTrue = Value::of_bool(true);
inline constexpr Value kFalse = Value::of_bool(false);
inline constexpr std::int64_t kLargestInt = (std::int64_t{1} << 60) - 1;

enum class NodeKind : std::uint8_t {
  Set,       ///< items: the elements, ascending
  Function,  ///< domain: a Set; items: the values, in the domain's order
  Sequence,  ///< a function on 1..size; items: the values
  // Lazy sets.  They never are elements of other values.
  Interval,     ///< items: first, last
  Subset,       ///< items: S
  FunctionSet,  ///< items: S, T
  RecordSet,    ///< domain: the fields; items: a set for each
  SequenceSet,  ///< items: S
  Product,      ///< items: S1 .. Sn
  Union,        ///< items: S, T
  Intersection,
  Difference,
  BigUnion,  ///< items: a set of sets, itself lazy
  Naturals,
  Integers,
  Strings,
};

/// A composite value.  Immutable, and once per Store.
struct Node {
  std::uint64_t hash = 0;
  NodeKind kind = NodeKind::Set;
  bool is_fixed = true;            ///< contains no model value
  mutable bool is_marked = false;  ///< see Store::sweep
  std::uint32_t size = 0;
  mutable const std::uint64_t* images = nullptr;  ///< see Symmetry
  Value domain;
  Value items[1];

  [[nodiscard]] std::span<const Value> all() const { return {items, size}; }
  [[nodiscard]] bool is_lazy() const { return kind > NodeKind::Sequence; }
  [[nodiscard]] bool is_function() const {
    return kind == NodeKind::Function || kind == NodeKind::Sequence;
  }
};

[[nodiscard]] std::uint64_t hash_of(Value v);
/// The hash of a composite value from the hashes of its parts; `hash_child`
/// gives the hash of an element, so that Symmetry can hash permuted values
/// without building them.
[[nodiscard]] std::uint64_t mix_pair(std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::uint64_t mix_element(std::uint64_t h);
[[nodiscard]] std::uint64_t finish_hash(NodeKind kind, std::uint64_t sum,
                                        std::uint32_t size);

/// A total order on settled values: booleans, integers, strings, model values
/// (by name), sets (by size, then elements), functions (by domain, then
/// values).  Sets are kept in it and CHOOSE takes the first in it.
[[nodiscard]] int compare(Value a, Value b);

/// All values of one worker.  They stay until a sweep finds that nobody has
/// marked them; sweeps happen between evaluations only.
class Store {
 public:
  Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  Value string(std::string_view text) { return atom(text, false); }
  Value model(std::string_view name) { return atom(name, true); }
  [[nodiscard]] std::span<const Name* const> models() const { return models_; }

  /// A set of settled values; sorts `elements` and removes duplicates.
  Value set(std::vector<Value>& elements);
  Value sorted_set(std::span<const Value> elements);
  Value empty_set() const { return empty_set_; }
  Value empty_sequence() const { return empty_sequence_; }
  Value sequence(std::span<const Value> items);
  /// A function with the given domain (a Set) and values in its order; one on
  /// 1..n becomes a sequence.
  Value function(Value domain, std::span<const Value> values);
  Value lazy(NodeKind kind, std::span<const Value> items, Value domain = {});
  Value interval(std::int64_t first, std::int64_t last);

  [[nodiscard]] std::size_t memory() const { return memory_; }
  /// Bytes of the values that are there.
  [[nodiscard]] std::size_t live() const { return live_; }
  /// Keeps a value and all that it is made of in the next sweep.
  static void mark(Value v);
  /// Forgets every value that is not marked; their room is used again.
  void sweep();
  [[nodiscard]] std::size_t size() const { return table_.size(); }
  /// Room for the hash images of a value, see Symmetry.
  std::uint64_t* room_for_images(std::size_t count);

 private:
  Value atom(std::string_view text, bool is_model);
  Value make(NodeKind kind, Value domain, std::span<const Value> items);
  Value intern(NodeKind kind, Value domain, std::span<const Value> items,
               std::uint64_t hash, bool is_fixed);
  void* allocate(std::size_t bytes);
  [[nodiscard]] std::size_t gap_before(std::size_t bytes) const;
  void release(const void* room, std::size_t bytes);
  std::vector<void*>& released_rooms(std::size_t bytes);

  NodeTable table_;
  std::vector<MarkedNode> recent_;  ///< see make()
  using Chunk = std::vector<std::byte, HugePages<std::byte>>;
  std::vector<Chunk> chunks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t memory_ = 0;
  std::size_t live_ = 0;
  std::size_t image_bytes_ = 0;
  static constexpr std::size_t kLargeNode = 256;  // words
  std::vector<void*> released_[kLargeNode];       // by words
  std::unordered_map<std::size_t, std::vector<void*>> released_large_;
  std::unordered_map<std::string, std::unique_ptr<Name>> strings_;
  std::unordered_map<std::string, std::unique_ptr<Name>> model_values_;
  std::vector<const Name*> models_;
  Value empty_set_;
  Value empty_sequence_;
};

/// A value in TLA+ syntax.
[[nodiscard]] std::string to_string(Value v);

/// Position of `v` in a Set or -1.
[[nodiscard]] inline std::int64_t find_in_set(const Node& set, Value v);

std::int64_t search_set(const Node& set, Value v);

inline std::int64_t find_in_set(const Node& set, Value v) {
  constexpr std::uint32_t kScan = 64;  // up to here a scan beats a search
  if (set.size > kScan) return search_set(set, v);
  for (std::uint32_t i = 0; i < set.size; ++i)
    if (set.items[i] == v) return i;
  return -1;
}

}  // namespace txscope::tla
