#include "check/strong/serial_run.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/random.h"

namespace txscope {
namespace {

constexpr std::uint32_t kNever = 0xffffffffu;
constexpr double kImpossible = 1e9;
constexpr double kLearned = 1e3;       // who was told to wait
constexpr double kConflict = 50;       // ends another's snapshot
constexpr double kWelcome = 0.5;       // writes what others want to read
constexpr std::size_t kLookedAt = 48;  // sessions that are tried at each step

class SerialRun {
 public:
  SerialRun(const History& history, const Facts& facts, const OrderIndex& order,
            bool by_snapshots, const Budget& budget)
      : history_(history),
        facts_(facts),
        order_(order),
        by_snapshots_(by_snapshots),
        budget_(budget) {}

  std::optional<CommitOrder> run();

 private:
  // What a transaction does with a key, as others see it.
  struct Access {
    KeyId key;
    std::uint32_t group;  // of the key and the session
    bool reads = false;
    bool writes = false;
    std::uint32_t read_item = kNever;   // the value seen, as a (key, value)
    std::uint32_t write_item = kNever;  // the value left
  };
  struct Member {  // a transaction that counts
    TxnId txn;
    std::uint32_t session;
    std::uint32_t number;       // in its session
    std::uint32_t first, last;  // of accesses_
  };
  struct Group {  // the accesses of a session to a key, and which come next
    std::uint32_t key;
    std::uint32_t session;
    std::uint32_t first, last;  // of group_accesses_
    std::uint32_t head;
  };
  struct Version {
    std::uint32_t item;
    std::uint32_t position;  // in placed_; kNever for the initial one
  };
  struct Undo {
    std::uint32_t session;
    std::uint32_t snapshot;
  };

  bool collect();
  bool collect_accesses(Member& member);
  void collect_groups();
  std::uint32_t item(KeyId key, Atom value);
  [[nodiscard]] std::uint32_t held(KeyId key) const {
    return versions_[key.index].back().item;
  }
  [[nodiscard]] bool sees_all(const Member& m) const;
  [[nodiscard]] bool is_late_enough(const Member& m) const;
  [[nodiscard]] bool can_run(std::uint32_t session) const;
  [[nodiscard]] double harm(std::uint32_t session) const;
  [[nodiscard]] double harm_of_write(const Member& m, const Access& a) const;
  [[nodiscard]] double nearness(const Member& m, std::uint32_t distance) const;
  [[nodiscard]] std::uint32_t choose() const;
  void place(std::uint32_t session);
  void take_back();
  bool repair();
  void give_way();
  [[nodiscard]] std::uint32_t lost_at(const Member& m) const;
  [[nodiscard]] std::uint32_t kept_since(const Member& m) const;
  [[nodiscard]] const Member& next_of(std::uint32_t session) const {
    return members_[session_first_[session] + done_[session]];
  }
  [[nodiscard]] bool is_done(std::uint32_t session) const {
    return session_first_[session] + done_[session] ==
           session_first_[session + 1];
  }
  [[nodiscard]] double rank(std::uint32_t session) const;
  void wait_in_line(std::uint32_t session) {
    if (!is_done(session)) line_.insert({rank(session), session});
  }
  [[nodiscard]] CommitOrder evidence() const;

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  bool by_snapshots_;
  const Budget& budget_;
  bool has_times_ = true;

  std::vector<Member> members_;  // by session, in its order
  std::vector<std::uint32_t> session_first_;
  std::vector<Access> accesses_;
  std::vector<Group> groups_;             // by key
  std::vector<std::uint32_t> key_first_;  // of groups_
  std::vector<std::uint32_t> group_accesses_;
  std::vector<std::uint32_t> access_member_;
  struct ItemHash {
    std::size_t operator()(const std::pair<KeyId, Atom>& i) const {
      return scramble(i.second.bits() ^ i.first.index * 0x9e3779b97f4a7c15ull);
    }
  };
  std::unordered_map<std::pair<KeyId, Atom>, std::uint32_t, ItemHash> items_;
  std::vector<std::uint32_t> reads_left_;   // by item
  std::vector<std::uint32_t> writes_left_;  // by item
  std::vector<std::uint32_t> by_end_;       // members; realtime only

  // The state of the run.
  std::vector<std::uint32_t> done_;             // by session
  std::vector<std::vector<Version>> versions_;  // by key
  std::vector<std::uint32_t> placed_;           // members, in commit order
  std::vector<std::uint32_t> place_of_;         // by member
  std::vector<std::uint32_t> snapshot_;  // by session, of its next transaction
  std::vector<std::uint32_t> taken_;     // by member, when it committed
  std::vector<std::vector<Undo>> undo_;  // by position
  std::set<std::pair<double, std::uint32_t>> line_;
  std::uint32_t first_end_ = 0;  // of by_end_: all before are placed

  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waits_for_;
  std::uint64_t taken_back_ = 0;
  std::uint64_t gave_way_ = 0;
  mutable Random random_{1};
};

std::uint32_t SerialRun::item(KeyId key, Atom value) {
  const auto [place, is_new] = items_.try_emplace(
      std::pair(key, value), static_cast<std::uint32_t>(reads_left_.size()));
  if (is_new) {
    reads_left_.push_back(0);
    writes_left_.push_back(0);
  }
  return place->second;
}

bool SerialRun::collect() {
  for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
    if (history_.kind(KeyId(k)) == KeyKind::List) return false;
    versions_.push_back({{item(KeyId(k), history_.initial(KeyId(k))), kNever}});
  }
  session_first_.push_back(0);
  SessionId session = kNone<SessionId>;
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    if (budget_.spent()) return false;
    if (facts_.part(t) == Facts::Part::Open) return false;
    if (!facts_.counts(t)) continue;
    if (history_.at(t).session != session) {
      if (!members_.empty())
        session_first_.push_back(static_cast<std::uint32_t>(members_.size()));
      session = history_.at(t).session;
    }
    has_times_ &= history_.at(t).end != Txn::kNoTime;
    const auto number = static_cast<std::uint32_t>(session_first_.size() - 1);
    members_.push_back(
        {t, number,
         static_cast<std::uint32_t>(members_.size()) - session_first_.back(), 0,
         0});
    if (!collect_accesses(members_.back())) return false;
  }
  session_first_.push_back(static_cast<std::uint32_t>(members_.size()));
  collect_groups();
  const std::size_t sessions = session_first_.size() - 1;
  done_.assign(sessions, 0);
  snapshot_.assign(sessions, kNever);
  place_of_.assign(members_.size(), kNever);
  taken_.assign(members_.size(), kNever);
  if (order_.moment_count() > 0) {
    for (std::uint32_t m = 0; m < members_.size(); ++m)
      if (order_.moment_after(members_[m].txn) != OrderIndex::kNoMoment)
        by_end_.push_back(m);
    std::sort(by_end_.begin(), by_end_.end(),
              [&](std::uint32_t a, std::uint32_t b) {
                return order_.moment_after(members_[a].txn) <
                       order_.moment_after(members_[b].txn);
              });
  }
  return true;
}

// False if a key is seen with two values: no serial run has that.
bool SerialRun::collect_accesses(Member& member) {
  member.first = static_cast<std::uint32_t>(accesses_.size());
  const auto access = [&](KeyId key) -> Access& {
    for (std::size_t i = member.first; i < accesses_.size(); ++i)
      if (accesses_[i].key == key) return accesses_[i];
    accesses_.push_back({key, 0});
    return accesses_.back();
  };
  for (const Facts::Read& read : facts_.reads(member.txn)) {
    Access& a = access(read.key);
    const std::uint32_t seen = item(read.key, history_.at(read.op).value);
    if (a.reads && a.read_item != seen) return false;
    if (!a.reads) ++reads_left_[seen];
    a.reads = true;
    a.read_item = seen;
  }
  for (const KeyId key : facts_.writes(member.txn)) access(key).writes = true;
  if (!facts_.writes(member.txn).empty())
    for (const Op& op : history_.ops(member.txn))
      if (op.is_write()) access(op.key).write_item = item(op.key, op.value);
  member.last = static_cast<std::uint32_t>(accesses_.size());
  for (std::uint32_t i = member.first; i < member.last; ++i)
    if (accesses_[i].writes) ++writes_left_[accesses_[i].write_item];
  return true;
}

void SerialRun::collect_groups() {
  std::vector<std::uint32_t> order(accesses_.size());
  access_member_.resize(accesses_.size());
  for (std::uint32_t m = 0; m < members_.size(); ++m)
    for (std::uint32_t a = members_[m].first; a < members_[m].last; ++a) {
      order[a] = a;
      access_member_[a] = m;
    }
  // Accesses are in the order of members, so of sessions and of their parts.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return accesses_[a].key < accesses_[b].key;
                   });
  key_first_.assign(history_.key_count() + 1, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t key = accesses_[order[i]].key.index;
    const std::uint32_t session = members_[access_member_[order[i]]].session;
    if (groups_.empty() || groups_.back().key != key ||
        groups_.back().session != session) {
      groups_.push_back({key, session, i, i, i});
      ++key_first_[key + 1];
    }
    groups_.back().last = i + 1;
    accesses_[order[i]].group = static_cast<std::uint32_t>(groups_.size() - 1);
  }
  for (std::size_t k = 1; k < key_first_.size(); ++k)
    key_first_[k] += key_first_[k - 1];
  group_accesses_ = std::move(order);
}

// Who would come first if nothing else told: by the end of the transaction, or
// by how much of its session is done.
double SerialRun::rank(std::uint32_t session) const {
  const Member& m = next_of(session);
  const Txn& txn = history_.at(m.txn);
  if (has_times_) return static_cast<double>(txn.end);
  const double size = session_first_[session + 1] - session_first_[session];
  return (m.number + 1) / size;
}

bool SerialRun::sees_all(const Member& m) const {
  for (std::uint32_t i = m.first; i < m.last; ++i)
    if (accesses_[i].reads && accesses_[i].read_item != held(accesses_[i].key))
      return false;
  return true;
}

// Realtime: all who ended before it started are placed.
bool SerialRun::is_late_enough(const Member& m) const {
  if (first_end_ == by_end_.size()) return true;
  const std::uint32_t before = order_.moment_before(m.txn);
  if (before == OrderIndex::kNoMoment) return true;
  return order_.moment_after(members_[by_end_[first_end_]].txn) > before;
}

bool SerialRun::can_run(std::uint32_t session) const {
  const Member& m = next_of(session);
  if (!is_late_enough(m)) return false;
  if (sees_all(m)) return true;
  if (!by_snapshots_ || snapshot_[session] == kNever) return false;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = accesses_[i];
    if (!a.writes) continue;
    const std::uint32_t written = versions_[a.key.index].back().position;
    if (written != kNever && written >= snapshot_[session]) return false;
  }
  return true;
}

// Sessions run ahead of each other as far as chance takes them: with the root
// of what they have done.  With times that is known better.
double SerialRun::nearness(const Member& m, std::uint32_t distance) const {
  if (has_times_) return 1.0 / (1 + distance);
  const double scale = 1 + 2.0 * (m.number + 1);
  const double d = distance;
  return 1 / (1 + d * d / scale);
}

double SerialRun::harm_of_write(const Member& m, const Access& a) const {
  const std::uint32_t now = held(a.key);
  double wanted = 0;
  std::uint32_t secured = 0;
  for (std::uint32_t g = key_first_[a.key.index];
       g < key_first_[a.key.index + 1]; ++g) {
    const Group& group = groups_[g];
    if (group.session == m.session || group.head == group.last) continue;
    const std::uint32_t next = group_accesses_[group.head];
    const Access& other = accesses_[next];
    const Member& reader = members_[access_member_[next]];
    const std::uint32_t distance = reader.number - done_[group.session];
    // What has its snapshot fears only that somebody writes the same.
    const bool has_snapshot = by_snapshots_ && distance == 0 &&
                              (snapshot_[group.session] != kNever ||
                               (sees_all(reader) && is_late_enough(reader)));
    if (has_snapshot && other.writes && can_run(group.session)) wanted += 1;
    if (!other.reads || other.read_item != now || now == a.write_item) continue;
    if (has_snapshot && !other.writes)
      ++secured;
    else
      wanted += nearness(m, distance);
  }
  if (now == a.write_item) return wanted;
  std::uint32_t readers = reads_left_[now] - secured;
  if (a.reads && a.read_item == now) --readers;
  if (readers > 0 && writes_left_[now] == 0) return kImpossible;
  return wanted;
}

double SerialRun::harm(std::uint32_t session) const {
  const Member& m = next_of(session);
  double sum = 0;
  if (!waits_for_.empty()) {
    const auto told =
        waits_for_.find(static_cast<std::uint32_t>(&m - members_.data()));
    if (told != waits_for_.end())
      for (const std::uint32_t first : told->second)
        if (place_of_[first] == kNever) sum += kLearned;
  }
  for (std::uint32_t i = m.first; i < m.last; ++i)
    if (accesses_[i].writes) sum += harm_of_write(m, accesses_[i]);
  return sum;
}

// The least harmful.  Times tell more than what seems to be wanted: with them
// the first to end goes, unless it does real harm.
std::uint32_t SerialRun::choose() const {
  std::uint32_t best = kNever;
  double least = kImpossible;
  std::size_t looked_at = 0;
  for (const auto& [rank, session] : line_) {
    if (!can_run(session)) continue;
    double h = harm(session);
    if (gave_way_ > 0 && !has_times_) h += 0.5 * random_.real();
    if (h < least) {
      least = h;
      best = session;
    }
    const bool is_fine = has_times_ && h < kConflict;
    if (is_fine || (++looked_at >= kLookedAt && best != kNever)) break;
  }
  return best;
}

void SerialRun::place(std::uint32_t session) {
  const auto position = static_cast<std::uint32_t>(placed_.size());
  const std::uint32_t index = session_first_[session] + done_[session];
  const Member& m = members_[index];
  undo_.emplace_back();
  taken_[index] = sees_all(m) ? position : snapshot_[session];
  line_.erase({rank(session), session});
  undo_.back().push_back({session, snapshot_[session]});
  snapshot_[session] = kNever;
  // Others that see all now, and will not any more.
  if (by_snapshots_) {
    for (std::uint32_t i = m.first; i < m.last; ++i) {
      if (!accesses_[i].writes) continue;
      const std::uint32_t key = accesses_[i].key.index;
      for (std::uint32_t g = key_first_[key]; g < key_first_[key + 1]; ++g) {
        const Group& group = groups_[g];
        if (group.session == session || group.head == group.last) continue;
        const Member& other =
            members_[access_member_[group_accesses_[group.head]]];
        if (other.number != done_[group.session] || !sees_all(other) ||
            !is_late_enough(other))
          continue;
        undo_.back().push_back({group.session, snapshot_[group.session]});
        snapshot_[group.session] = position;
      }
    }
  }
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = accesses_[i];
    ++groups_[a.group].head;
    if (a.reads) --reads_left_[a.read_item];
    if (!a.writes) continue;
    --writes_left_[a.write_item];
    versions_[a.key.index].push_back({a.write_item, position});
  }
  place_of_[index] = position;
  placed_.push_back(index);
  ++done_[session];
  while (first_end_ < by_end_.size() &&
         place_of_[by_end_[first_end_]] != kNever)
    ++first_end_;
  wait_in_line(session);
}

void SerialRun::take_back() {
  const std::uint32_t index = placed_.back();
  const Member& m = members_[index];
  if (!is_done(m.session)) line_.erase({rank(m.session), m.session});
  --done_[m.session];
  placed_.pop_back();
  place_of_[index] = kNever;
  for (std::uint32_t i = m.last; i-- > m.first;) {
    const Access& a = accesses_[i];
    --groups_[a.group].head;
    if (a.reads) ++reads_left_[a.read_item];
    if (!a.writes) continue;
    ++writes_left_[a.write_item];
    versions_[a.key.index].pop_back();
  }
  for (auto u = undo_.back().rbegin(); u != undo_.back().rend(); ++u)
    snapshot_[u->session] = u->snapshot;
  undo_.pop_back();
  wait_in_line(m.session);
  ++taken_back_;
}

// Where the first of the values that it waits for was overwritten; kNever if
// one has never been there.
std::uint32_t SerialRun::lost_at(const Member& m) const {
  std::uint32_t first = kNever;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = accesses_[i];
    if (!a.reads || a.read_item == held(a.key)) continue;
    const auto& versions = versions_[a.key.index];
    std::size_t v = versions.size() - 1;
    while (v > 0 && versions[v - 1].item != a.read_item) --v;
    if (v == 0) return kNever;
    first = std::min(first, versions[v].position);
  }
  return first;
}

// Where the version was written that it must not overwrite; kNever if it is
// not that what keeps it from running.
std::uint32_t SerialRun::kept_since(const Member& m) const {
  if (!sees_all(m)) return kNever;
  std::uint32_t first = kNever;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = accesses_[i];
    if (!a.writes || harm_of_write(m, a) < kImpossible) continue;
    const std::uint32_t since = versions_[a.key.index].back().position;
    if (since == kNever) return kNever;
    first = std::min(first, since);
  }
  return first;
}

// One of those that wait should have gone first: before its value was
// overwritten, or before a version was written that it must not overwrite.
// Goes back to the latest such place.
bool SerialRun::repair() {
  std::uint32_t latest = kNever;
  std::uint32_t who = kNever;
  for (std::uint32_t s = 0; s < done_.size(); ++s) {
    if (is_done(s)) continue;
    const Member& m = next_of(s);
    const std::uint32_t place = sees_all(m) ? kept_since(m) : lost_at(m);
    if (place == kNever) continue;
    const auto index = static_cast<std::uint32_t>(&m - members_.data());
    const auto told = waits_for_.find(placed_[place]);
    if (told != waits_for_.end() &&
        std::find(told->second.begin(), told->second.end(), index) !=
            told->second.end())
      continue;
    if (latest != kNever && place <= latest) continue;
    latest = place;
    who = index;
  }
  if (who == kNever) return false;
  waits_for_[placed_[latest]].push_back(who);
  while (placed_.size() > latest) take_back();
  first_end_ = 0;
  while (first_end_ < by_end_.size() &&
         place_of_[by_end_[first_end_]] != kNever)
    ++first_end_;
  return true;
}

// Nothing new can be learned from here: forget, go back further each time,
// and let chance decide a little.
void SerialRun::give_way() {
  waits_for_.clear();
  ++gave_way_;
  const std::size_t back = std::min<std::size_t>(
      placed_.size(),
      10 + random_.below(40 << std::min<std::uint64_t>(gave_way_ / 8, 6)));
  for (std::size_t i = 0; i < back; ++i) take_back();
  first_end_ = 0;
  while (first_end_ < by_end_.size() &&
         place_of_[by_end_[first_end_]] != kNever)
    ++first_end_;
}

std::optional<CommitOrder> SerialRun::run() {
  if (!collect()) return std::nullopt;
  for (std::uint32_t s = 0; s < done_.size(); ++s) wait_in_line(s);
  const std::uint64_t patience = 4 * members_.size() + 20;
  while (placed_.size() < members_.size()) {
    if (budget_.spent()) return std::nullopt;
    const std::uint32_t session = choose();
    if (session != kNever) {
      place(session);
      continue;
    }
    if (taken_back_ > patience) return std::nullopt;
    if (!repair()) give_way();
  }
  return evidence();
}

CommitOrder SerialRun::evidence() const {
  CommitOrder found;
  found.order.push_back(History::kInitial);
  for (const std::uint32_t m : placed_) found.order.push_back(members_[m].txn);
  for (const std::uint32_t index : placed_) {
    const Member& m = members_[index];
    for (const Facts::Read& read : facts_.reads(m.txn)) {
      if (read.writer != kNone<TxnId>) continue;
      // The last version before it took its snapshot.
      const auto& versions = versions_[read.key.index];
      const auto after = std::partition_point(
          versions.begin() + 1, versions.end(),
          [&](const Version& v) { return v.position < taken_[index]; });
      const Version& seen = *(after - 1);
      found.reads_from.push_back(
          {read.op, seen.position == kNever
                        ? History::kInitial
                        : members_[placed_[seen.position]].txn});
    }
  }
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (history_.at(TxnId(i)).status == Status::Unknown)
      found.outcomes.push_back({TxnId(i), facts_.counts(TxnId(i))});
  return found;
}

}  // namespace

std::optional<CommitOrder> find_serial_run(const History& history,
                                           const Facts& facts,
                                           const OrderIndex& order,
                                           bool by_snapshots,
                                           const Budget& budget) {
  return SerialRun(history, facts, order, by_snapshots, budget).run();
}

}  // namespace txscope
