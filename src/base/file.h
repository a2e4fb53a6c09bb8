#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope {

/// A file that appears whole or not at all: it is written into a temporary
/// beside it, which commit() renames.  Without commit() nothing is left.
///   - Of a symbolic link the target is written, the link stays.
///   - An existing file keeps its mode and, where that is allowed, its owner.
///   - Devices and pipes are written directly.
///   - The temporary has a name that nobody can foresee, and is created by
///     us or not at all: a link planted under its name is not followed.
///   - remove_temporaries() takes away what an early end would leave.
class AtomicFile {
 public:
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> open(
      const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Errors are remembered and told by commit().
  void write(std::string_view text);
  [[nodiscard]] Result<Done> commit();

 private:
  AtomicFile(std::string name, std::string path, std::FILE* file)
      : name_(std::move(name)), path_(std::move(path)), file_(file) {}
  [[nodiscard]] static Result<std::unique_ptr<AtomicFile>> open_beside(
      const std::string& name, const std::string& path);
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
                                                 std::string_view text);

}  // namespace txscope
