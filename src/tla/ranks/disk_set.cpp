#include "tla/ranks/disk_set.h"

#include <algorithm>
#include <utility>

namespace txscope::tla::ranks {
namespace {

constexpr std::size_t kRuns = 8;  // of a size
constexpr std::size_t kOld = std::size_t{1} << 16u;
constexpr std::uint64_t kLowBits = 0xffff;

std::size_t place_of(std::uint64_t fingerprint) {
  return (fingerprint >> 20u) % kOld;
}

/// Every state of several runs once, in ascending order.
template <class Visit>
void merge(std::vector<SortedRun::Cursor>& cursors, const Visit& visit) {
  std::vector<std::optional<SortedRun::Entry>> heads;
  for (SortedRun::Cursor& cursor : cursors) heads.push_back(cursor.next());
  for (;;) {
    std::optional<SortedRun::Entry> least;
    for (const auto& head : heads) {
      if (!head || (least && least->fingerprint < head->fingerprint)) continue;
      if (least && least->fingerprint == head->fingerprint)
        least->link = FingerprintSet::first_of(least->link, head->link);
      else
        least = head;
    }
    if (!least) return;
    visit(*least);
    for (std::size_t i = 0; i < heads.size(); ++i)
      if (heads[i] && heads[i]->fingerprint == least->fingerprint)
        heads[i] = cursors[i].next();
  }
}

}  // namespace

DiskSet::DiskSet(FingerprintSet& recent, std::string directory, Limits limits,
                 std::size_t width, Accept accept)
    : recent_(recent),
      directory_(std::move(directory)),
      limits_(limits),
      width_(width),
      accept_(std::move(accept)),
      old_(kOld) {}

void DiskSet::offer(const SentState& state, std::uint32_t level,
                    std::span<const Value> row) {
  const std::uint64_t link = FingerprintSet::link_of(state.parent, level);
  if (recent_.update(state.fingerprint, link)) return;
  if (tiers_.empty() && !row.empty()) {
    recent_.restore(state.fingerprint, link);
    ++size_;
    accept_(state, row);
    if (recent_.size() >= limits_.recent) spill();
    return;
  }
  if (old_[place_of(state.fingerprint)] == state.fingerprint) return;
  const auto [at, is_new] = where_.emplace(state.fingerprint, waiting_.size());
  if (!is_new) {
    Waiting& there = waiting_[at->second];
    there.link = FingerprintSet::first_of(there.link, link);
    if (there.link == link) there.state.parent = state.parent;
    return;
  }
  waiting_.push_back({state, link, !row.empty()});
  rows_.insert(rows_.end(), row.begin(), row.end());
  rows_.resize(waiting_.size() * width_);
  if (waiting_.size() >= limits_.waiting) resolve();
}

void DiskSet::resolve() {
  if (waiting_.empty()) return;
  std::vector<Waiting> asked = std::exchange(waiting_, {});
  const std::vector<Value> rows = std::exchange(rows_, {});
  where_.clear();
  std::vector<Waiting*> sorted;
  sorted.reserve(asked.size());
  for (Waiting& one : asked) sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->state.fingerprint < b->state.fingerprint;
  });
  look_up(sorted);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Waiting& one = asked[i];
    const std::uint64_t fingerprint = one.state.fingerprint;
    if (one.known_link == 0) {
      if (!one.has_row) continue;
      recent_.restore(fingerprint, one.link);
      ++size_;
      accept_(one.state, {&rows[i * width_], width_});
    } else if (FingerprintSet::level_of(one.known_link) <
               FingerprintSet::level_of(one.link)) {
      old_[place_of(fingerprint)] = fingerprint;
    } else if (FingerprintSet::first_of(one.known_link, one.link) !=
               one.known_link) {
      recent_.restore(fingerprint, one.link);  // a lesser parent
    }
  }
  if (recent_.size() >= limits_.recent) spill();
}

void DiskSet::look_up(std::vector<Waiting*>& sorted) {
  for (const Runs& runs : tiers_)
    for (const auto& run : runs) {
      SortedRun::Cursor cursor(*run);
      for (Waiting* one : sorted) {
        if (!run->may_have(one->state.fingerprint)) continue;
        const auto entry = cursor.at_least(one->state.fingerprint);
        if (!entry) break;
        if (entry->fingerprint != one->state.fingerprint) continue;
        one->known_link =
            one->known_link == 0
                ? entry->link
                : FingerprintSet::first_of(one->known_link, entry->link);
      }
    }
}

/// In ascending order.
std::vector<SortedRun::Entry> DiskSet::sorted_recent() const {
  std::vector<SortedRun::Entry> entries;
  entries.reserve(recent_.size());
  recent_.for_each([&](std::uint64_t fingerprint, std::uint64_t link) {
    entries.push_back({fingerprint, link});
  });
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.fingerprint < b.fingerprint;
  });
  return entries;
}

std::unique_ptr<SortedRun> DiskSet::new_run(std::uint64_t entries) const {
  constexpr std::uint64_t kEnough = 8;
  const std::uint64_t all = std::max<std::uint64_t>(size_, entries);
  const std::uint64_t bits =
      all == 0 ? 0 : std::min(kEnough, limits_.filter_bytes * 8 / all);
  return std::make_unique<SortedRun>(directory_, RunFilter(entries, bits));
}

/// The recent states become a run.
void DiskSet::spill() {
  auto run = new_run(recent_.size());
  for (const SortedRun::Entry& entry : sorted_recent()) run->add(entry);
  run->finish();
  recent_.clear();
  add_run(std::move(run), 0);
}

void DiskSet::add_run(std::unique_ptr<SortedRun> run, std::size_t tier) {
  if (tiers_.size() <= tier) tiers_.resize(tier + 1);
  tiers_[tier].push_back(std::move(run));
  if (tiers_[tier].size() < kRuns) return;
  std::uint64_t entries = 0;
  for (const auto& each : tiers_[tier]) entries += each->size();
  auto larger = new_run(entries);
  std::vector<SortedRun::Cursor> cursors;
  for (const auto& each : tiers_[tier]) cursors.emplace_back(*each);
  merge(cursors, [&](const SortedRun::Entry& entry) { larger->add(entry); });
  larger->finish();
  tiers_[tier].clear();
  add_run(std::move(larger), tier + 1);
}

std::optional<FingerprintSet::Known> DiskSet::find(std::uint64_t prefix) const {
  prefix &= ~kLowBits;
  std::optional<SortedRun::Entry> best;
  const auto add = [&](const SortedRun::Entry& entry) {
    if (!best || FingerprintSet::first_of(best->link, entry.link) != best->link)
      best = entry;
  };
  if (const auto known = recent_.find(prefix))
    add({known->fingerprint, known->link});
  for (const Runs& runs : tiers_)
    for (const auto& run : runs) {
      const auto entry = SortedRun::Cursor(*run).at_least(prefix);
      if (entry && (entry->fingerprint & ~kLowBits) == prefix) add(*entry);
    }
  if (!best) return std::nullopt;
  return FingerprintSet::Known{best->fingerprint, best->link & ~kLowBits,
                               best->link};
}

void DiskSet::for_each(
    const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
  const std::vector<SortedRun::Entry> recent = sorted_recent();
  auto at = recent.begin();
  std::vector<SortedRun::Cursor> cursors;
  for (const Runs& runs : tiers_)
    for (const auto& run : runs) cursors.emplace_back(*run);
  merge(cursors, [&](const SortedRun::Entry& entry) {
    for (; at != recent.end() && at->fingerprint < entry.fingerprint; ++at)
      visit(at->fingerprint, at->link);
    std::uint64_t link = entry.link;
    if (at != recent.end() && at->fingerprint == entry.fingerprint)
      link = FingerprintSet::first_of(link, (at++)->link);
    visit(entry.fingerprint, link);
  });
  for (; at != recent.end(); ++at) visit(at->fingerprint, at->link);
}

void DiskSet::restore(std::uint64_t fingerprint, std::uint64_t link) {
  recent_.restore(fingerprint, link);
  ++size_;
  if (recent_.size() >= limits_.recent) spill();
}

}  // namespace txscope::tla::ranks
