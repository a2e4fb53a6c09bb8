#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/budget.h"
#include "base/result.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::check {

class Facts;
class ReadSet;
class OrderIndex;

/// Decides whether `history` has `level`.  Undecided only if `budget` ended.
/// Realtime order needs start and end times; see missing_times().
[[nodiscard]] Verdict check(const History& history, Level level,
                            const Budget& budget);

/// The same for several levels of one history: what they have in common is
/// computed once.  The history must outlive the Checker.
///
/// If a level is violated, so that a weaker one is violated too, then the
/// evidence is that of the weakest: it is the simplest, and names the anomaly
/// best.
class Checker {
 public:
  explicit Checker(const History& history);
  /// As if these reads were not there; they must outlive the Checker, too.
  Checker(const History& history, const ReadSet& ignored);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  [[nodiscard]] Verdict check(Level level, const Budget& budget);
  [[nodiscard]] const History& history() const { return history_; }
  [[nodiscard]] const Facts& facts() const { return *facts_; }

  /// What the strategies are asked.
  struct Asked {
    Checker& checker;
    Level level;
  };

 private:
  Verdict check_read_uncommitted(Order order, const Budget& budget);
  const Verdict& check_weak(Base base, Order order, const Budget& budget);
  const OrderIndex& order_index(Order order);
  Verdict search(Level level, const Budget& budget);
  std::optional<Verdict> check_by_clocks(Level level, const Budget& budget);
  std::optional<Verdict> check_open(Level level, const Budget& budget);
  std::optional<Verdict> check_known_versions(Level level,
                                              const Budget& budget);
  std::optional<Verdict> check_likely_versions(Level level,
                                               const Budget& budget);

  const History& history_;
  const ReadSet* ignored_ = nullptr;
  std::unique_ptr<const Facts> facts_;
  std::array<std::unique_ptr<const OrderIndex>, kOrderCount> orders_;
  std::array<std::optional<Verdict>, kBaseCount * kOrderCount> weak_;
  /// By order: that of known versions, once it was looked for.
  std::array<std::optional<std::optional<CommitOrder>>, kOrderCount> serial_;
  /// By base and order: that of likely versions, the same.
  std::array<std::optional<std::optional<CommitOrder>>,
             kBaseCount * kOrderCount>
      likely_;
};

/// What keeps a history from being judged at realtime order: a committed
/// transaction without start or end, or two of one session that overlap.
[[nodiscard]] std::optional<Error> missing_times(const History& history);

}  // namespace txscope::check
