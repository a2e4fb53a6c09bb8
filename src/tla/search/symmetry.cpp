#include "tla/search/symmetry.h"

#include <algorithm>
#include <set>

#include "base/random.h"

namespace txscope::tla {
namespace {

std::uint64_t marked(std::uint64_t hash) {
  const std::uint64_t z = scramble(hash);
  // The fingerprint set takes high bits of 0 for "no state".
  return z >> 16u == 0 ? z | (std::uint64_t{1} << 63u) : z;
}

constexpr std::size_t kLargestGroup = 50'000;

}  // namespace

Symmetry::Symmetry(Evaluator& evaluator,
                   const std::vector<const Def*>& generators)
    : store_(evaluator.program().store()),
      width_(evaluator.program().variables().size()) {
  std::uint64_t seed = 0x8f3a5c1d;
  for (std::size_t i = 0; i < width_; ++i) {
    seed = marked(seed + 0x9e3779b97f4a7c15ull);
    odd_.push_back(seed | 1u);
  }
  Permutation identity(store_.models().size());
  for (std::uint32_t i = 0; i < identity.size(); ++i) identity[i] = i;
  group_.push_back(identity);
  for (const Def* def : generators)
    add_generators(evaluator.evaluate(*def, nullptr), def->spot);
  close();
  for (const Name* atom : store_.models())
    for (const Permutation& p : group_)
      atom_images_.push_back(store_.models()[p[atom->index]]->hash);
  base_.assign(width_, Value());
  base_sums_.assign(group_.size(), 0);
  sums_.assign(group_.size(), 0);
}

void Symmetry::add_generators(Value set, const Spot& spot) {
  const auto wrong = [&]() {
    fail(spot, "SYMMETRY needs a set of permutations of model values",
         "such as Permutations(Servers)");
  };
  if (!set.is_node() || set.as_node()->kind != NodeKind::Set) wrong();
  for (const Value f : set.as_node()->all()) {
    if (!f.is_node() || !f.as_node()->is_function()) wrong();
    const Node& node = *f.as_node();
    if (node.size == 0) continue;
    if (node.kind == NodeKind::Sequence) wrong();
    Permutation p = group_.front();
    for (std::uint32_t i = 0; i < node.size; ++i) {
      const Value from = node.domain.as_node()->items[i];
      if (from.tag() != Tag::Model || node.items[i].tag() != Tag::Model)
        wrong();
      p[from.as_name()->index] = node.items[i].as_name()->index;
    }
    Permutation sorted = p;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != group_.front()) wrong();
    group_.push_back(std::move(p));
  }
}

/// The group generated.  Permutations that earlier ones generate are skipped,
/// so few are left to multiply with.
void Symmetry::close() {
  const std::vector<Permutation> given = std::move(group_);
  group_ = {given.front()};
  std::set<Permutation> known = {given.front()};
  std::vector<const Permutation*> generators;
  for (const Permutation& g : given) {
    if (known.contains(g)) continue;
    generators.push_back(&g);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      for (const Permutation* by : generators) {
        Permutation product(by->size());
        for (std::size_t k = 0; k < product.size(); ++k)
          product[k] = (*by)[group_[i][k]];
        if (known.insert(product).second) group_.push_back(std::move(product));
      }
      if (group_.size() > kLargestGroup)
        throw Fault{
            Error{{}, "the symmetry group is larger than 50,000", {}, {}}};
    }
  }
}

/// The hash of v under every element of the group; null if it is the same
/// under all.
const std::uint64_t* Symmetry::images(Value v) {
  if (v.tag() == Tag::Model)
    return &atom_images_[v.as_name()->index * group_.size()];
  if (!v.is_node() || v.as_node()->is_fixed) return nullptr;
  const Node& node = *v.as_node();
  if (node.images == nullptr) {
    std::uint64_t* room = store_.room_for_images(group_.size());
    std::fill(room, room + group_.size(), 0);
    sum_images(node, room);
    for (std::size_t g = 0; g < group_.size(); ++g)
      room[g] = finish_hash(node.kind, room[g], node.size);
    node.images = room;
  }
  return node.images;
}

void Symmetry::sum_images(const Node& node, std::uint64_t* out) {
  const std::size_t order = group_.size();
  for (std::uint32_t i = 0; i < node.size; ++i) {
    const Value item = node.items[i];
    const std::uint64_t* image = images(item);
    const std::uint64_t plain = hash_of(item);
    if (node.kind == NodeKind::Set) {
      for (std::size_t g = 0; g < order; ++g)
        out[g] += mix_element(image == nullptr ? plain : image[g]);
      continue;
    }
    const Value key = node.kind == NodeKind::Function
                          ? node.domain.as_node()->items[i]
                          : Value();
    const std::uint64_t* key_image = key.is_none() ? nullptr : images(key);
    const std::uint64_t key_plain = key.is_none() ? i : hash_of(key);
    for (std::size_t g = 0; g < order; ++g)
      out[g] += mix_pair(key_image == nullptr ? key_plain : key_image[g],
                         image == nullptr ? plain : image[g]);
  }
}

void Symmetry::forget_base() {
  std::fill(base_.begin(), base_.end(), Value());
  std::fill(base_sums_.begin(), base_sums_.end(), 0);
}

void Symmetry::set_base(const Value* state) {
  if (is_trivial()) return;
  std::fill(base_sums_.begin(), base_sums_.end(), 0);
  for (std::size_t i = 0; i < width_; ++i) {
    base_[i] = state[i];
    const std::uint64_t* image = images(state[i]);
    const std::uint64_t plain = hash_of(state[i]);
    for (std::size_t g = 0; g < base_sums_.size(); ++g)
      base_sums_[g] += (image == nullptr ? plain : image[g]) * odd_[i];
  }
}

std::uint64_t Symmetry::fingerprint(const Value* state) {
  if (is_trivial()) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < width_; ++i) sum += hash_of(state[i]) * odd_[i];
    return marked(sum);
  }
  sums_ = base_sums_;
  const std::size_t order = sums_.size();
  std::uint64_t* sums = sums_.data();
  for (std::size_t i = 0; i < width_; ++i) {
    if (state[i] == base_[i]) continue;
    const auto add = [&](Value v, std::uint64_t factor) {
      if (const std::uint64_t* image = images(v))
        for (std::size_t g = 0; g < order; ++g) sums[g] += image[g] * factor;
      else
        for (std::size_t g = 0; g < order; ++g) sums[g] += hash_of(v) * factor;
    };
    if (!base_[i].is_none()) add(base_[i], std::uint64_t{0} - odd_[i]);
    add(state[i], odd_[i]);
  }
  return marked(*std::min_element(sums, sums + order));
}

std::uint64_t Symmetry::fingerprint_of_value(Value v) {
  const std::uint64_t* image = images(v);
  if (image == nullptr) return marked(hash_of(v));
  return marked(*std::min_element(image, image + group_.size()));
}

}  // namespace txscope::tla
