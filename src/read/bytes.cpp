#include "read/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace txscope {
namespace {

class FileBytes final : public ByteSource {
 public:
  FileBytes(int descriptor, bool is_owned)
      : descriptor_(descriptor), is_owned_(is_owned) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override {
    if (is_owned_) ::close(descriptor_);
  }

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) {
        offset_ += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno == EINTR) continue;
      failure_ = Failure{std::string("cannot be read: ") + strerror(errno), "",
                         offset_};
      return 0;
    }
  }

 private:
  int descriptor_;
  bool is_owned_;
  std::uint64_t offset_ = 0;
};

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string text) : text_(std::move(text)) {}

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t count = std::min(size, text_.size() - position_);
    std::copy_n(text_.data() + position_, count, to);
    position_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path) {
  if (path == "-")
    return std::unique_ptr<ByteSource>(
        std::make_unique<FileBytes>(STDIN_FILENO, false));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return Error{Place{path, 0, 0, {}},
                 std::string("cannot be opened: ") + strerror(errno), "", ""};
  return std::unique_ptr<ByteSource>(
      std::make_unique<FileBytes>(descriptor, true));
}

std::unique_ptr<ByteSource> bytes_of(std::string text) {
  return std::make_unique<MemoryBytes>(std::move(text));
}

}  // namespace txscope
