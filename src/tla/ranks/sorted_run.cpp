#include "tla/ranks/sorted_run.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>

namespace txscope::tla::ranks {
namespace {

constexpr std::size_t kEntries = 256;  // 4 KB

bool is_less(const SortedRun::Entry& entry, std::uint64_t fingerprint) {
  return entry.fingerprint < fingerprint;
}

}  // namespace

void SortedRun::add(const Entry& entry) {
  assert((block_.empty() || block_.back().fingerprint < entry.fingerprint) &&
         "a run ascends");
  block_.push_back(entry);
  filter_.add(entry.fingerprint);
  ++size_;
  if (block_.size() == kEntries) write_block();
}

void SortedRun::write_block() {
  firsts_.push_back(block_.front().fingerprint);
  (void)file_.append({reinterpret_cast<const char*>(block_.data()),
                      block_.size() * sizeof(Entry)});
  block_.clear();
}

/// All but the last are full.
SpillFile::Piece SortedRun::place_of(std::size_t block) const {
  const std::uint64_t before = block * kEntries;
  const std::uint64_t entries =
      std::min<std::uint64_t>(kEntries, size_ - before);
  return {before * sizeof(Entry), entries * sizeof(Entry)};
}

void SortedRun::finish() {
  if (!block_.empty()) write_block();
  block_ = {};
}

void SortedRun::Cursor::load(std::size_t block) {
  if (is_loaded_ && block == block_) return;
  block_ = block;
  is_loaded_ = true;
  entries_.clear();
  if (block >= run_.firsts_.size()) return;
  const std::string bytes = run_.file_.read(run_.place_of(block));
  entries_.resize(bytes.size() / sizeof(Entry));
  std::memcpy(entries_.data(), bytes.data(), bytes.size());
}

std::optional<SortedRun::Entry> SortedRun::Cursor::at_least(
    std::uint64_t fingerprint) {
  // The last block that begins at or before it.
  const auto& firsts = run_.firsts_;
  const auto after = std::upper_bound(
      firsts.begin() +
          static_cast<std::ptrdiff_t>(std::min(block_, firsts.size())),
      firsts.end(), fingerprint);
  const auto block = static_cast<std::size_t>(after - firsts.begin());
  load(std::max(block_, block == 0 ? 0 : block - 1));
  at_ = static_cast<std::size_t>(
      std::lower_bound(entries_.begin(), entries_.end(), fingerprint, is_less) -
      entries_.begin());
  if (at_ == entries_.size()) {
    if (block_ >= run_.firsts_.size()) return std::nullopt;
    load(block_ + 1);
    at_ = 0;
  }
  if (at_ == entries_.size()) return std::nullopt;
  return entries_[at_];
}

std::optional<SortedRun::Entry> SortedRun::Cursor::next() {
  if (!is_loaded_) {
    load(0);
    at_ = 0;
  } else if (at_ < entries_.size()) {
    ++at_;
  }
  if (at_ == entries_.size()) {
    load(block_ + 1);
    at_ = 0;
  }
  if (at_ == entries_.size()) return std::nullopt;
  return entries_[at_];
}

}  // namespace txscope::tla::ranks
