#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace txscope::tla {

/// Bytes that are put aside on disk: a file without a name in TMPDIR, which is
/// gone when the process is.  One thread appends, any may read.
class SpillFile {
 public:
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  SpillFile() = default;
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Throws Fault where the disk is full.
  [[nodiscard]] Piece append(std::string_view bytes);
  [[nodiscard]] std::string read(Piece piece) const;
  /// Gives the disk back.
  void clear();

 private:
  int file_ = -1;
  std::uint64_t end_ = 0;
};

}  // namespace txscope::tla
