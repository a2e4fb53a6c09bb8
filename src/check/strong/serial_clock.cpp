#include "check/strong/serial_clock.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace txscope {
namespace {

constexpr std::uint32_t kNoWrite = SerialScript::kNever;
constexpr int kSweeps = 16;           // over all sessions
constexpr int kMostRepairs = 1000;    // sweeps over those with wrong reads
constexpr int kPatience = 120;        // sweeps without any gain
constexpr int kRepairsPerWindow = 4;  // after which it is widened again
constexpr int kCoarseSweeps = 4;      // in which a session moves as a whole
constexpr double kShrink = 0.6;       // of the windows, per sweep
constexpr double kLeastWindow = 100;  // places, to each side
constexpr double kStay = 0.001;       // what a place further away costs
constexpr std::uint64_t kMostCells = 1 << 24;  // of dynamic programming
constexpr std::uint64_t kMostWork = 1 << 26;   // sessions times accesses
constexpr double kFarAway = 1e300;
constexpr double kInTheWay = 0.5;  // of a wrong read's weight

class TimeGuess {
 public:
  TimeGuess(const SerialScript& script, const Budget& budget)
      : script_(script),
        budget_(budget),
        uses_(script.initial.size()),
        weights_(script.accesses.size(), 1),
        troubles_(script.initial.size()) {
    const auto count = static_cast<double>(script.members.size());
    for (const auto& member : script.members)
      times_.push_back((member.number + 0.5) /
                       script.session_size(member.session) * count);
    number();
    find_own_writes();
  }

  GuessedTimes run() {
    GuessedTimes best{times_, script_.accesses.size()};
    int last_gain = 0;
    double longest = 1;
    const auto sessions = static_cast<std::uint32_t>(script_.session_count());
    for (std::uint32_t s = 0; s < sessions; ++s)
      longest = std::max<double>(longest, script_.session_size(s));
    std::vector<std::uint32_t> turns(sessions);
    std::iota(turns.begin(), turns.end(), 0u);
    // Sessions that go on by chance drift apart by the root of their length.
    double window = 2 * std::sqrt(longest) * sessions;
    const double most = static_cast<double>(kMostCells) / longest / 2;
    for (int sweep = 0; sweep < kSweeps + kMostRepairs; ++sweep) {
      if (sweep >= kSweeps && sweep % kRepairsPerWindow == 0)
        window = std::sqrt(longest) * sessions;
      window_ = static_cast<std::int64_t>(
          std::max(1.0, std::min(most, std::max(kLeastWindow, window))));
      window *= kShrink;
      moves_along_ = sweep < kCoarseSweeps;
      for (std::uint32_t i = 0; i < sessions; ++i) {
        if (budget_.spent_now()) return best;
        std::swap(turns[i], turns[i + random_.below(sessions - i)]);
        if (sweep >= kSweeps && is_troubled_[turns[i]] == 0) continue;
        lay(turns[i]);
        number();
      }
      const std::size_t wrong = weigh();
      if (wrong < best.wrong_reads) {
        best = {times_, wrong};
        last_gain = sweep;
      }
      if (wrong == 0 || sweep - last_gain > kPatience) break;
    }
    return best;
  }

 private:
  using Access = SerialScript::Access;
  using Member = SerialScript::Member;

  struct Use {  // of a key, by another session
    double time;
    std::uint32_t access;
  };
  // A read that is wrong, although what it saw was there before: whoever
  // overwrote that in between is in the way.
  struct Trouble {
    double from, to;  // when it was written, and when it is read
    std::uint32_t read;  // access
  };
  // What is there of a key at some place, and since when.
  struct Held {
    std::uint32_t item;
    double since;
  };

  [[nodiscard]] double time_of(const Member& m) const {
    return times_[static_cast<std::size_t>(&m - script_.members.data())];
  }

  // The accesses of every key but those of the session, in the order of time.
  void collect_uses(std::uint32_t session) {
    for (auto& uses : uses_) uses.clear();
    for (const std::uint32_t m : order_) {
      const Member& member = script_.members[m];
      if (member.session == session) continue;
      for (std::uint32_t i = member.first; i < member.last; ++i)
        uses_[script_.accesses[i].key.index].push_back({times_[m], i});
    }
  }

  void lay(std::uint32_t session) {
    collect_uses(session);
    const std::size_t first = script_.session_first[session];
    const std::size_t size = script_.session_size(session);
    const auto width = static_cast<std::size_t>(2 * window_ + 1);
    came_from_.assign(size * width, 0);
    std::vector<std::int64_t> begins(size);  // of the windows
    std::vector<double> best(width, 0);
    std::vector<double> next(width, 0);
    for (std::size_t i = 0; i < size; ++i) {
      begins[i] = static_cast<std::int64_t>(times_[first + i]) - window_;
      score(script_.members[first + i], begins[i], width);
      // The best place of the one before that is not later.
      double most = i == 0 ? 0 : -kFarAway;
      std::size_t where = 0;
      std::size_t q = 0;
      for (std::size_t p = 0; p < width; ++p) {
        const std::int64_t last =
            i == 0 ? -1
                   : begins[i] + static_cast<std::int64_t>(p) - begins[i - 1];
        for (; q < width && static_cast<std::int64_t>(q) <= last; ++q)
          if (best[q] >= most) most = best[q], where = q;
        const auto away = std::abs(static_cast<std::int64_t>(p) - window_);
        next[p] = scores_[p] - kStay * static_cast<double>(away) + most;
        came_from_[i * width + p] = static_cast<std::uint32_t>(where);
      }
      best.swap(next);
    }
    auto p = static_cast<std::size_t>(
        std::max_element(best.begin(), best.end()) - best.begin());
    for (std::size_t i = size; i-- > 0;) {
      times_[first + i] =
          static_cast<double>(begins[i] + static_cast<std::int64_t>(p)) - 0.5;
      p = came_from_[i * width + p];
    }
  }

  // What it is worth that m runs at each place of the window: just before what
  // has that place now.
  void score(const Member& m, std::int64_t begin, std::size_t width) {
    changes_.assign(width + 1, 0);
    for (std::uint32_t i = m.first; i < m.last; ++i)
      score_access(m, i, static_cast<double>(begin), width);
    scores_.resize(width);
    double sum = 0;
    for (std::size_t p = 0; p < width; ++p) scores_[p] = sum += changes_[p];
  }

  void score_access(const Member& m, std::uint32_t access, double begin,
                    std::size_t width) {
    const auto& uses = uses_[script_.accesses[access].key.index];
    auto use = static_cast<std::size_t>(
        std::lower_bound(uses.begin(), uses.end(), begin,
                         [](const Use& u, double t) { return u.time < t; }) -
        uses.begin());
    if (script_.accesses[access].writes)
      keep_out_of_trouble(access, begin, width);
    Held held = held_before(access, use);
    std::size_t place = 0;
    for (;; ++use) {
      const bool is_last = use == uses.size();
      const std::size_t until =
          is_last ? width : place_after(uses[use].time - begin, width);
      const std::size_t own =
          std::clamp(place_after(own_from(m, access, held) - begin, width),
                     place, std::max(place, until));
      add(m, access, held.item, use, begin, place, own);
      if (own < until)
        add(m, access, script_.accesses[own_before_[access]].write_item, use,
            begin, own, until);
      place = std::max(place, until);
      if (is_last || until >= width) return;
      const Access& other = script_.accesses[uses[use].access];
      if (other.writes) held = {other.write_item, uses[use].time};
    }
  }

  // Several may be in the way, so that none gains by moving alone.
  void keep_out_of_trouble(std::uint32_t access, double begin,
                           std::size_t width) {
    const Access& a = script_.accesses[access];
    for (const Trouble& trouble : troubles_[a.key.index]) {
      if (script_.accesses[trouble.read].read_item == a.write_item ||
          script_.access_member[trouble.read] == script_.access_member[access])
        continue;
      const double price = kInTheWay * weights_[trouble.read];
      changes_[place_after(trouble.from - begin, width)] -= price;
      changes_[place_after(trouble.to - begin, width)] += price;
    }
  }

  [[nodiscard]] Held held_before(std::uint32_t access, std::size_t use) const {
    const std::uint32_t key = script_.accesses[access].key.index;
    while (use-- > 0) {
      const Access& other = script_.accesses[uses_[key][use].access];
      if (other.writes) return {other.write_item, uses_[key][use].time};
    }
    return {script_.initial[key], -kFarAway};
  }

  // From when on it is its own session's version that is there instead: that
  // moves along with it while sessions move as a whole.
  [[nodiscard]] double own_from(const Member& m, std::uint32_t access,
                                const Held& held) const {
    if (own_before_[access] == kNoWrite) return kFarAway;
    const double own = times_[script_.access_member[own_before_[access]]];
    if (moves_along_) return std::max(-kFarAway, held.since + time_of(m) - own);
    return held.since < own ? own : kFarAway;
  }

  // The first place of the window that is behind something at that distance.
  static std::size_t place_after(double distance, std::size_t width) {
    if (distance < 0) return 0;
    if (distance >= static_cast<double>(width)) return width;
    return static_cast<std::size_t>(distance) + 1;
  }

  // The access at these places, where the key holds `item`, before `use`.
  void add(const Member& m, std::uint32_t access, std::uint32_t item,
           std::size_t use, double begin, std::size_t place,
           std::size_t until) {
    if (until <= place) return;
    const Access& a = script_.accesses[access];
    double worth = a.reads && a.read_item == item ? weights_[access] : 0;
    if (a.writes && a.write_item != item) {
      double end = kFarAway;  // of what it wrote, by its own session
      if (own_after_[access] != kNoWrite) {
        end = times_[script_.access_member[own_after_[access]]];
        if (moves_along_)
          end += begin + static_cast<double>(place) - time_of(m);
      }
      const auto& uses = uses_[a.key.index];
      double overwritten = kFarAway;
      for (; use < uses.size() && uses[use].time < end; ++use) {
        const Access& other = script_.accesses[uses[use].access];
        if (other.reads && other.read_item == a.write_item)
          worth += weights_[uses[use].access];
        if (other.reads && other.read_item == item)
          worth -= weights_[uses[use].access];
        if (other.writes) {
          overwritten = uses[use].time;
          break;
        }
      }
      worth += worth_to_own(access, m, begin + static_cast<double>(place),
                            overwritten);
    }
    changes_[place] += worth;
    changes_[until] -= worth;
  }

  // What it is worth to the later reads of its own session that the access
  // writes at `time` and others overwrite that at `overwritten`.
  [[nodiscard]] double worth_to_own(std::uint32_t access, const Member& m,
                                    double time, double overwritten) const {
    const Access& a = script_.accesses[access];
    const auto& group = script_.groups[a.group];
    const double moved = moves_along_ ? time - time_of(m) : 0;
    double worth = 0;
    for (std::uint32_t i = group_place_[access] + 1; i < group.last; ++i) {
      const std::uint32_t next = script_.group_accesses[i];
      const Access& own = script_.accesses[next];
      if (times_[script_.access_member[next]] + moved >= overwritten) break;
      if (own.reads)
        worth += own.read_item == a.write_item ? weights_[next]
                                               : -weights_[next];
      if (own.writes) break;
    }
    return worth;
  }

  // Runs everything in the order of times.  What then does not see what it saw
  // counts more from now on.
  std::size_t weigh() {
    std::size_t wrong = 0;
    std::vector<std::uint32_t> items = script_.initial;
    for (auto& troubles : troubles_) troubles.clear();
    is_troubled_.assign(script_.session_count(), 0);
    std::vector<double> written(script_.writes.size(), kFarAway);
    for (const std::uint32_t item : script_.initial) written[item] = -1;
    for (const std::uint32_t index : order_) {
      const Member& m = script_.members[index];
      for (std::uint32_t i = m.first; i < m.last; ++i) {
        const Access& a = script_.accesses[i];
        if (!a.reads || items[a.key.index] == a.read_item) continue;
        weights_[i] += 1;
        ++wrong;
        is_troubled_[m.session] = 1;
        if (written[a.read_item] < kFarAway)
          troubles_[a.key.index].push_back(
              {written[a.read_item], times_[index], i});
      }
      for (std::uint32_t i = m.first; i < m.last; ++i)
        if (script_.accesses[i].writes) {
          const Access& a = script_.accesses[i];
          items[a.key.index] = a.write_item;
          written[a.write_item] = times_[index];
        }
    }
    if (wrong > 0) find_troubled();
    return wrong;
  }

  // The sessions that could mend a wrong read.
  void find_troubled() {
    for (std::size_t i = 0; i < script_.accesses.size(); ++i) {
      const Access& a = script_.accesses[i];
      if (!a.writes) continue;
      const std::uint32_t m = script_.access_member[i];
      for (const Trouble& trouble : troubles_[a.key.index])
        if (times_[m] >= trouble.from && times_[m] <= trouble.to)
          is_troubled_[script_.members[m].session] = 1;
    }
  }

  // The writes of the same session and key on both sides of each access.
  void find_own_writes() {
    own_before_.assign(script_.accesses.size(), kNoWrite);
    own_after_ = own_before_;
    group_place_ = own_before_;
    for (const auto& group : script_.groups) {
      std::uint32_t last = kNoWrite;
      for (std::uint32_t i = group.first; i < group.last; ++i) {
        const std::uint32_t a = script_.group_accesses[i];
        own_before_[a] = last;
        group_place_[a] = i;
        if (script_.accesses[a].writes) last = a;
      }
      last = kNoWrite;
      for (std::uint32_t i = group.last; i-- > group.first;) {
        const std::uint32_t a = script_.group_accesses[i];
        own_after_[a] = last;
        if (script_.accesses[a].writes) last = a;
      }
    }
  }

  // Times are places: no two are the same.
  void number() {
    order_.resize(times_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return times_[a] < times_[b];
                     });
    for (std::size_t i = 0; i < order_.size(); ++i)
      times_[order_[i]] = static_cast<double>(i);
  }

  const SerialScript& script_;
  const Budget& budget_;
  std::int64_t window_ = 0;  // places, to each side
  bool moves_along_ = true;
  Random random_{1};
  std::vector<double> times_;                          // by member
  std::vector<std::uint32_t> order_;                   // members, by time
  std::vector<std::vector<Use>> uses_;                 // by key
  std::vector<double> weights_;                        // of reads, by access
  std::vector<std::uint32_t> own_before_, own_after_;  // by access
  std::vector<std::uint32_t> group_place_;             // by access
  std::vector<std::vector<Trouble>> troubles_;         // by key
  std::vector<std::uint8_t> is_troubled_;              // by session
  std::vector<double> changes_, scores_;               // by place of a window
  std::vector<std::uint32_t> came_from_;
};

}  // namespace

GuessedTimes guess_times(const SerialScript& script, const Budget& budget) {
  if (script.session_count() * script.accesses.size() > kMostWork) return {};
  return TimeGuess(script, budget).run();
}

}  // namespace txscope
