#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "model/atom.h"

namespace txscope {

/// Many atoms, four bytes each as long as all of them are words of 32 bits
/// (integers below 2^30, names, null), and eight from the first other one on.
/// Histories are long and their values mostly small: half the memory, and
/// half as many cache lines where they are read at random (bench_check).
class AtomColumn {
 public:
  [[nodiscard]] std::size_t size() const {
    return is_wide_ ? wide_.size() : narrow_.size();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Atom operator[](std::size_t i) const {
    return std::bit_cast<Atom>(is_wide_ ? wide_[i] : std::uint64_t{narrow_[i]});
  }
  void push_back(Atom atom) {
    if (needs_more(atom)) widen();
    if (is_wide_)
      wide_.push_back(atom.bits());
    else
      narrow_.push_back(static_cast<std::uint32_t>(atom.bits()));
  }
  void set(std::size_t i, Atom atom) {
    if (needs_more(atom)) widen();
    if (is_wide_)
      wide_[i] = atom.bits();
    else
      narrow_[i] = static_cast<std::uint32_t>(atom.bits());
  }
  /// Makes it `count` long; what is new is `fill`.
  void resize(std::size_t count, Atom fill) {
    if (needs_more(fill)) widen();
    if (is_wide_)
      wide_.resize(count, fill.bits());
    else
      narrow_.resize(count, static_cast<std::uint32_t>(fill.bits()));
  }
  void reserve(std::size_t count) {
    if (is_wide_)
      wide_.reserve(count);
    else
      narrow_.reserve(count);
  }
  void shrink_to_fit() {
    narrow_.shrink_to_fit();
    wide_.shrink_to_fit();
  }

 private:
  [[nodiscard]] bool needs_more(Atom atom) const {
    return !is_wide_ && atom.bits() >> 32 != 0;
  }
  void widen() {
    wide_.reserve(narrow_.capacity());
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
    is_wide_ = true;
  }

  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> wide_;
  bool is_wide_ = false;
};

}  // namespace txscope
