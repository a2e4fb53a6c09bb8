#include "base/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace txscope {
namespace {

Error cannot_write(const std::string& path) {
  return Error{Place{path, 0, 0, {}},
               std::string("cannot write: ") + std::strerror(errno), "", ""};
}

bool write_all(const std::string& path, std::string_view text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return (std::fclose(file) == 0) && is_written;
}

}  // namespace

Result<Done> write_file_atomically(const std::string& path,
                                   std::string_view text) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const bool is_special = std::filesystem::exists(status) &&
                          !std::filesystem::is_regular_file(status);
  if (is_special) {
    if (!write_all(path, text)) return cannot_write(path);
    return Done{};
  }
  const std::string temporary =
      path + ".tmp" + std::to_string(static_cast<long>(getpid()));
  if (!write_all(temporary, text) ||
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int why = errno;
    std::remove(temporary.c_str());
    errno = why;
    return cannot_write(path);
  }
  return Done{};
}

}  // namespace txscope
