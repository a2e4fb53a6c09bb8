#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "audit/attempt/attempt.h"
#include "audit/pass/saved_state.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Explains a log in one pass, in the order that commit times suggest.
///
/// Method.  Of those that are first in their sessions the one with the earliest
/// hint is run on what its level lets it see.  If nothing explains it there,
/// the others are tried before it; and it is tried at an earlier place of the
/// order, where everything behind it that might see it is run again; and one
/// that has its place is moved back, if the others stand then (reorder.cpp).
/// There is no other way back: a pass that gets stuck proves nothing, but one
/// that ends has an explanation.  Only the states that the last `window`
/// commits left are kept.
class Replay {
 public:
  struct Limits {
    std::size_t window = 512;  ///< states; 0: all
    std::size_t ahead = 128;   ///< transactions that wait before one is placed
  };

  Replay(const Tables& initial, const AuditLevel& level, GeneratedIds& ids,
         const Budget& budget, Limits limits);

  /// Goes on where another one stood; `initial` are its tables.
  void resume(const ReplayState& state);
  [[nodiscard]] ReplayState state() const;
  [[nodiscard]] const Tables& tables() const { return tables_; }

  /// The next transaction of the log, which must stay where it is until it is
  /// forgotten; `number` names it, `hint` is where it may belong.  False: it
  /// ended before something began that has its place already.
  bool add(std::uint32_t number, const Txn& txn, std::int64_t hint);
  /// Places transactions until no more than `ahead` wait.  False: stuck.
  bool advance();
  /// Places all that wait.
  bool finish();

  /// Called for every transaction that is not needed any more.
  std::function<void(std::uint32_t)> on_forget;
  /// Called for every transaction that has its place; nothing is known yet of
  /// what will be put before it.
  [[nodiscard]] std::vector<Placed> order() const;
  [[nodiscard]] const std::optional<FirstBad>& first_bad() const {
    return first_bad_;
  }
  /// The numbers of those that wait for their place.
  [[nodiscard]] std::vector<std::uint32_t> waiting() const;
  [[nodiscard]] std::uint64_t placed() const { return placed_; }
  [[nodiscard]] std::size_t live_versions() const {
    return tables_.live_versions();
  }

 private:
  struct Waiting {
    std::uint32_t number = 0;
    const Txn* txn = nullptr;
    std::int64_t hint = 0;
    std::uint64_t arrival = 0;
  };
  struct Session {
    std::deque<Waiting> queue;
    Position last = kSetup;
    std::uint64_t repaired = ~std::uint64_t{0};  ///< arrival of who was tried
  };
  /// One that has its place.
  struct Done {
    std::uint32_t number = 0;
    const Txn* txn = nullptr;
    Position at = kSetup;        ///< the state after it
    Position before = kSetup;    ///< the last state before it
    Position snapshot = kSetup;  ///< what it saw, as a whole
    SeenByStatement seen;
    Position oldest = kSetup;  ///< the oldest state that it may see
    Effects effects;
    bool is_committed = true;
  };
  using Head = std::pair<std::pair<std::int64_t, std::uint64_t>, std::uint32_t>;

  bool step();
  bool place(std::uint32_t session, bool from_start = false);
  bool repair(std::uint32_t session);
  bool place_mixed(std::uint32_t session);
  bool pull_readers(std::uint32_t session);
  bool reorder(std::uint32_t session);
  bool move_back(std::size_t index, std::uint32_t session);
  bool put_after(Done& done, std::size_t point, std::int64_t end);
  struct Moved;
  bool stands(Done& other, Moved& moved);
  bool stands(Attempts& attempts, const Done& other,
              std::span<const Position> points) const;
  bool insert(std::uint32_t session);
  bool insert_after(std::uint32_t session, std::size_t point);
  bool still_stand(const Done& inserted);
  void tell_bad(std::uint32_t session);
  void tell_nearest(std::uint32_t session);
  void leave_out(std::uint32_t session);
  void take_head(std::uint32_t session);
  void put_head(std::uint32_t session);
  void remember(Done done);
  void forget();
  void forget_readers();
  [[nodiscard]] bool is_ready(const Txn& txn) const;
  /// The oldest state that one may see whose session stands at `last`.
  [[nodiscard]] Position oldest(Position last, const Txn& txn) const;
  /// What the first of a session may see; `from_start`: as times make likely.
  [[nodiscard]] std::span<const Position> states_for(std::uint32_t session,
                                                     bool from_start) const;
  /// The oldest state that times make likely.
  [[nodiscard]] std::size_t likely(const Txn& txn) const;
  [[nodiscard]] std::size_t point_at(Position at) const;

  AuditLevel level_;
  Limits limits_;
  GeneratedIds& ids_;
  const Budget& budget_;
  Tables tables_;
  Attempts attempts_;
  std::vector<Session> sessions_;
  std::set<Head> heads_;
  std::vector<Position> points_;
  Position floor_ = kSetup;         // nothing is put before what is forgotten
  std::vector<std::int64_t> ends_;  // of who made the state, by point
  std::deque<Done> done_;           // in the order of placing
  std::size_t waiting_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t placed_ = 0;
  std::size_t reordered_in_vain_ = 0;  // since it last helped
  std::optional<std::int64_t> latest_start_;
  std::optional<FirstBad> first_bad_;
};

}  // namespace txscope::audit
