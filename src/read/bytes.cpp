#include "read/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace txscope::read {
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

class GrowingBytes final : public ByteSource {
 public:
  GrowingBytes(std::unique_ptr<ByteSource> file, std::function<bool()> is_over)
      : file_(std::move(file)), is_over_(std::move(is_over)) {}

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      // Asked first: what was written until then is still read.
      const bool is_over = is_over_();
      const std::size_t got = file_->read(to, size);
      if (file_->failure()) failure_ = *file_->failure();
      if (got > 0 || failure_ || is_over) return got;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

 private:
  std::unique_ptr<ByteSource> file_;
  std::function<bool()> is_over_;
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

Result<std::unique_ptr<ByteSource>> open_growing_bytes(
    const std::string& path, std::function<bool()> is_over) {
  auto file = open_bytes(path);
  if (!file) return file;
  return std::unique_ptr<ByteSource>(
      std::make_unique<GrowingBytes>(*std::move(file), std::move(is_over)));
}

std::unique_ptr<ByteSource> bytes_of(std::string text) {
  return std::make_unique<MemoryBytes>(std::move(text));
}

}  // namespace txscope::read
