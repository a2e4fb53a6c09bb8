#include "check/ladder.h"

#include <algorithm>

#include "check/check.h"

namespace txscope {
namespace {

using Rows = std::vector<std::optional<LadderRow>>;

// A verdict on another level settles this one if the lattice says so.
std::optional<LadderRow> settled(Level level, const Rows& rows) {
  for (const auto& row : rows) {
    if (!row) continue;
    const Verdict& known = row->verdict;
    if (known.outcome() == Outcome::Holds && implies(known.level, level))
      return LadderRow{Verdict{level, known.evidence}, std::nullopt};
    if (known.outcome() == Outcome::Violated && implies(level, known.level))
      return LadderRow{Verdict{level, known.evidence}, std::nullopt};
  }
  return std::nullopt;
}

// A weakest violated level strictly below this one, if there is any.
std::optional<Level> weakest_violated_below(Level level, const Rows& rows) {
  std::optional<Level> weakest;
  for (const auto& row : rows) {
    const Level other = row->verdict.level;
    if (row->verdict.outcome() != Outcome::Violated || other == level) continue;
    if (implies(level, other) && (!weakest || implies(*weakest, other)))
      weakest = other;
  }
  return weakest;
}

// Which question to ask next: first read-uncommitted, which costs next to
// nothing even where all others are a search; then the strongest of the cheap
// weak levels (if it holds, so do the others); then serializable, which most
// often settles the rest; then snapshot isolation, then what is between.
std::vector<std::size_t> order_of_questions(std::span<const Level> levels) {
  const auto cost = [](Base base) {
    const auto rank = static_cast<int>(base);
    if (base == Base::ReadUncommitted) return -100;
    return base <= Base::Causal ? -rank : 100 - rank;
  };
  std::vector<std::size_t> order(levels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) {
                     return cost(levels[a].base) < cost(levels[b].base);
                   });
  return order;
}

}  // namespace

std::vector<LadderRow> check_levels(const History& history,
                                    std::span<const Level> levels,
                                    const Budget& budget) {
  Checker checker(history);
  Rows rows(levels.size());
  for (const std::size_t i : order_of_questions(levels)) {
    rows[i] = settled(levels[i], rows);
    if (!rows[i])
      rows[i] = LadderRow{checker.check(levels[i], budget), std::nullopt};
  }
  // A stronger level may have been decided before the weaker one that explains
  // it: "also not" refers to a weakest violated level.
  for (auto& row : rows)
    if (row->verdict.outcome() == Outcome::Violated)
      row->follows_from = weakest_violated_below(row->verdict.level, rows);
  std::vector<LadderRow> answer;
  for (auto& row : rows) answer.push_back(*std::move(row));
  return answer;
}

}  // namespace txscope
