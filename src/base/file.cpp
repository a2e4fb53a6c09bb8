#include "base/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace txscope {
namespace {

Error cannot_write(const std::string& path, int error) {
  return Error{Place{path, 0, 0, {}},
               std::string("cannot write: ") + std::strerror(error), "", ""};
}

bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) &&
         !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return cannot_write(path, EISDIR);
  const std::string temporary =
      is_special(path)
          ? ""
          : path + ".tmp" + std::to_string(static_cast<long>(getpid()));
  std::FILE* file =
      std::fopen((temporary.empty() ? path : temporary).c_str(), "wb");
  if (file == nullptr) return cannot_write(path, errno);
  return std::unique_ptr<AtomicFile>(new AtomicFile(path, temporary, file));
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() &&
      error_ == 0)
    error_ = errno;
}

Result<Done> AtomicFile::commit() {
  if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ == 0 && !temporary_.empty() &&
      std::rename(temporary_.c_str(), path_.c_str()) != 0)
    error_ = errno;
  if (error_ == 0) return Done{};
  if (!temporary_.empty()) std::remove(temporary_.c_str());
  return cannot_write(path_, error_);
}

Result<Done> write_file_atomically(const std::string& path,
                                   std::string_view text) {
  auto file = AtomicFile::open(path);
  if (!file) return file.error();
  (*file)->write(text);
  return (*file)->commit();
}

}  // namespace txscope
