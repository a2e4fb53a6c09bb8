#include "support/naive_temporal.h"

#include <algorithm>

namespace txscope::test {
namespace {

/// Positions that a behaviour visits from `at` on.
std::vector<std::size_t> later(const NaiveLasso& lasso, std::size_t at) {
  std::vector<std::size_t> all;
  for (std::size_t i = std::min(at, lasso.loop); i < lasso.states.size(); ++i)
    if (i >= at || i >= lasso.loop) all.push_back(i);
  return all;
}

NaiveTemporal atom(Random& random) {
  const auto v = static_cast<std::size_t>(random.below(3));
  const int n = static_cast<int>(random.below(3));
  const bool is_equal = random.chance(0.6);
  const std::string name(1, "xyz"[v]);
  return {name + (is_equal ? " = " : " # ") + std::to_string(n),
          [v, n, is_equal](const NaiveLasso& lasso, std::size_t at) {
            return (lasso.states[at][v] == n) == is_equal;
          }};
}

NaiveTemporal always(const NaiveTemporal& p) {
  return {"[](" + p.text + ")", [p](const NaiveLasso& l, std::size_t at) {
            const auto all = later(l, at);
            return std::all_of(all.begin(), all.end(),
                               [&](std::size_t i) { return p.holds_at(l, i); });
          }};
}

NaiveTemporal eventually(const NaiveTemporal& p) {
  return {"<>(" + p.text + ")", [p](const NaiveLasso& l, std::size_t at) {
            const auto all = later(l, at);
            return std::any_of(all.begin(), all.end(),
                               [&](std::size_t i) { return p.holds_at(l, i); });
          }};
}

}  // namespace

NaiveTemporal random_temporal(Random& random, int depth) {
  if (depth == 0) return atom(random);
  const NaiveTemporal p = random_temporal(random, depth - 1);
  switch (random.below(8)) {
    case 0: return always(p);
    case 1: return eventually(p);
    case 2: return always(eventually(p));
    case 3: return eventually(always(p));
    case 4:
      return {"~(" + p.text + ")", [p](const NaiveLasso& l, std::size_t at) {
                return !p.holds_at(l, at);
              }};
    default: break;
  }
  const NaiveTemporal q = random_temporal(random, depth - 1);
  switch (random.below(4)) {
    case 0:
      return {"((" + p.text + ") => (" + q.text + "))",
              [p, q](const NaiveLasso& l, std::size_t at) {
                return !p.holds_at(l, at) || q.holds_at(l, at);
              }};
    case 1:
      return {"((" + p.text + ") /\\ (" + q.text + "))",
              [p, q](const NaiveLasso& l, std::size_t at) {
                return p.holds_at(l, at) && q.holds_at(l, at);
              }};
    case 2:
      return {"((" + p.text + ") \\/ (" + q.text + "))",
              [p, q](const NaiveLasso& l, std::size_t at) {
                return p.holds_at(l, at) || q.holds_at(l, at);
              }};
    default: {
      const NaiveTemporal answer = eventually(q);
      const NaiveTemporal response{
          "", [p, answer](const NaiveLasso& l, std::size_t at) {
            return !p.holds_at(l, at) || answer.holds_at(l, at);
          }};
      return {"((" + p.text + ") ~> (" + q.text + "))",
              always(response).holds_at};
    }
  }
}

bool is_fair(
    const NaiveLasso& lasso,
    const std::function<bool(const NaiveState&, const NaiveState&)>& action,
    bool is_strong) {
  const auto enabled = [&](const NaiveState& s) {
    for (int x = 0; x < 3; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 3; ++z) {
          const NaiveState t{x, y, z};
          if (t != s && action(s, t)) return true;
        }
    return false;
  };
  bool is_always_enabled = true;
  bool is_ever_enabled = false;
  for (std::size_t i = lasso.loop; i < lasso.states.size(); ++i) {
    const NaiveState& s = lasso.states[i];
    const NaiveState& t =
        lasso.states[i + 1 < lasso.states.size() ? i + 1 : lasso.loop];
    if (s != t && action(s, t)) return true;
    is_always_enabled = is_always_enabled && enabled(s);
    is_ever_enabled = is_ever_enabled || enabled(s);
  }
  return is_strong ? !is_ever_enabled : !is_always_enabled;
}

}  // namespace txscope::test
