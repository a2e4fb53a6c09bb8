#include "base/file.h"

#include <fcntl.h>
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

Error cannot_write(const std::string& path, int error) {
  return Error{Place{path, 0, 0, {}},
               std::string("cannot write: ") + std::strerror(error), "", ""};
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

// What a path means at the end of all symbolic links, also of those that
// point to nothing yet.
std::string end_of_links(const std::string& path, int& error) {
  fs::path end(path);
  std::error_code failed;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(end, failed))) return end.string();
    const fs::path target = fs::read_symlink(end, failed);
    if (failed) {
      error = failed.value();
      return "";
    }
    end = end.parent_path() / target;  // a target from / replaces all
  }
  error = ELOOP;
  return "";
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

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::open(const std::string& path) {
  int error = 0;
  const std::string end = end_of_links(path, error);
  if (error != 0) return cannot_write(path, error);
  struct stat status {};
  if (stat(end.c_str(), &status) != 0) return open_beside(path, end);
  if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (S_ISREG(status.st_mode)) return open_beside(path, end);
  std::FILE* file = file_of(::open(end.c_str(), O_WRONLY | O_CLOEXEC));
  if (file == nullptr) return cannot_write(path, errno);
  return std::unique_ptr<AtomicFile>(new AtomicFile(path, end, file));
}

Result<std::unique_ptr<AtomicFile>> AtomicFile::open_beside(
    const std::string& name, const std::string& path) {
  for (int i = 0; i < 100; ++i) {
    const std::string temporary = name_beside(path);
    const int descriptor = ::open(
        temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    std::FILE* file = file_of(descriptor);
    if (file == nullptr) return cannot_write(name, errno);
    remember(temporary);
    std::unique_ptr<AtomicFile> opened(new AtomicFile(name, path, file));
    opened->temporary_ = temporary;
    return opened;
  }
  return cannot_write(name, EEXIST);
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
                                   std::string_view text) {
  auto file = AtomicFile::open(path);
  if (!file) return file.error();
  (*file)->write(text);
  return (*file)->commit();
}

}  // namespace txscope
