#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/solver/literal.h"

namespace txscope::check::sat {

/// Variables by when they last took part in a conflict, the latest first; those
/// that never did by number.  Move to front (Ryan 2004; Biere and Fröhlich, SAT
/// 2015): a list, so that deciding a hundred thousand variables again after
/// every conflict costs a step each.  (A heap by activity took half of the time
/// of histories with repeated values.)
///
/// Invariant.  All variables in front of `next_` have a value.
class VariableQueue {
 public:
  void add_variable() {
    const auto v = static_cast<Var>(links_.size());
    links_.push_back({last_, kNone, -static_cast<std::int64_t>(v)});
    (last_ == kNone ? first_ : links_[last_].after) = v;
    last_ = v;
    if (next_ == kNone) next_ = v;
  }
  /// True if all variables have a value.
  [[nodiscard]] bool is_empty() const { return next_ == kNone; }
  /// The next one that may have no value.
  Var pop() {
    const Var v = next_;
    next_ = links_[v].after;
    return v;
  }
  /// It has lost its value.
  void insert(Var v) {
    if (next_ == kNone || links_[v].stamp > links_[next_].stamp) next_ = v;
  }
  /// These, all of which have a value, took part in a conflict.  They keep
  /// their order.
  void bump(std::vector<Var>& vars) {
    std::sort(vars.begin(), vars.end(),
              [&](Var a, Var b) { return links_[a].stamp < links_[b].stamp; });
    for (const Var v : vars) move_to_front(v);
  }

 private:
  static constexpr Var kNone = 0xffffffffu;
  struct Links {
    Var before;
    Var after;
    std::int64_t stamp;  // larger in front
  };

  void move_to_front(Var v) {
    links_[v].stamp = ++stamp_;
    if (v == first_) return;
    if (v == next_) next_ = links_[v].after;
    const Links old = links_[v];
    links_[old.before].after = old.after;
    (old.after == kNone ? last_ : links_[old.after].before) = old.before;
    links_[v].before = kNone;
    links_[v].after = first_;
    links_[first_].before = v;
    first_ = v;
  }

  std::vector<Links> links_;  // by variable
  Var first_ = kNone;
  Var last_ = kNone;
  Var next_ = kNone;
  std::int64_t stamp_ = 0;
};

}  // namespace txscope::check::sat
