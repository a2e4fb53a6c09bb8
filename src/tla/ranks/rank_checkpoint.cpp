#include <algorithm>
#include <filesystem>

#include "tla/ranks/rank_search.h"

namespace txscope::tla::ranks {
namespace {

using Clock = std::chrono::steady_clock;

/// At most a tenth of the time goes into checkpoints.
constexpr int kShare = 10;

bool is_same_directory(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

void RankSearch::open_checkpoint() {
  if (!options_.checkpoint) return;
  directory_ = std::make_unique<CheckpointDirectory>(*options_.checkpoint);
  // Files that an older manifest names stay until there is a new one.
  if (const auto before = directory_->manifest())
    next_part_ = before->parts.back().number + 1;
}

bool RankSearch::is_checkpoint_due() const {
  return directory_ != nullptr && group_.rank() == 0 &&
         Clock::now() - saved_at_ >= kShare * saving_took_;
}

template <class Visit>
void RankSearch::for_each_seen(const Visit& visit) const {
  if (disk_)
    disk_->for_each(visit);
  else
    shared_.seen.for_each(visit);
}

/// All ranks at the beginning of a level.  The files are complete before rank 0
/// names them.
void RankSearch::save() {
  const auto began = Clock::now();
  const std::uint64_t part = next_part_++;
  std::string trouble;
  const auto tried = [&](const auto& run) {
    try {
      run();
    } catch (const Fault& fault) {
      trouble = to_string(fault.error.where) + ": " + fault.error.what;
    }
    for (const std::string& told : group_.all_gather(trouble))
      if (sum_.trouble.empty()) sum_.trouble = told;
    return sum_.trouble.empty();
  };
  if (!tried([&] { write_part(part); })) {
    directory_->remove_part(part, group_.rank());
    return;
  }
  manifest_.identity = options_.identity;
  manifest_.level = shared_.level;
  manifest_.generated = sum_.generated;
  manifest_.assertions = sum_.assertions;
  manifest_.is_cut = sum_.is_cut;
  manifest_.happened = sum_.happened;
  manifest_.parts.push_back({part, group_.size()});
  tried([&] {
    if (group_.rank() == 0) directory_->commit(manifest_);
  });
  saved_level_ = shared_.level;
  saved_at_ = Clock::now();
  saving_took_ = saved_at_ - began;
}

void RankSearch::write_part(std::uint64_t part) {
  const auto is_unsaved = [this](std::uint64_t link) {
    return FingerprintSet::level_of(link) >
           std::min<std::uint32_t>(saved_level_,
                                   FingerprintSet::kLastLevel - 1);
  };
  std::uint64_t count = 0;
  for_each_seen([&](std::uint64_t, std::uint64_t link) {
    count += is_unsaved(link) ? 1 : 0;
  });
  directory_->write_states(
      part, group_.rank(), count,
      [&](const CheckpointDirectory::PutState& put) {
        for_each_seen([&](std::uint64_t fingerprint, std::uint64_t link) {
          if (is_unsaved(link)) put(fingerprint, link);
        });
      });
  directory_->write_queue(part, group_.rank(), next_.size(),
                          [this](std::uint64_t i) {
                            const Block& block = next_[i];
                            if (block.aside)
                              return worker_.read_aside(*block.aside);
                            RowWriter writer;
                            writer.add(block.rows);
                            return writer.take();
                          });
}

/// What this rank owns of what others wrote, whatever their number was.
void RankSearch::restore() {
  guarded([this] {
    const CheckpointDirectory from(*options_.resume);
    const Manifest before = from.manifest_of(options_.identity);
    const auto of_parts = [&](const Manifest::Part& part, const auto& run) {
      for (std::uint64_t rank = 0; rank < part.ranks; ++rank)
        if (part.ranks != group_.size() || rank == group_.rank()) run(rank);
    };
    for (const Manifest::Part& part : before.parts)
      of_parts(part, [&](std::uint64_t rank) {
        from.read_states(part.number, rank,
                         [&](std::uint64_t fingerprint, std::uint64_t link) {
                           if (!is_mine(fingerprint)) return;
                           if (disk_)
                             disk_->restore(fingerprint, link);
                           else
                             shared_.seen.restore(fingerprint, link);
                         });
      });
    shared_.level = static_cast<std::uint32_t>(before.level);
    const std::size_t width = worker_.width();
    const Manifest::Part& last = before.parts.back();
    of_parts(last, [&](std::uint64_t rank) {
      from.read_queue(last.number, rank, [&](const std::string& bytes) {
        const auto rows = read_rows(bytes, worker_.program().store());
        if (!rows || rows->size() % width != 0) return false;
        for (std::size_t i = 0; i < rows->size(); i += width) {
          const std::span<const Value> row(rows->data() + i, width);
          if (is_mine(worker_.fingerprint(row.data())))
            worker_.restore_next(row);
        }
        return true;
      });
    });
    if (group_.rank() == 0) {
      worker_.restore_generated(before.generated);
      worker_.restore_happened(before.happened);
      before_ = before;
    }
    if (directory_ &&
        is_same_directory(*options_.checkpoint, *options_.resume)) {
      manifest_ = before;
      saved_level_ = shared_.level;
    }
    saved_at_ = Clock::now();
    saving_took_ = std::chrono::seconds(1);
  });
}

}  // namespace txscope::tla::ranks
