#include "check/strong/serial/serial_run.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "check/strong/serial/serial_script.h"

namespace txscope::check {
namespace {

constexpr std::uint32_t kNever = SerialScript::kNever;
constexpr double kImpossible = 1e9;
constexpr double kLearned = 1e3;       // who was told to wait
constexpr double kConflict = 50;       // ends another's snapshot
constexpr std::size_t kLookedAt = 48;  // sessions that are tried at each step

class ScriptRun {
 public:
  ScriptRun(const History& history, const Facts& facts, const OrderIndex& order,
            bool by_snapshots, const Budget& budget)
      : history_(history),
        facts_(facts),
        order_(order),
        by_snapshots_(by_snapshots),
        budget_(budget) {}

  std::optional<CommitOrder> run();

 private:
  using Access = SerialScript::Access;
  using Member = SerialScript::Member;
  using Group = SerialScript::Group;
  struct Version {
    std::uint32_t item;
    std::uint32_t position;  // in placed_; kNever for the initial one
  };
  struct Undo {
    std::uint32_t session;
    std::uint32_t snapshot;
  };

  void begin();
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
    return script_.members[script_.session_first[session] + done_[session]];
  }
  [[nodiscard]] bool is_done(std::uint32_t session) const {
    return script_.session_first[session] + done_[session] ==
           script_.session_first[session + 1];
  }
  [[nodiscard]] double rank(std::uint32_t session) const;
  void wait_in_line(std::uint32_t session) {
    if (!is_done(session)) line_.insert({rank(session), session});
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  bool by_snapshots_;
  const Budget& budget_;
  SerialScript script_;

  // The state of the run.
  std::vector<std::uint32_t> done_;             // by session
  std::vector<std::uint32_t> heads_;            // by group: what comes next
  std::vector<std::uint32_t> reads_left_;       // by item
  std::vector<std::uint32_t> writes_left_;      // by item
  std::vector<std::vector<Version>> versions_;  // by key
  std::vector<std::uint32_t> placed_;           // members, in commit order
  std::vector<std::uint32_t> place_of_;         // by member
  std::vector<std::uint32_t> snapshot_;  // by session, of its next transaction
  std::vector<std::uint32_t> taken_;     // by member, when it committed
  std::vector<std::vector<Undo>> undo_;  // by position
  std::set<std::pair<double, std::uint32_t>> line_;
  std::uint32_t first_end_ = 0;  // of script_.by_end: all before are placed

  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waits_for_;
  std::uint64_t taken_back_ = 0;
  std::uint64_t gave_way_ = 0;
  mutable Random random_{1};
};

// Who would come first if nothing else told: by the end of the transaction, or
// by how much of its session is done.
double ScriptRun::rank(std::uint32_t session) const {
  const Member& m = next_of(session);
  const Txn& txn = history_.at(m.txn);
  if (script_.has_times) return static_cast<double>(txn.end);
  const double size =
      script_.session_first[session + 1] - script_.session_first[session];
  return (m.number + 1) / size;
}

bool ScriptRun::sees_all(const Member& m) const {
  for (std::uint32_t i = m.first; i < m.last; ++i)
    if (script_.accesses[i].reads &&
        script_.accesses[i].read_item != held(script_.accesses[i].key))
      return false;
  return true;
}

// Realtime: all who ended before it started are placed.
bool ScriptRun::is_late_enough(const Member& m) const {
  if (first_end_ == script_.by_end.size()) return true;
  const std::uint32_t before = order_.moment_before(m.txn);
  if (before == OrderIndex::kNoMoment) return true;
  return order_.moment_after(script_.members[script_.by_end[first_end_]].txn) >
         before;
}

bool ScriptRun::can_run(std::uint32_t session) const {
  const Member& m = next_of(session);
  if (!is_late_enough(m)) return false;
  if (sees_all(m)) return true;
  if (!by_snapshots_ || snapshot_[session] == kNever) return false;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = script_.accesses[i];
    if (!a.writes) continue;
    const std::uint32_t written = versions_[a.key.index].back().position;
    if (written != kNever && written >= snapshot_[session]) return false;
  }
  return true;
}

// Sessions run ahead of each other as far as chance takes them: with the root
// of what they have done.  With times that is known better.
double ScriptRun::nearness(const Member& m, std::uint32_t distance) const {
  if (script_.has_times) return 1.0 / (1 + distance);
  const double scale = 1 + 2.0 * (m.number + 1);
  const double d = distance;
  return 1 / (1 + d * d / scale);
}

double ScriptRun::harm_of_write(const Member& m, const Access& a) const {
  const std::uint32_t now = held(a.key);
  double wanted = 0;
  std::uint32_t secured = 0;
  for (std::uint32_t g = script_.key_first[a.key.index];
       g < script_.key_first[a.key.index + 1]; ++g) {
    const Group& group = script_.groups[g];
    if (group.session == m.session || heads_[g] == group.last) continue;
    const std::uint32_t next = script_.group_accesses[heads_[g]];
    const Access& other = script_.accesses[next];
    const Member& reader = script_.members[script_.access_member[next]];
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

double ScriptRun::harm(std::uint32_t session) const {
  const Member& m = next_of(session);
  double sum = 0;
  if (!waits_for_.empty()) {
    const auto told = waits_for_.find(
        static_cast<std::uint32_t>(&m - script_.members.data()));
    if (told != waits_for_.end())
      for (const std::uint32_t first : told->second)
        if (place_of_[first] == kNever) sum += kLearned;
  }
  for (std::uint32_t i = m.first; i < m.last; ++i)
    if (script_.accesses[i].writes)
      sum += harm_of_write(m, script_.accesses[i]);
  return sum;
}

// The least harmful.  Times tell more than what seems to be wanted: with them
// the first to end goes, unless it does real harm.
std::uint32_t ScriptRun::choose() const {
  std::uint32_t best = kNever;
  double least = kImpossible;
  std::size_t looked_at = 0;
  for (const auto& [rank, session] : line_) {
    if (!can_run(session)) continue;
    double h = harm(session);
    if (gave_way_ > 0 && !script_.has_times) h += 0.5 * random_.real();
    if (h < least) {
      least = h;
      best = session;
    }
    const bool is_fine = script_.has_times && h < kConflict;
    if (is_fine || (++looked_at >= kLookedAt && best != kNever)) break;
  }
  return best;
}

void ScriptRun::place(std::uint32_t session) {
  const auto position = static_cast<std::uint32_t>(placed_.size());
  const std::uint32_t index = script_.session_first[session] + done_[session];
  const Member& m = script_.members[index];
  undo_.emplace_back();
  taken_[index] = sees_all(m) ? position : snapshot_[session];
  line_.erase({rank(session), session});
  undo_.back().push_back({session, snapshot_[session]});
  snapshot_[session] = kNever;
  // Others that see all now, and will not any more.
  if (by_snapshots_) {
    for (std::uint32_t i = m.first; i < m.last; ++i) {
      if (!script_.accesses[i].writes) continue;
      const std::uint32_t key = script_.accesses[i].key.index;
      for (std::uint32_t g = script_.key_first[key];
           g < script_.key_first[key + 1]; ++g) {
        const Group& group = script_.groups[g];
        if (group.session == session || heads_[g] == group.last) continue;
        const Member& other =
            script_.members
                [script_.access_member[script_.group_accesses[heads_[g]]]];
        if (other.number != done_[group.session] || !sees_all(other) ||
            !is_late_enough(other))
          continue;
        undo_.back().push_back({group.session, snapshot_[group.session]});
        snapshot_[group.session] = position;
      }
    }
  }
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = script_.accesses[i];
    ++heads_[a.group];
    if (a.reads) --reads_left_[a.read_item];
    if (!a.writes) continue;
    --writes_left_[a.write_item];
    versions_[a.key.index].push_back({a.write_item, position});
  }
  place_of_[index] = position;
  placed_.push_back(index);
  ++done_[session];
  while (first_end_ < script_.by_end.size() &&
         place_of_[script_.by_end[first_end_]] != kNever)
    ++first_end_;
  wait_in_line(session);
}

void ScriptRun::take_back() {
  const std::uint32_t index = placed_.back();
  const Member& m = script_.members[index];
  if (!is_done(m.session)) line_.erase({rank(m.session), m.session});
  --done_[m.session];
  placed_.pop_back();
  place_of_[index] = kNever;
  for (std::uint32_t i = m.last; i-- > m.first;) {
    const Access& a = script_.accesses[i];
    --heads_[a.group];
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
std::uint32_t ScriptRun::lost_at(const Member& m) const {
  std::uint32_t first = kNever;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = script_.accesses[i];
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
std::uint32_t ScriptRun::kept_since(const Member& m) const {
  if (!sees_all(m)) return kNever;
  std::uint32_t first = kNever;
  for (std::uint32_t i = m.first; i < m.last; ++i) {
    const Access& a = script_.accesses[i];
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
bool ScriptRun::repair() {
  std::uint32_t latest = kNever;
  std::uint32_t who = kNever;
  for (std::uint32_t s = 0; s < done_.size(); ++s) {
    if (is_done(s)) continue;
    const Member& m = next_of(s);
    const std::uint32_t place = sees_all(m) ? kept_since(m) : lost_at(m);
    if (place == kNever) continue;
    const auto index = static_cast<std::uint32_t>(&m - script_.members.data());
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
  while (first_end_ < script_.by_end.size() &&
         place_of_[script_.by_end[first_end_]] != kNever)
    ++first_end_;
  return true;
}

// Nothing new can be learned from here: forget, go back further each time,
// and let chance decide a little.
void ScriptRun::give_way() {
  waits_for_.clear();
  ++gave_way_;
  const std::size_t back = std::min<std::size_t>(
      placed_.size(),
      10 + random_.below(40 << std::min<std::uint64_t>(gave_way_ / 8, 6)));
  for (std::size_t i = 0; i < back; ++i) take_back();
  first_end_ = 0;
  while (first_end_ < script_.by_end.size() &&
         place_of_[script_.by_end[first_end_]] != kNever)
    ++first_end_;
}

void ScriptRun::begin() {
  for (const std::uint32_t item : script_.initial)
    versions_.push_back({{item, kNever}});
  for (const Group& group : script_.groups) heads_.push_back(group.first);
  reads_left_ = script_.reads;
  writes_left_ = script_.writes;
  done_.assign(script_.session_count(), 0);
  snapshot_.assign(script_.session_count(), kNever);
  place_of_.assign(script_.members.size(), kNever);
  taken_.assign(script_.members.size(), kNever);
}

std::optional<CommitOrder> ScriptRun::run() {
  if (!script_.collect(history_, facts_, order_, budget_)) return std::nullopt;
  begin();
  for (std::uint32_t s = 0; s < done_.size(); ++s) wait_in_line(s);
  const std::uint64_t patience = 4 * script_.members.size() + 20;
  while (placed_.size() < script_.members.size()) {
    if (budget_.spent()) return std::nullopt;
    const std::uint32_t session = choose();
    if (session != kNever) {
      place(session);
      continue;
    }
    if (taken_back_ > patience) return std::nullopt;
    if (!repair()) give_way();
  }
  return script_.evidence(history_, facts_, placed_, taken_);
}

}  // namespace

std::optional<CommitOrder> find_serial_run(const History& history,
                                           const Facts& facts,
                                           const OrderIndex& order,
                                           bool by_snapshots,
                                           const Budget& budget) {
  return ScriptRun(history, facts, order, by_snapshots, budget).run();
}

}  // namespace txscope::check
