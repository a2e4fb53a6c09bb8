#include "check/strong/serial/timeline.h"

#include <algorithm>
#include <numeric>

namespace txscope::check {
namespace {

constexpr double kNotYet = -2;
constexpr std::uint32_t kInfluence = 1000;  // places behind a range

}  // namespace

Timeline::Timeline(const SerialScript& script)
    : script_(script),
      order_(script.members.size()),
      weights_(script.accesses.size(), 1),
      troubles_(script.initial.size()),
      written_(script.writes.size(), kNotYet) {
  const auto count = static_cast<double>(script.members.size());
  for (const auto& member : script.members)
    times_.push_back((member.number + 0.5) /
                     script.session_size(member.session) * count);
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(
      order_.begin(), order_.end(),
      [&](std::uint32_t a, std::uint32_t b) { return times_[a] < times_[b]; });
  for (std::size_t i = 0; i < order_.size(); ++i)
    times_[order_[i]] = static_cast<double>(i);
}

void Timeline::move(const Range& range, std::uint32_t first,
                    std::span<const double> times) {
  const auto end = first + static_cast<std::uint32_t>(times.size());
  merged_.clear();
  std::uint32_t next = first;
  for (std::uint32_t place = range.first; place < range.last; ++place) {
    const std::uint32_t m = order_[place];
    if (m >= first && m < end) continue;
    for (; next < end && times[next - first] < times_[m]; ++next)
      merged_.push_back(next);
    merged_.push_back(m);
  }
  for (; next < end; ++next) merged_.push_back(next);
  set_order(range, merged_);
}

void Timeline::set_order(const Range& range,
                         std::span<const std::uint32_t> members) {
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    order_[range.first + i] = members[i];
    times_[members[i]] = range.first + i;
  }
}

std::uint32_t Timeline::end_of_influence(const Range& range) const {
  return std::min(size(), range.last + kInfluence);
}

std::size_t Timeline::weigh(const Range& range) {
  for (const KeyId key : troubled_keys_) troubles_[key.index].clear();
  troubled_keys_.clear();
  wrong_.clear();
  std::vector<std::uint32_t> items = range.items;
  const double before = static_cast<double>(range.first) - 1;
  const std::uint32_t end = end_of_influence(range);
  for (std::uint32_t place = range.first; place < end; ++place) {
    const Member& m = script_.members[order_[place]];
    for (std::uint32_t i = m.first; i < m.last; ++i) {
      const Access& a = script_.accesses[i];
      if (!a.reads || items[a.key.index] == a.read_item) continue;
      weights_[i] += 1;
      double from = written_[a.read_item];
      if (from == kNotYet && range.items[a.key.index] == a.read_item)
        from = before;
      wrong_.push_back(
          {from > before ? static_cast<std::uint32_t>(from) : place, place});
      if (from == kNotYet) continue;
      if (troubles_[a.key.index].empty()) troubled_keys_.push_back(a.key);
      troubles_[a.key.index].push_back({from, static_cast<double>(place), i});
    }
    for (std::uint32_t i = m.first; i < m.last; ++i) {
      const Access& a = script_.accesses[i];
      if (!a.writes) continue;
      items[a.key.index] = a.write_item;
      if (written_[a.write_item] == kNotYet) touched_.push_back(a.write_item);
      written_[a.write_item] = place;
    }
  }
  for (const std::uint32_t item : touched_) written_[item] = kNotYet;
  touched_.clear();
  return wrong_.size();
}

std::vector<Timeline::Range> Timeline::ranges_around_wrong(
    std::uint32_t margin) const {
  std::vector<Wrong> wrong = wrong_;
  std::sort(wrong.begin(), wrong.end(),
            [](const Wrong& a, const Wrong& b) { return a.from < b.from; });
  std::vector<Range> ranges;
  for (const Wrong& w : wrong) {
    const std::uint32_t first = w.from - std::min(w.from, margin);
    const std::uint32_t last = std::min(size(), w.to + margin);
    if (!ranges.empty() && ranges.back().last >= first)
      ranges.back().last = std::max(ranges.back().last, last);
    else
      ranges.push_back({first, last, {}});
  }
  std::vector<std::uint32_t> items = script_.initial;
  std::uint32_t place = 0;
  for (Range& range : ranges) {
    for (; place < range.first; ++place) {
      const Member& m = script_.members[order_[place]];
      for (std::uint32_t i = m.first; i < m.last; ++i)
        if (script_.accesses[i].writes)
          items[script_.accesses[i].key.index] = script_.accesses[i].write_item;
    }
    range.items = items;
  }
  return ranges;
}

}  // namespace txscope::check
