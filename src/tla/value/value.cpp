#include "tla/value/value.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/random.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kChunk = std::size_t{2} << 20u;
constexpr unsigned kRecentBits = 14;

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t h = seed;
  for (const char c : text)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return scramble(h + text.size());
}

std::uint64_t hash_items(NodeKind kind, Value domain,
                         std::span<const Value> items) {
  std::uint64_t sum = 0;
  if (kind == NodeKind::Set) {
    for (const Value v : items) sum += mix_element(hash_of(v));
  } else if (kind == NodeKind::Function) {
    const Node& keys = *domain.as_node();
    for (std::size_t i = 0; i < items.size(); ++i)
      sum += mix_pair(hash_of(keys.items[i]), hash_of(items[i]));
  } else {
    for (std::size_t i = 0; i < items.size(); ++i)
      sum += mix_pair(i, hash_of(items[i]));
    if (!domain.is_none()) sum += hash_of(domain);
  }
  return finish_hash(kind, sum, static_cast<std::uint32_t>(items.size()));
}

bool is_made_of(const Node& node, NodeKind kind, Value domain,
                std::span<const Value> items) {
  return node.kind == kind && node.size == items.size() &&
         node.domain == domain &&
         std::equal(items.begin(), items.end(), node.items);
}

bool is_fixed_value(Value v) {
  if (v.is_node()) return v.as_node()->is_fixed;
  return v.tag() != Tag::Model;
}

int rank(Value v) {
  switch (v.tag()) {
    case Tag::Bool: return 0;
    case Tag::Int: return 1;
    case Tag::String: return 2;
    case Tag::Model: return 3;
    case Tag::Node: return v.as_node()->is_function() ? 5 : 4;
    case Tag::Thunk:
    case Tag::Closure:
    case Tag::None: return 6;
  }
  return 6;
}

int compare_items(std::span<const Value> a, std::span<const Value> b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const int c = compare(a[i], b[i]); c != 0) return c;
  return 0;
}

std::size_t node_bytes(std::size_t items) {
  return offsetof(Node, items) +
         std::max<std::size_t>(items, 1) * sizeof(Value);
}

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_functions(const Node& a, const Node& b) {
  // By domain first; sequences of one length have the same domain.
  if (const int c = three_way(a.size, b.size); c != 0) return c;
  if (a.kind != b.kind) return a.kind == NodeKind::Sequence ? -1 : 1;
  if (a.kind == NodeKind::Function)
    if (const int c = compare(a.domain, b.domain); c != 0) return c;
  return compare_items(a.all(), b.all());
}

}  // namespace

std::uint64_t mix_element(std::uint64_t h) {
  return scramble(h + 0x9e3779b97f4a7c15ull);
}

std::uint64_t mix_pair(std::uint64_t a, std::uint64_t b) {
  return scramble(a * 0x9e3779b97f4a7c15ull + b * 0xd6e8feb86659fd93ull +
                  0x2545f4914f6cdd1dull);
}

std::uint64_t finish_hash(NodeKind kind, std::uint64_t sum,
                          std::uint32_t size) {
  const auto salt =
      (static_cast<std::uint64_t>(kind) + 1) * 0xa0761d6478bd642full;
  return scramble(sum + salt + size * 0xe7037ed1a0b428dbull);
}

std::uint64_t hash_of(Value v) {
  switch (v.tag()) {
    case Tag::Node: return v.as_node()->hash;
    case Tag::String:
    case Tag::Model: return v.as_name()->hash;
    case Tag::Int:
    case Tag::Bool: return scramble(v.bits() + 0x51ed2701ull);
    case Tag::Thunk:
    case Tag::Closure:
    case Tag::None: break;
  }
  return 0;
}

int compare(Value a, Value b) {
  if (a == b) return 0;
  const int ra = rank(a);
  const int rb = rank(b);
  if (ra != rb) return three_way(ra, rb);
  switch (ra) {
    case 0: return a.as_bool() ? 1 : -1;
    case 1: return three_way(a.as_int(), b.as_int());
    case 2:
    case 3: {
      const std::string& x = a.as_name()->text;
      const std::string& y = b.as_name()->text;
      if (ra == 3 && x.size() != y.size())  // t2 before t10
        return three_way(x.size(), y.size());
      return x.compare(y);
    }
    case 4: {
      const Node& x = *a.as_node();
      const Node& y = *b.as_node();
      if (x.kind != y.kind) return three_way(x.kind, y.kind);
      if (x.size != y.size) return three_way(x.size, y.size);
      return compare_items(x.all(), y.all());
    }
    default: return compare_functions(*a.as_node(), *b.as_node());
  }
}

std::int64_t search_set(const Node& set, Value v) {
  const auto items = set.all();
  const auto at =
      std::lower_bound(items.begin(), items.end(), v,
                       [](Value x, Value y) { return compare(x, y) < 0; });
  return at != items.end() && *at == v ? at - items.begin() : -1;
}

Store::Store() : recent_(1u << kRecentBits) {
  empty_set_ = sorted_set({});
  empty_sequence_ = sequence({});
}

Store::~Store() = default;

Value Store::atom(std::string_view text, bool is_model) {
  auto& map = is_model ? model_values_ : strings_;
  auto& entry = map[std::string(text)];
  if (!entry) {
    entry = std::make_unique<Name>();
    entry->hash = hash_text(text, is_model ? 0x6d6f64656cull : 0x737472ull);
    entry->index = static_cast<std::uint32_t>(map.size() - 1);
    entry->is_model = is_model;
    entry->text = std::string(text);
    if (is_model) models_.push_back(entry.get());
  }
  return Value::of_name(entry.get());
}

Value Store::set(std::vector<Value>& elements) {
  if (elements.size() > 1) {
    std::sort(elements.begin(), elements.end(),
              [](Value a, Value b) { return compare(a, b) < 0; });
    elements.erase(std::unique(elements.begin(), elements.end()),
                   elements.end());
  }
  return sorted_set(elements);
}

Value Store::sorted_set(std::span<const Value> elements) {
  return make(NodeKind::Set, {}, elements);
}

Value Store::sequence(std::span<const Value> items) {
  return make(NodeKind::Sequence, {}, items);
}

Value Store::function(Value domain, std::span<const Value> values) {
  const Node& keys = *domain.as_node();
  assert(keys.kind == NodeKind::Set && keys.size == values.size() &&
         "a function has one value for each element of its domain");
  if (values.empty()) return empty_sequence_;
  // Sorted integers from 1 to n are 1..n.
  if (keys.items[0] == Value::of_int(1) &&
      keys.items[keys.size - 1] == Value::of_int(keys.size))
    return sequence(values);
  return make(NodeKind::Function, domain, values);
}

Value Store::lazy(NodeKind kind, std::span<const Value> items, Value domain) {
  return make(kind, domain, items);
}

Value Store::interval(std::int64_t first, std::int64_t last) {
  if (first > last) return empty_set_;
  const Value ends[] = {Value::of_int(first), Value::of_int(last)};
  return lazy(NodeKind::Interval, ends);
}

/// A value from its parts.  Those that were made lately are found by their
/// words, which takes less than their hash.
Value Store::make(NodeKind kind, Value domain, std::span<const Value> items) {
  std::uint64_t key = domain.bits() + static_cast<std::uint64_t>(kind);
  for (const Value v : items) key = (key ^ v.bits()) * 0x9e3779b97f4a7c15ull;
  key *= 0x9e3779b97f4a7c15ull;
  MarkedNode& recent = recent_[key >> (64 - kRecentBits)];
  const std::uint64_t mark = key << kRecentBits;
  if (!recent.is_empty() && recent.has(mark) &&
      is_made_of(*recent.node(), kind, domain, items))
    return Value::of_node(recent.node());
  bool fixed = kind <= NodeKind::Sequence &&
               (kind != NodeKind::Function || domain.as_node()->is_fixed);
  for (const Value v : items) fixed = fixed && is_fixed_value(v);
  const Value made =
      intern(kind, domain, items, hash_items(kind, domain, items), fixed);
  recent = MarkedNode(made.as_node(), mark);
  return made;
}

Value Store::intern(NodeKind kind, Value domain, std::span<const Value> items,
                    std::uint64_t hash, bool is_fixed) {
  const Node* known = table_.find(hash, [&](const Node& node) {
    return node.hash == hash && is_made_of(node, kind, domain, items);
  });
  if (known != nullptr) return Value::of_node(known);
  auto* node = static_cast<Node*>(allocate(node_bytes(items.size())));
  node->hash = hash;
  node->kind = kind;
  node->is_fixed = is_fixed;
  node->is_marked = false;
  node->size = static_cast<std::uint32_t>(items.size());
  node->images = nullptr;
  node->domain = domain;
  std::copy(items.begin(), items.end(), node->items);
  table_.insert(node);
  return Value::of_node(node);
}

void Store::mark(Value v) {
  if (!v.is_node()) return;
  const Node& node = *v.as_node();
  if (node.is_marked) return;
  node.is_marked = true;
  mark(node.domain);
  for (const Value item : node.all()) mark(item);
}

void Store::sweep() {
  mark(empty_set_);
  mark(empty_sequence_);
  std::fill(recent_.begin(), recent_.end(), MarkedNode());
  table_.keep([this](const Node* node) {
    if (node->is_marked) {
      node->is_marked = false;
      return true;
    }
    if (node->images != nullptr) release(node->images, image_bytes_);
    release(node, node_bytes(node->size));
    return false;
  });
}

std::vector<void*>& Store::released_rooms(std::size_t bytes) {
  const std::size_t words = bytes / sizeof(Value);
  return words < kLargeNode ? released_[words] : released_large_[words];
}

void Store::release(const void* room, std::size_t bytes) {
  released_rooms(bytes).push_back(const_cast<void*>(room));
  live_ -= bytes;
}

/// What nearly fills a line of the cache does not lie in two.
std::size_t Store::gap_before(std::size_t bytes) const {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kNearly = 56;
  const std::size_t in_line = reinterpret_cast<std::uintptr_t>(free_) % kLine;
  const bool is_split = in_line + bytes > kLine;
  return bytes >= kNearly && bytes <= kLine && is_split ? kLine - in_line : 0;
}

void* Store::allocate(std::size_t bytes) {
  bytes = (bytes + 7) & ~std::size_t{7};
  live_ += bytes;
  if (std::vector<void*>& rooms = released_rooms(bytes); !rooms.empty()) {
    void* room = rooms.back();
    rooms.pop_back();
    return room;
  }
  if (const std::size_t gap = gap_before(bytes); gap + bytes <= left_) {
    free_ += gap;
    left_ -= gap;
  }
  if (bytes > left_) {
    // The first chunks are small: most models need no more.
    const std::size_t wanted = memory_ < 4 * kChunk ? kChunk / 8 : kChunk;
    const std::size_t size = std::max(bytes, wanted);
    chunks_.emplace_back().reserve(size);
    free_ = chunks_.back().data();
    left_ = size;
    memory_ += size;
  }
  void* result = free_;
  free_ += bytes;
  left_ -= bytes;
  return result;
}

std::uint64_t* Store::room_for_images(std::size_t count) {
  image_bytes_ = count * sizeof(std::uint64_t);
  return static_cast<std::uint64_t*>(allocate(count * sizeof(std::uint64_t)));
}

}  // namespace txscope::tla
