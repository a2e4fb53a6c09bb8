#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope {

/// A file that appears whole or not at all: it is written into a temporary
/// beside it, which commit() renames.  Without commit() nothing is left.  An
/// existing file is replaced; devices and pipes are written directly.
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
  AtomicFile(std::string path, std::string temporary, std::FILE* file)
      : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

  std::string path_;
  std::string temporary_;  // empty if the file is written directly
  std::FILE* file_;
  int error_ = 0;
};

[[nodiscard]] Result<Done> write_file_atomically(const std::string& path,
                                                 std::string_view text);

}  // namespace txscope
