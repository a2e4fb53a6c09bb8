#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::db {

class DiskSync;

/// A file of whole lines: whatever happens to the disk, what is there ends with
/// the end of a line.  A reader may follow it: see kFlushAfter.
///
///   - It is locked: two programs never write into one.
///   - Nothing is lost before the first line is written: until then an older
///     file stays as it is, and a new one goes again.  An older file is not
///     emptied but replaced, so who has it open keeps it.
///   - Only its owner can read it: it holds other people's data.
///   - What was flushed is brought to the disk within a second.
///   - A link of somebody else's is not followed; a pipe that nobody reads is
///     an Error, not a wait.
class LineFile {
 public:
  /// What to do with a file that has something in it.
  enum class Older : std::uint8_t { Refuse, Replace };

  /// Lines that are kept reach the file after so many milliseconds, if flush()
  /// or write() is called then.
  static constexpr std::int64_t kFlushAfter = 200;

  /// Empty or "-": standard output.
  [[nodiscard]] static Result<LineFile> open(const std::string& path,
                                             Older older = Older::Replace);
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  /// Keeps a line; false: the file takes no more, see error().
  bool write(std::string_view line);
  bool flush();
  /// The same if it is due.
  bool flush_in_time();
  [[nodiscard]] bool is_good() const { return error_.empty(); }
  /// "no space left on device", as the system says it.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::uint64_t bytes() const { return written_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit LineFile(std::string path);
  [[nodiscard]] Result<Done> open_file(const std::string& target, Older older);
  [[nodiscard]] Result<bool> take(int file, const std::string& target,
                                  Older older);
  bool begin();
  bool put(std::size_t& done);
  void fail(int error);

  std::string path_;    ///< as the user wrote it
  std::string target_;  ///< of a regular file: at the end of all links
  int file_ = -1;
  int older_ = -1;  ///< the locked file that the first flush replaces
  bool is_owned_ = true;
  bool is_new_ = false;        ///< made by us
  std::string buffer_;         ///< whole lines
  std::uint64_t written_ = 0;  ///< bytes of whole lines in the file
  std::int64_t flushed_ = 0;   ///< when, in milliseconds
  std::string error_;
  std::unique_ptr<DiskSync> sync_;  ///< of a regular file
};

}  // namespace txscope::db
