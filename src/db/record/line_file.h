#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::db {

/// A file of whole lines: whatever happens to the disk, what is there ends with
/// the end of a line.  Lines reach the file at the latest after a second or 64
/// KiB, so a reader may follow it.
class LineFile {
 public:
  /// Empty or "-": standard output.  Other files are emptied.
  [[nodiscard]] static Result<LineFile> open(const std::string& path);
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  /// Keeps a line; false: the file takes no more, see error().
  bool write(std::string_view line);
  bool flush();
  [[nodiscard]] bool is_good() const { return error_.empty(); }
  /// "no space left on device", as the system says it.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes() const { return written_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  LineFile(std::string path, int file, bool is_owned)
      : path_(std::move(path)), file_(file), is_owned_(is_owned) {}

  std::string path_;
  int file_ = -1;
  bool is_owned_ = false;
  std::string buffer_;         ///< whole lines
  std::uint64_t written_ = 0;  ///< bytes of whole lines in the file
  std::int64_t flushed_ = 0;   ///< when, in seconds
  std::string error_;
};

}  // namespace txscope::db
