#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tla/syntax/source.h"

namespace txscope::tla {

/// What keeps a search from going on and is nobody's mistake: a full disk.
struct Trouble : Fault {};

/// Bytes that are put aside on disk: a file without a name, in TMPDIR or where
/// the user says, which is gone when the process is.  One thread appends, any
/// may read.
class SpillFile {
 public:
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  /// Empty: in TMPDIR.
  explicit SpillFile(std::string directory = {})
      : directory_(std::move(directory)) {}
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Throws Trouble where the disk is full.
  [[nodiscard]] Piece append(std::string_view bytes);
  [[nodiscard]] std::string read(Piece piece) const;
  /// Gives the disk back.
  void clear();

 private:
  [[noreturn]] void complain(const char* what) const;

  std::string directory_;
  int file_ = -1;
  std::uint64_t end_ = 0;
};

}  // namespace txscope::tla
