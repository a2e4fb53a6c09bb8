#include "generate/key_picker.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace txscope::generate {

KeyPicker::KeyPicker(std::uint32_t keys, const KeyChoice& choice)
    : keys_(keys) {
  assert(keys > 0 && "a workload needs keys");
  if (choice.kind == KeyChoice::Kind::Uniform) return;
  std::vector<double> weights(keys, 1.0);
  if (choice.kind == KeyChoice::Kind::Zipf) {
    for (std::uint32_t k = 0; k < keys; ++k)
      weights[k] = std::pow(k + 1.0, -choice.exponent);
  } else {
    const auto hot = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(std::lround(choice.hot_keys * keys)), 1,
        keys);
    for (std::uint32_t k = 0; k < keys; ++k)
      weights[k] = k < hot ? choice.hot_share / hot
                           : (1 - choice.hot_share) / (keys - hot);
  }
  fill(std::move(weights));
}

std::uint32_t KeyPicker::pick(Random& random) const {
  const auto key = static_cast<std::uint32_t>(random.below(keys_));
  if (cells_.empty()) return key;
  const Cell& cell = cells_[key];
  return random.real() < cell.keep ? key : cell.other;
}

// Pairs each key of less than average weight with one of more, which fills up
// the rest of its cell.
void KeyPicker::fill(std::vector<double> weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t k = 0; k < keys_; ++k) {
    weights[k] *= keys_ / sum;
    (weights[k] < 1 ? small : large).push_back(k);
  }
  cells_.assign(keys_, {1.0, 0});
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back();
    const std::uint32_t high = large.back();
    small.pop_back();
    cells_[low] = {weights[low], high};
    weights[high] -= 1 - weights[low];
    if (weights[high] >= 1) continue;
    large.pop_back();
    small.push_back(high);
  }
}

}  // namespace txscope::generate
