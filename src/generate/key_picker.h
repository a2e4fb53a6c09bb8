#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace txscope::generate {

/// How likely each of n keys is to be picked.
struct KeyChoice {
  enum class Kind : std::uint8_t {
    Uniform,
    Zipf,     ///< key i (from 1) has weight 1 / i^exponent
    Hotspot,  ///< `hot_share` of the picks go to `hot_keys` of the keys
  };
  Kind kind = Kind::Uniform;
  double exponent = 0.99;
  double hot_keys = 0.01;
  double hot_share = 0.9;
};

/// Picks keys 0 .. n-1 in constant time each, whatever the weights: Walker's
/// alias method (ACM TOMS 1977) with Vose's linear table (IEEE TSE 1991).
class KeyPicker {
 public:
  KeyPicker(std::uint32_t keys, const KeyChoice& choice);

  std::uint32_t pick(Random& random) const;

 private:
  struct Cell {
    double keep;  // probability of the cell's own key
    std::uint32_t other;
  };
  void fill(std::vector<double> weights);

  std::uint32_t keys_;
  std::vector<Cell> cells_;  // empty if uniform
};

}  // namespace txscope::generate
