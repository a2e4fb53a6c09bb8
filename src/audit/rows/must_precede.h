#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "audit/attempt/load.h"

namespace txscope::audit {

/// Who precedes whom in every order that explains a log, as far as known: the
/// order of sessions, at strict levels real time, and what is learned.
///
/// Of each transaction a clock says, by session, how many of its transactions
/// precede it (itself included in its own).  Who is not asked has no place.
class MustPrecede {
 public:
  using Clock = std::vector<std::uint32_t>;

  /// None: too many sessions for so many transactions.
  [[nodiscard]] static std::optional<MustPrecede> of(const LoadedLog& log,
                                                     bool is_strict);

  [[nodiscard]] std::size_t sessions() const { return width_; }
  /// From 1 within its session; 0: it has no place.
  [[nodiscard]] std::uint32_t place(std::uint32_t txn) const {
    return places_[txn];
  }
  [[nodiscard]] std::uint32_t session(std::uint32_t txn) const {
    return sessions_[txn];
  }
  [[nodiscard]] std::span<const std::uint32_t> clock(std::uint32_t txn) const {
    return {clocks_.data() + txn * width_, width_};
  }
  /// Whether `a` precedes `b`, or is `b`.
  [[nodiscard]] bool is_before(std::uint32_t a, std::uint32_t b) const {
    return clock(b)[sessions_[a]] >= places_[a];
  }
  /// What its session's last before it, and real time, say; without itself.
  [[nodiscard]] Clock start(std::uint32_t txn) const;

  /// From now on all in this clock precede `txn`.  What is new is kept.
  void learn(std::uint32_t txn, std::span<const std::uint32_t> before);
  /// Those who precede its session's last do so, too.
  void pass_on(std::uint32_t txn);
  [[nodiscard]] bool has_changed() const { return has_changed_; }
  void forget_changes() { has_changed_ = false; }
  /// Two that would have to precede each other; none so far.
  [[nodiscard]] const std::optional<std::pair<std::uint32_t, std::uint32_t>>&
  cycle() const {
    return cycle_;
  }

 private:
  MustPrecede() = default;
  void note_cycle(std::uint32_t txn);

  std::size_t width_ = 0;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> sessions_;
  std::vector<std::vector<std::uint32_t>> by_session_;
  std::vector<std::uint32_t> clocks_;
  std::vector<std::uint32_t> ended_;  // clocks of real time; empty: not asked
  bool has_changed_ = false;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> cycle_;
};

}  // namespace txscope::audit
