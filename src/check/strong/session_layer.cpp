#include "check/strong/session_layer.h"

#include <algorithm>
#include <cmath>

namespace txscope::check {
namespace {

constexpr std::uint32_t kNoWrite = SerialScript::kNever;
constexpr double kStay = 0.001;  // what a place further away costs
constexpr double kFarAway = 1e300;
constexpr double kInTheWay = 0.5;  // of a wrong read's weight

// The first place of the window that is behind something at that distance.
std::size_t place_after(double distance, std::size_t width) {
  if (distance < 0) return 0;
  if (distance >= static_cast<double>(width)) return width;
  return static_cast<std::size_t>(distance) + 1;
}

}  // namespace

SessionLayer::SessionLayer(Timeline& timeline)
    : timeline_(timeline),
      script_(timeline.script()),
      uses_(script_.initial.size()) {
  find_own_writes();
}

// The writes of the same session and key on both sides of each access.
void SessionLayer::find_own_writes() {
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

// The accesses of every key but those of the session, in the order of time.
void SessionLayer::collect_uses(std::uint32_t session,
                                const Timeline::Range& range) {
  for (const KeyId key : used_keys_) uses_[key.index].clear();
  used_keys_.clear();
  const std::uint32_t end = timeline_.end_of_influence(range);
  for (std::uint32_t place = range.first; place < end; ++place) {
    const Member& member = script_.members[timeline_.order()[place]];
    if (member.session == session) continue;
    for (std::uint32_t i = member.first; i < member.last; ++i) {
      auto& uses = uses_[script_.accesses[i].key.index];
      if (uses.empty()) used_keys_.push_back(script_.accesses[i].key);
      uses.push_back({static_cast<double>(place), i});
    }
  }
}

void SessionLayer::lay(std::uint32_t session, const Timeline::Range& range,
                       std::int64_t window, bool moves_along) {
  const auto times = timeline_.times();
  const auto begin = times.begin() + script_.session_first[session];
  const auto end = times.begin() + script_.session_first[session + 1];
  const auto first = std::lower_bound(begin, end, range.first);
  const auto size = static_cast<std::size_t>(
      std::lower_bound(first, end, range.last) - first);
  if (size == 0) return;
  const auto first_member = static_cast<std::uint32_t>(first - times.begin());
  range_ = &range;
  moves_along_ = moves_along;
  collect_uses(session, range);
  const auto width = static_cast<std::size_t>(2 * window + 1);
  came_from_.assign(size * width, 0);
  begins_.resize(size);
  best_.assign(width, 0);
  next_.assign(width, 0);
  for (std::size_t i = 0; i < size; ++i) {
    begins_[i] =
        static_cast<std::int64_t>(first[static_cast<long>(i)]) - window;
    score(script_.members[first_member + i], begins_[i], width);
    // The best place of the one before that is not later.
    double most = i == 0 ? 0 : -kFarAway;
    std::size_t where = 0;
    std::size_t q = 0;
    for (std::size_t p = 0; p < width; ++p) {
      const std::int64_t place = begins_[i] + static_cast<std::int64_t>(p);
      const std::int64_t last = i == 0 ? -1 : place - begins_[i - 1];
      for (; q < width && static_cast<std::int64_t>(q) <= last; ++q)
        if (best_[q] >= most) most = best_[q], where = q;
      const auto away = std::abs(static_cast<std::int64_t>(p) - window);
      const bool is_inside = place >= range.first && place <= range.last;
      next_[p] = is_inside
                     ? scores_[p] - kStay * static_cast<double>(away) + most
                     : -kFarAway;
      came_from_[i * width + p] = static_cast<std::uint32_t>(where);
    }
    best_.swap(next_);
  }
  auto p = static_cast<std::size_t>(
      std::max_element(best_.begin(), best_.end()) - best_.begin());
  laid_.resize(size);
  for (std::size_t i = size; i-- > 0;) {
    laid_[i] =
        static_cast<double>(begins_[i] + static_cast<std::int64_t>(p)) - 0.5;
    p = came_from_[i * width + p];
  }
  timeline_.move(range, first_member, laid_);
}

// What it is worth that m runs at each place of the window: just before what
// has that place now.
void SessionLayer::score(const Member& m, std::int64_t begin,
                         std::size_t width) {
  changes_.assign(width + 1, 0);
  for (std::uint32_t i = m.first; i < m.last; ++i)
    score_access(m, i, static_cast<double>(begin), width);
  scores_.resize(width);
  double sum = 0;
  for (std::size_t p = 0; p < width; ++p) scores_[p] = sum += changes_[p];
}

void SessionLayer::score_access(const Member& m, std::uint32_t access,
                                double begin, std::size_t width) {
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
        std::clamp(place_after(own_from(m, access, held) - begin, width), place,
                   std::max(place, until));
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
void SessionLayer::keep_out_of_trouble(std::uint32_t access, double begin,
                                       std::size_t width) {
  const Access& a = script_.accesses[access];
  for (const Timeline::Trouble& trouble : timeline_.troubles(a.key)) {
    if (script_.accesses[trouble.read].read_item == a.write_item ||
        script_.access_member[trouble.read] == script_.access_member[access])
      continue;
    const double price = kInTheWay * timeline_.weight(trouble.read);
    changes_[place_after(trouble.from - begin, width)] -= price;
    changes_[place_after(trouble.to - begin, width)] += price;
  }
}

SessionLayer::Held SessionLayer::held_before(std::uint32_t access,
                                             std::size_t use) const {
  const std::uint32_t key = script_.accesses[access].key.index;
  while (use-- > 0) {
    const Access& other = script_.accesses[uses_[key][use].access];
    if (other.writes) return {other.write_item, uses_[key][use].time};
  }
  // What its own session wrote before the range is among what that begins with.
  const double first = range_->first;
  return {range_->items[key], first == 0 ? -kFarAway : first - 1};
}

// From when on it is its own session's version that is there instead: that
// moves along with it while sessions move as a whole.
double SessionLayer::own_from(const Member& m, std::uint32_t access,
                              const Held& held) const {
  if (own_before_[access] == kNoWrite) return kFarAway;
  const double own = time_of_access(own_before_[access]);
  if (moves_along_) return std::max(-kFarAway, held.since + time_of(m) - own);
  return held.since < own ? own : kFarAway;
}

// The access at these places, where the key holds `item`, before `use`.
void SessionLayer::add(const Member& m, std::uint32_t access,
                       std::uint32_t item, std::size_t use, double begin,
                       std::size_t place, std::size_t until) {
  if (until <= place) return;
  const Access& a = script_.accesses[access];
  double worth = a.reads && a.read_item == item ? timeline_.weight(access) : 0;
  if (a.writes && a.write_item != item) {
    double end = kFarAway;  // of what it wrote, by its own session
    if (own_after_[access] != kNoWrite) {
      end = time_of_access(own_after_[access]);
      if (moves_along_) end += begin + static_cast<double>(place) - time_of(m);
    }
    const auto& uses = uses_[a.key.index];
    double overwritten = kFarAway;
    for (; use < uses.size() && uses[use].time < end; ++use) {
      const Access& other = script_.accesses[uses[use].access];
      if (other.reads && other.read_item == a.write_item)
        worth += timeline_.weight(uses[use].access);
      if (other.reads && other.read_item == item)
        worth -= timeline_.weight(uses[use].access);
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
double SessionLayer::worth_to_own(std::uint32_t access, const Member& m,
                                  double time, double overwritten) const {
  const Access& a = script_.accesses[access];
  const auto& group = script_.groups[a.group];
  const double moved = moves_along_ ? time - time_of(m) : 0;
  double worth = 0;
  for (std::uint32_t i = group_place_[access] + 1; i < group.last; ++i) {
    const std::uint32_t next = script_.group_accesses[i];
    const Access& own = script_.accesses[next];
    if (time_of_access(next) + moved >= overwritten) break;
    if (own.reads)
      worth += own.read_item == a.write_item ? timeline_.weight(next)
                                             : -timeline_.weight(next);
    if (own.writes) break;
  }
  return worth;
}

}  // namespace txscope::check
