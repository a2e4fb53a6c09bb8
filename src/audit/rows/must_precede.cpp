#include "audit/rows/must_precede.h"

#include <algorithm>
#include <limits>

namespace txscope::audit {
namespace {

/// Numbers that are kept.
constexpr std::size_t kMostNumbers = 40'000'000;

}  // namespace

std::optional<MustPrecede> MustPrecede::of(const LoadedLog& log,
                                           bool is_strict) {
  const auto& txns = log.judged();
  MustPrecede all;
  all.width_ = log.whole().sessions;
  if (all.width_ == 0 || txns.size() > kMostNumbers / all.width_)
    return std::nullopt;
  all.places_.assign(txns.size(), 0);
  all.sessions_.assign(txns.size(), 0);
  all.by_session_.resize(all.width_);
  all.clocks_.assign(txns.size() * all.width_, 0);
  for (std::uint32_t t = 0; t < txns.size(); ++t) {
    if (!log.must_explain(txns[t])) continue;
    auto& session = all.by_session_[txns[t].session];
    session.push_back(t);
    all.sessions_[t] = txns[t].session;
    all.places_[t] = static_cast<std::uint32_t>(session.size());
    all.clocks_[t * all.width_ + txns[t].session] = all.places_[t];
  }
  if (is_strict) {
    all.ended_.assign(all.clocks_.size(), 0);
    for (std::uint32_t s = 0; s < all.width_; ++s) {
      // One of unknown outcome has no end; those behind it have.
      std::vector<std::pair<std::int64_t, std::uint32_t>> ends;
      for (const std::uint32_t t : all.by_session_[s])
        if (const auto& end = txns[t].log->end)
          ends.emplace_back(*end, all.places_[t]);
      std::sort(ends.begin(), ends.end());
      for (std::size_t i = 1; i < ends.size(); ++i)
        ends[i].second = std::max(ends[i].second, ends[i - 1].second);
      for (std::uint32_t t = 0; t < txns.size(); ++t) {
        if (all.places_[t] == 0 || !txns[t].log->start || all.sessions_[t] == s)
          continue;
        const auto before =
            std::lower_bound(ends.begin(), ends.end(),
                             std::pair(*txns[t].log->start, std::uint32_t{0}));
        if (before == ends.begin()) continue;
        all.ended_[t * all.width_ + s] = std::prev(before)->second;
      }
    }
  }
  return all;
}

MustPrecede::Clock MustPrecede::start(std::uint32_t t) const {
  Clock clock(width_, 0);
  if (places_[t] > 1) {
    const auto last = this->clock(by_session_[sessions_[t]][places_[t] - 2]);
    clock.assign(last.begin(), last.end());
  }
  for (std::size_t s = 0; s < width_ && !ended_.empty(); ++s)
    clock[s] = std::max(clock[s], ended_[t * width_ + s]);
  return clock;
}

void MustPrecede::learn(std::uint32_t t,
                        std::span<const std::uint32_t> before) {
  std::uint32_t* mine = clocks_.data() + t * width_;
  bool is_new = false;
  for (std::size_t s = 0; s < width_; ++s) {
    if (before[s] <= mine[s]) continue;
    // Who comes later in its own session does not precede it.
    if (s == sessions_[t]) {
      cycle_ = {by_session_[s][before[s] - 1], t};
      continue;
    }
    mine[s] = before[s];
    is_new = true;
  }
  if (!is_new) return;
  has_changed_ = true;
  note_cycle(t);
}

void MustPrecede::pass_on(std::uint32_t t) { learn(t, start(t)); }

void MustPrecede::note_cycle(std::uint32_t t) {
  const auto mine = clock(t);
  for (std::size_t s = 0; s < width_ && !cycle_; ++s) {
    if (s == sessions_[t] || mine[s] == 0) continue;
    const std::uint32_t other = by_session_[s][mine[s] - 1];
    if (is_before(t, other)) cycle_ = {other, t};
  }
}

}  // namespace txscope::audit
