#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "small_log.h"

namespace txscope::test {

struct OracleLevel {
  enum Rule {
    Serializable,
    Snapshot,
    Prefix,
    PostgresRepeatableRead,
    ReadCommitted,
    PostgresReadCommitted
  };
  const char* name;
  Rule rule;
  bool is_strict;
};

/// Whether some order explains a log, from the definitions alone: all orders,
/// all snapshots, all choices of versions, every transaction run on each.
class LogOracle {
 public:
  LogOracle(const SmallLog& log, OracleLevel level)
      : log_(log), level_(level) {}

  [[nodiscard]] bool explains();
  /// The orders and versions were more than can be tried; no verdict.
  [[nodiscard]] bool gave_up() const { return steps_ > kMostSteps; }

 private:
  /// A place in the order: who is there, and what it leaves.
  struct Place {
    std::size_t txn = 0;
    Lives state;
    std::set<int> lives;  ///< written
    std::set<int> keys;
  };
  /// A transaction on its way.
  struct Running {
    std::size_t txn = 0;
    std::size_t statement = 0;
    OwnLives own;
    std::set<int> keys;  ///< of what it changed or deleted
    int next_life = 0;
    std::size_t prefix = 0;
    SmallAnswer given;  ///< of the last statement
  };

  bool next();
  [[nodiscard]] bool may_come(std::size_t t) const;
  [[nodiscard]] std::size_t oldest(std::size_t t) const;
  bool try_all(std::size_t t);
  bool on_state(const Running& at, std::size_t s);
  bool finish(const Running& at, std::size_t s);
  [[nodiscard]] static Running ran(const SmallStatement& s, const Running& at,
                                   const Lives& seen, const Lives& latest);
  [[nodiscard]] std::vector<Running> on_one(const SmallStatement& s,
                                            const Running& at,
                                            const Lives& seen) const;
  [[nodiscard]] std::vector<Running> by_row(const SmallStatement& s,
                                            const Running& at,
                                            std::size_t p) const;
  [[nodiscard]] std::vector<std::size_t> moments(const SmallStatement& s,
                                                 const Running& at,
                                                 std::size_t first) const;
  bool any_versions(const Running& at, const Lives& chosen,
                    std::vector<int> lives);
  bool read_committed(const Running& at);
  bool postgres(const Running& at);
  [[nodiscard]] std::size_t last_turn(
      const Running& at, std::size_t p, std::size_t m,
      const std::function<bool(const SmallRow&)>& has) const;
  [[nodiscard]] std::size_t last_writer(const Running& at, std::size_t p,
                                        std::size_t m, int life) const;
  void wait_for_keys(const SmallStatement& s, const Lives& wanted,
                     std::size_t p, std::size_t m, Running& after) const;
  [[nodiscard]] std::vector<Running> passed_over(const SmallStatement& s,
                                                 const Running& at,
                                                 std::size_t p) const;
  [[nodiscard]] Running on_prefix(const SmallStatement& s, const Running& at,
                                  std::size_t p, std::size_t m) const;
  bool commit(const Running& at, const std::set<int>& keys);
  [[nodiscard]] bool conflicts(const std::set<int>& keys, std::size_t s) const;
  [[nodiscard]] std::set<int> keys_of(const OwnLives& own, std::size_t s) const;
  [[nodiscard]] const Lives& last() const { return places_.back().state; }

  static constexpr std::uint64_t kMostSteps = 60'000;

  const SmallLog& log_;
  OracleLevel level_;
  std::vector<bool> placed_;
  std::vector<Place> places_;  ///< the first is the setup
  std::uint64_t steps_ = 0;
};

}  // namespace txscope::test
