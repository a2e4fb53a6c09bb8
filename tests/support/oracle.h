#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "model/evidence.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope {

/// The verdict at every level, by brute force: all outcomes of unknown
/// transactions, all writers of every read, all total orders, each compared
/// with the definitions word by word.  Meant to be obviously right; shares no
/// code with src/.  For histories of up to about seven transactions.
class OracleAnswers {
 public:
  [[nodiscard]] bool allows(Level level) const {
    return allowed_[index(level.base)][index(level.order)];
  }
  void allow(Base base, Order order) {
    allowed_[index(base)][index(order)] = true;
  }
  /// True if nothing above read-uncommitted is left to be found at `order`.
  [[nodiscard]] bool is_complete(Order order) const {
    for (std::size_t b = 1; b < kBaseCount; ++b)
      if (!allowed_[b][index(order)]) return false;
    return true;
  }

 private:
  template <class Enum>
  static std::size_t index(Enum e) {
    return static_cast<std::size_t>(e);
  }
  std::array<std::array<bool, kOrderCount>, kBaseCount> allowed_{};
};

[[nodiscard]] OracleAnswers oracle(const History& history);
/// At some orders only: where sessions are kept there are far fewer total
/// orders, so that twelve transactions are within reach.
[[nodiscard]] OracleAnswers oracle(const History& history,
                                   std::span<const Order> orders);
[[nodiscard]] bool oracle_allows(const History& history, Level level);

/// A commit order, with everything else that was chosen, that shows the level;
/// nothing if the level is not allowed, or is read-uncommitted.
[[nodiscard]] std::optional<CommitOrder> oracle_witness(const History& history,
                                                        Level level);

/// Whether that very order, with those writers and outcomes, shows the level,
/// which is not read-uncommitted.
[[nodiscard]] bool oracle_accepts(const History& history, Level level,
                                  const CommitOrder& order);

/// How many candidates the brute force goes through at worst.  Above a million
/// or so it is no fun.
[[nodiscard]] double oracle_cost(const History& history);

/// Parallel snapshot isolation at `order` with every visibility relation tried,
/// where oracle() tries only the least one.  For four transactions at most.
[[nodiscard]] bool oracle_allows_psi_by_all_visibilities(const History& history,
                                                         Order order);

}  // namespace txscope
