#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tla/ranks/run_filter.h"
#include "tla/search/spill_file.h"

namespace txscope::tla::ranks {

/// Fingerprints and links in ascending order, in a file without a name.  In
/// memory is the first fingerprint of each 4 KB: a quarter of a bit for each
/// state.
class SortedRun {
 public:
  struct Entry {
    std::uint64_t fingerprint = 0;
    std::uint64_t link = 0;
  };

  explicit SortedRun(const std::string& directory, RunFilter filter = {0, 0})
      : file_(directory), filter_(std::move(filter)) {}
  /// Greater than all before.  Throws Trouble, as finish() does.
  void add(const Entry& entry);
  /// After the last one.
  void finish();

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// False: it is not in it.
  [[nodiscard]] bool may_have(std::uint64_t fingerprint) const {
    return filter_.may_have(fingerprint);
  }

  /// Goes through a run in ascending order, and reads what it needs.
  class Cursor {
   public:
    explicit Cursor(const SortedRun& run) : run_(run) {}
    /// The first entry that is not less; nothing at the end.
    [[nodiscard]] std::optional<Entry> at_least(std::uint64_t fingerprint);
    [[nodiscard]] std::optional<Entry> next();

   private:
    void load(std::size_t block);
    const SortedRun& run_;
    std::vector<Entry> entries_;  // of a block
    std::size_t block_ = 0;
    std::size_t at_ = 0;
    bool is_loaded_ = false;
  };

 private:
  void write_block();
  [[nodiscard]] SpillFile::Piece place_of(std::size_t block) const;
  SpillFile file_;
  RunFilter filter_;
  std::vector<Entry> block_;           // that is being filled
  std::vector<std::uint64_t> firsts_;  // of each block
  std::uint64_t size_ = 0;
};

}  // namespace txscope::tla::ranks
