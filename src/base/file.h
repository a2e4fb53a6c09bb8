#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope {

/// Modes of new files, before the umask: for all, or for nobody else.
inline constexpr unsigned kForAll = 0666;
inline constexpr unsigned kPrivate = 0600;

/// What a path means at the end of all symbolic links, also of those that point
/// to nothing yet.  A link that belongs to neither us nor root is not followed:
/// who can make links in a shared directory would choose what we write.
[[nodiscard]] Result<std::string> end_of_links(const std::string& path);

/// A new file beside another one, under a name that nobody can foresee.
struct Beside {
  int descriptor = -1;
  std::string path;
};
[[nodiscard]] Result<Beside> make_beside(const std::string& path,
                                         unsigned mode);

/// Opens what is no regular file for writing, without waiting: an Error for a
/// pipe that nobody reads.
[[nodiscard]] Result<int> open_stream(const std::string& path);

/// How long a pipe may give nothing.
inline constexpr std::chrono::milliseconds kPipePatience{5000};

/// All of a file or a pipe.  An Error, and no wait without end, for
/// directories, for devices and for a pipe in which nothing comes for a while.
[[nodiscard]] Result<std::string> read_whole(
    const std::string& path,
    std::chrono::milliseconds patience = kPipePatience);

/// A file that appears whole or not at all: it is written into a temporary
/// beside it, which commit() renames.  Without commit() nothing is left.
///   - Of a symbolic link the target is written, the link stays; see
///     end_of_links().
///   - An existing file keeps its mode and, where that is allowed, its owner.
///   - Devices and pipes are written directly.
///   - The temporary has a name that nobody can foresee, and is created by
///     us or not at all: a link planted under its name is not followed.
///   - remove_temporaries() takes away what an early end would leave.
class AtomicFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> open(
      const std::string& path, unsigned mode = kForAll);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Errors are remembered and told by commit().
  void write(std::string_view text);
  /// What was written survives the end of the machine, too.
  void sync();
  [[nodiscard]] Result<Done> commit();

 private:
  AtomicFile(std::string name, std::string path, std::FILE* file)
      : name_(std::move(name)), path_(std::move(path)), file_(file) {}
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> open_beside(
      const std::string& name, const std::string& path, unsigned mode);
  void drop();

  std::string name_;       // as the user wrote it
  std::string path_;       // what it is at the end of all links
  std::string temporary_;  // empty if the file is written directly
  std::FILE* file_;
  int error_ = 0;
};

/// Removes the temporaries of all AtomicFiles that are open; for the last
/// moments of a process.  May be called by a signal handler.
void remove_temporaries() noexcept;

[[nodiscard]] Result<Done> write_file_atomically(const std::string& path,
                                                 std::string_view text,
                                                 unsigned mode = kForAll);

}  // namespace txscope
