#include "check/ladder.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "check/check.h"

namespace txscope::check {
namespace {

using Rows = std::vector<std::optional<LadderRow>>;

// A verdict on another level settles this one if the lattice says so.
std::optional<LadderRow> settled(Level level, const Rows& rows) {
  for (const auto& row : rows) {
    if (!row) continue;
    const Verdict& known = row->verdict;
    if (known.outcome() == Outcome::Holds && implies(known.level, level))
      return LadderRow{Verdict{level, known.evidence, known.strategy},
                       std::nullopt};
    if (known.outcome() == Outcome::Violated && implies(level, known.level))
      return LadderRow{Verdict{level, known.evidence, known.strategy},
                       std::nullopt};
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

/// Threads that decide strong levels before they are asked for, in the order in
/// which that will be.  What a verdict settles is not searched any further.
class SideBySide {
 public:
  SideBySide(const History& history, std::span<const Level> levels,
             const std::vector<std::size_t>& questions, const Budget& budget,
             unsigned threads)
      : history_(history) {
    for (const std::size_t i : questions)
      if (levels[i].base > Base::Causal)
        tasks_.push_back(std::make_unique<Task>(i, levels[i], budget));
    if (tasks_.size() < 2) return;
    for (unsigned i = 0; i < std::min<std::size_t>(threads, tasks_.size()); ++i)
      threads_.emplace_back([this] { work(); });
  }
  ~SideBySide() {
    for (const auto& task : tasks_) task->budget.cancel();
  }
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  /// The verdict on levels[i], once it is there; nothing if no thread has
  /// begun with it, and none will.
  std::optional<Verdict> take(std::size_t i) {
    for (const auto& task : tasks_) {
      if (task->index != i || !task->is_begun.exchange(true)) continue;
      std::unique_lock lock(mutex_);
      done_.wait(lock, [&] { return task->verdict.has_value(); });
      return std::move(task->verdict);
    }
    return std::nullopt;
  }

  void forget_what_follows_from(const Verdict& known) {
    for (const auto& task : tasks_) {
      const bool is_settled = (known.outcome() == Outcome::Holds &&
                               implies(known.level, task->level)) ||
                              (known.outcome() == Outcome::Violated &&
                               implies(task->level, known.level));
      if (!is_settled) continue;
      task->is_begun = true;
      task->budget.cancel();
    }
  }

 private:
  struct Task {
    Task(std::size_t of, Level asked, const Budget& allowed)
        : index(of), level(asked), budget(allowed) {}
    std::size_t index;
    Level level;
    Budget budget;
    std::atomic<bool> is_begun{false};
    std::optional<Verdict> verdict;
  };

  void work() {
    std::optional<Checker> checker;
    for (const auto& task : tasks_) {
      if (task->is_begun.exchange(true)) continue;
      if (!checker) checker.emplace(history_);
      auto verdict = checker->check(task->level, task->budget);
      const std::lock_guard lock(mutex_);
      task->verdict = std::move(verdict);
      done_.notify_all();
    }
  }

  const History& history_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::mutex mutex_;  // guards the verdicts
  std::condition_variable done_;
  std::vector<std::jthread> threads_;  // joined before the rest goes
};

}  // namespace

std::vector<LadderRow> check_levels(
    const History& history, std::span<const Level> levels, const Budget& budget,
    unsigned jobs, const std::function<void(const Verdict&)>& on_decided) {
  Checker checker(history);
  Rows rows(levels.size());
  const auto questions = order_of_questions(levels);
  std::optional<SideBySide> others;
  if (jobs > 1) others.emplace(history, levels, questions, budget, jobs - 1);
  for (const std::size_t i : questions) {
    rows[i] = settled(levels[i], rows);
    if (!rows[i]) {
      auto verdict = others ? others->take(i) : std::nullopt;
      if (!verdict) verdict = checker.check(levels[i], budget);
      rows[i] = LadderRow{*std::move(verdict), std::nullopt};
    }
    if (on_decided) on_decided(rows[i]->verdict);
    if (others) others->forget_what_follows_from(rows[i]->verdict);
  }
  // A stronger level may have been decided before the weaker one that explains
  // it: "also violated" refers to a weakest violated level.
  for (auto& row : rows)
    if (row->verdict.outcome() == Outcome::Violated)
      row->follows_from = weakest_violated_below(row->verdict.level, rows);
  std::vector<LadderRow> answer;
  for (auto& row : rows) answer.push_back(*std::move(row));
  return answer;
}

}  // namespace txscope::check
