#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/random.h"
#include "check/facts/facts.h"
#include "check/weak/order.h"
#include "model/evidence.h"
#include "model/history.h"

namespace txscope::check {

/// What a serial run has to run: the transactions that count, session by
/// session, and what each does with its keys.  Values are *items*, numbers of
/// pairs of a key and a value.  Does not change while it is run.
struct SerialScript {
  static constexpr std::uint32_t kNever = 0xffffffffu;

  /// What a transaction does with a key, as others see it.
  struct Access {
    KeyId key;
    std::uint32_t group;  ///< of the key and the session
    bool reads = false;
    bool writes = false;
    std::uint32_t read_item = kNever;   ///< what it saw
    std::uint32_t write_item = kNever;  ///< what it left
  };
  struct Member {  ///< a transaction that counts
    TxnId txn;
    std::uint32_t session;
    std::uint32_t number;       ///< in its session
    std::uint32_t first, last;  ///< of accesses
  };
  struct Group {  ///< the accesses of a session to a key, in its order
    std::uint32_t key;
    std::uint32_t session;
    std::uint32_t first, last;  ///< of group_accesses
  };

  /// False if there is nothing to run: a key is a list or is seen with two
  /// values by one transaction, an outcome is open, or the budget ended.
  [[nodiscard]] bool collect(const History& history, const Facts& facts,
                             const OrderIndex& order, const Budget& budget);

  [[nodiscard]] std::size_t session_count() const {
    return session_first.size() - 1;
  }
  [[nodiscard]] std::uint32_t session_size(std::uint32_t session) const {
    return session_first[session + 1] - session_first[session];
  }
  [[nodiscard]] std::size_t group_count() const { return groups.size(); }

  /// Evidence that members can commit in this order, each seeing what was
  /// there before the position in `taken` (by member).
  [[nodiscard]] CommitOrder evidence(
      const History& history, const Facts& facts,
      std::span<const std::uint32_t> order,
      std::span<const std::uint32_t> taken) const;

  std::vector<Member> members;  ///< by session, in its order
  std::vector<std::uint32_t> session_first;
  std::vector<Access> accesses;
  std::vector<Group> groups;             ///< by key
  std::vector<std::uint32_t> key_first;  ///< of groups
  std::vector<std::uint32_t> group_accesses;
  std::vector<std::uint32_t> access_member;
  std::vector<std::uint32_t> initial;  ///< item, by key
  std::vector<std::uint32_t> reads;    ///< how often, by item
  std::vector<std::uint32_t> writes;   ///< how often, by item
  std::vector<std::uint32_t> by_end;   ///< members; realtime only
  bool has_times = true;               ///< all of them have an end

 private:
  struct ItemHash {
    std::size_t operator()(const std::pair<KeyId, Atom>& i) const {
      return scramble(i.second.bits() ^ i.first.index * 0x9e3779b97f4a7c15ull);
    }
  };

  std::uint32_t item(KeyId key, Atom value);
  bool collect_accesses(const History& history, const Facts& facts,
                        Member& member);
  void collect_groups(std::size_t key_count);
  void collect_ends(const OrderIndex& order);

  std::unordered_map<std::pair<KeyId, Atom>, std::uint32_t, ItemHash> items_;
};

}  // namespace txscope::check
