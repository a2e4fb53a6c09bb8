#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "check/solver/literal.h"

namespace txscope::sat {

/// Variables by activity, the most active first: a binary heap that knows
/// where each variable is.  Equal activities are ordered by number, so runs
/// repeat.  Activities decay by making new bumps larger (VSIDS; Moskewicz et
/// al., DAC 2001, in the form of MiniSat).
class VariableHeap {
 public:
  void add_variable() {
    activity_.push_back(0);
    place_.push_back(kOut);
    insert(static_cast<Var>(activity_.size() - 1));
  }
  [[nodiscard]] bool is_empty() const { return heap_.empty(); }
  void insert(Var v) {
    if (place_[v] != kOut) return;
    place_[v] = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(v);
    sift_up(place_[v]);
  }
  Var pop() {
    const Var top = heap_.front();
    place_[top] = kOut;
    const Var last = heap_.back();
    heap_.pop_back();
    if (top != last) {
      heap_[0] = last;
      place_[last] = 0;
      sift_down(0);
    }
    return top;
  }
  void bump(Var v) {
    if ((activity_[v] += step_) > 1e100) {
      for (double& a : activity_) a *= 1e-100;
      step_ *= 1e-100;
    }
    if (place_[v] != kOut) sift_up(place_[v]);
  }
  void decay() { step_ *= 1 / 0.95; }

 private:
  static constexpr std::uint32_t kOut = 0xffffffffu;
  [[nodiscard]] bool before(Var a, Var b) const {
    return activity_[a] != activity_[b] ? activity_[a] > activity_[b] : a < b;
  }
  void put(std::size_t i, Var v) {
    heap_[i] = v;
    place_[v] = static_cast<std::uint32_t>(i);
  }
  void sift_up(std::size_t i) {
    const Var v = heap_[i];
    while (i > 0 && before(v, heap_[(i - 1) / 2])) {
      put(i, heap_[(i - 1) / 2]);
      i = (i - 1) / 2;
    }
    put(i, v);
  }
  void sift_down(std::size_t i) {
    const Var v = heap_[i];
    while (2 * i + 1 < heap_.size()) {
      std::size_t child = 2 * i + 1;
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child]))
        ++child;
      if (!before(heap_[child], v)) break;
      put(i, heap_[child]);
      i = child;
    }
    put(i, v);
  }

  std::vector<double> activity_;
  std::vector<std::uint32_t> place_;
  std::vector<Var> heap_;
  double step_ = 1;
};

}  // namespace txscope::sat
