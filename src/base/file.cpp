#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <random>

namespace txscope {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as the kernel has it

Error cannot(const char* what, const std::string& path, std::string why,
             std::string hint = "") {
  return Error{Place{path, 0, 0, {}},
               std::string("cannot ") + what + ": " + std::move(why),
               std::move(hint), ""};
}

Error cannot_write(const std::string& path, int error) {
  return cannot("write", path, std::strerror(error));
}

// The names of temporaries, where a signal handler can read them.
struct Slot {
  std::atomic<bool> is_taken{false};
  std::atomic<bool> is_ready{false};
  std::array<char, PATH_MAX> path{};
};
std::array<Slot, 16> slots;

void remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (Slot& slot : slots) {
    if (slot.is_taken.exchange(true)) continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.is_ready.store(true);
    return;
  }
}

void forget(const std::string& path) {
  for (Slot& slot : slots) {
    if (!slot.is_ready.load() || path != slot.path.data()) continue;
    slot.is_ready.store(false);
    slot.is_taken.store(false);
    return;
  }
}

std::string name_beside(const std::string& path) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::random_device random;
  std::string name = ".txscope-";
  for (int i = 0; i < 12; ++i) name += kLetters[random() % kLetters.size()];
  return (fs::path(path).parent_path() / name).string();
}

std::FILE* file_of(int descriptor) {
  return descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
}

/// Reads what is there until the end; a pipe may take its time, but not for
/// ever between two pieces.
Result<std::string> read_all(int descriptor, const std::string& path,
                             std::chrono::milliseconds patience) {
  std::string text;
  std::array<char, 1 << 16> chunk;
  for (;;) {
    pollfd readable{descriptor, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0)
      return cannot("read", path, "nothing comes out of this pipe",
                    "is another process writing into it?");
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return cannot("read", path, std::strerror(errno));
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::string> end_of_links(const std::string& path) {
  fs::path end(path);
  for (int i = 0; i < kMaxLinks; ++i) {
    struct stat status {};
    if (lstat(end.c_str(), &status) != 0 || !S_ISLNK(status.st_mode))
      return end.string();
    if (status.st_uid != geteuid() && status.st_uid != 0)
      return cannot("write", path,
                    "'" + end.string() + "' is another user's symbolic link",
                    "name the file itself");
    std::error_code failed;
    const fs::path target = fs::read_symlink(end, failed);
    if (failed) return cannot_write(path, failed.value());
    end = end.parent_path() / target;  // a target from / replaces all
  }
  return cannot_write(path, ELOOP);
}

Result<Beside> make_beside(const std::string& path, unsigned mode) {
  for (int i = 0; i < 100; ++i) {
    const std::string beside = name_beside(path);
    const int descriptor =
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) return Beside{descriptor, beside};
    if (errno != EEXIST) return cannot_write(path, errno);
  }
  return cannot_write(path, EEXIST);
}

Result<int> open_stream(const std::string& path) {
  // The reader of a pipe may just be starting.
  constexpr int kMostWaits = 200;
  int descriptor = -1;
  for (int waits = 0; waits <= kMostWaits; ++waits) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 || errno != ENXIO) break;
    if (waits < kMostWaits) ::usleep(10'000);
    errno = ENXIO;
  }
  if (descriptor < 0 && errno == ENXIO)
    return cannot("write", path, "this pipe has no reader",
                  "start its reader first");
  if (descriptor < 0) return cannot_write(path, errno);
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

Result<std::string> read_whole(const std::string& path,
                               std::chrono::milliseconds patience) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return cannot("read", path, std::strerror(errno));
  struct stat status {};
  Result<std::string> text = std::string();
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode))
    text = cannot("read", path, std::strerror(EISDIR));
  else if (S_ISCHR(status.st_mode) && ::isatty(descriptor) == 0)
    text = cannot("read", path, "this is a device");  // /dev/zero has no end
  else
    text = read_all(descriptor, path, patience);
  ::close(descriptor);
  return text;
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::open(const std::string& path,
                                                     unsigned mode) {
  const auto end = end_of_links(path);
  if (!end) return end.error();
  struct stat status {};
  if (stat(end->c_str(), &status) != 0) return open_beside(path, *end, mode);
  if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (S_ISREG(status.st_mode)) return open_beside(path, *end, mode);
  const auto stream = open_stream(*end);
  if (!stream) return stream.error();
  return std::unique_ptr<AtomicFile>(
      new AtomicFile(path, *end, file_of(*stream)));
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::open_beside(
    const std::string& name, const std::string& path, unsigned mode) {
  auto beside = make_beside(path, mode);
  if (!beside) {
    Error error = beside.error();
    error.where.file = name;
    return error;
  }
  remember(beside->path);
  std::unique_ptr<AtomicFile> opened(
      new AtomicFile(name, path, file_of(beside->descriptor)));
  opened->temporary_ = beside->path;
  return opened;
}

AtomicFile::~AtomicFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  drop();
}

void AtomicFile::drop() {
  if (temporary_.empty()) return;
  std::remove(temporary_.c_str());
  forget(temporary_);
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() &&
      error_ == 0)
    error_ = errno;
}

void AtomicFile::sync() {
  if (temporary_.empty() || error_ != 0) return;
  if (std::fflush(file_) != 0 || ::fsync(fileno(file_)) != 0) error_ = errno;
}

Result<Done> AtomicFile::commit() {
  struct stat old {};
  if (!temporary_.empty() && stat(path_.c_str(), &old) == 0) {
    // The owner first: changing it may take mode bits away.
    const int descriptor = fileno(file_);
    if (fchown(descriptor, old.st_uid, old.st_gid) != 0) errno = 0;
    if (fchmod(descriptor, old.st_mode & 07777) != 0 && error_ == 0)
      error_ = errno;
  }
  if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ == 0 && !temporary_.empty() &&
      std::rename(temporary_.c_str(), path_.c_str()) != 0)
    error_ = errno;
  if (error_ != 0) {
    drop();
    return cannot_write(name_, error_);
  }
  if (!temporary_.empty()) forget(temporary_);
  return Done{};
}

void remove_temporaries() noexcept {
  for (const Slot& slot : slots)
    if (slot.is_ready.load()) unlink(slot.path.data());
}

Result<Done> write_file_atomically(const std::string& path,
                                   std::string_view text, unsigned mode) {
  auto file = AtomicFile::open(path, mode);
  if (!file) return file.error();
  (*file)->write(text);
  return (*file)->commit();
}

}  // namespace txscope
