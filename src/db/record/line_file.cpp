#include "db/record/line_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "db/record/disk_sync.h"

namespace txscope::db {
namespace {

constexpr std::size_t kBuffer = 1 << 16;
constexpr int kReaderPatience = 5000;  // milliseconds

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Error about(const std::string& path, std::string what, std::string hint = "") {
  return Error{Place{path, 0, 0, {}}, std::move(what), std::move(hint), ""};
}

Error cannot_write(const std::string& path, int error) {
  return about(path, std::string("cannot write: ") + std::strerror(error));
}

/// Whether the path still means the file that was opened.
bool is_still(int file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// False: somebody else holds it.  Where a file system has no locks there are
/// none.
bool lock(int file) {
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

LineFile::LineFile(std::string path) : path_(std::move(path)) {}

Result<LineFile> LineFile::open(const std::string& path, Older older) {
  if (path.empty() || path == "-") {
    LineFile output("standard output");
    output.file_ = STDOUT_FILENO;
    output.is_owned_ = false;
    return output;
  }
  const auto target = end_of_links(path);
  if (!target) return target.error();
  LineFile file(path);
  if (auto done = file.open_file(*target, older); !done) return done.error();
  return file;
}

Result<Done> LineFile::open_file(const std::string& target, Older older) {
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path_, EISDIR);
    const auto stream = open_stream(target);
    if (!stream) return stream.error();
    file_ = *stream;
    ::fcntl(file_, F_SETFL, ::fcntl(file_, F_GETFL) | O_NONBLOCK);
    return Done{};
  }
  // Somebody may make, replace or remove it between two of our looks.
  for (int i = 0; i < 100; ++i) {
    constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    int file = ::open(target.c_str(), kFlags);
    if (file < 0 && errno == ENOENT) {
      file = ::open(target.c_str(), kFlags | O_CREAT | O_EXCL, kPrivate);
      if (file < 0 && errno == EEXIST) continue;
      is_new_ = file >= 0;
    }
    if (file < 0) return cannot_write(path_, errno);
    const auto is_taken = take(file, target, older);
    if (!is_taken || !*is_taken) ::close(file);
    if (!is_taken) return is_taken.error();
    if (*is_taken) return Done{};
  }
  return cannot_write(path_, EBUSY);
}

/// False: it is another file by now.
Result<bool> LineFile::take(int file, const std::string& target, Older older) {
  if (!lock(file))
    return about(path_, "another program is writing this log",
                 "choose another file with -o");
  if (!is_still(file, target)) return false;
  struct stat status {};
  ::fstat(file, &status);
  if (status.st_size > 0 && older == Older::Refuse)
    return about(path_, "a log already exists",
                 "use --force to overwrite it, or choose another file with -o");
  target_ = target;
  (status.st_size > 0 ? older_ : file_) = file;
  if (file_ >= 0) sync_ = std::make_unique<DiskSync>(file_);
  return true;
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      file_(std::exchange(other.file_, -1)),
      older_(std::exchange(other.older_, -1)),
      is_owned_(other.is_owned_),
      is_new_(other.is_new_),
      buffer_(std::move(other.buffer_)),
      written_(other.written_),
      flushed_(other.flushed_),
      error_(std::move(other.error_)),
      sync_(std::move(other.sync_)) {}

LineFile::~LineFile() {
  if (file_ < 0 && older_ < 0) return;
  flush();
  sync_.reset();
  if (is_new_ && written_ == 0) ::unlink(target_.c_str());
  if (file_ >= 0 && is_owned_) ::close(file_);
  if (older_ >= 0) ::close(older_);
}

bool LineFile::write(std::string_view line) {
  if (!is_good()) return false;
  buffer_ += line;
  return buffer_.size() < kBuffer ? flush_in_time() : flush();
}

bool LineFile::flush_in_time() {
  if (buffer_.empty() || milliseconds_now() - flushed_ < kFlushAfter)
    return is_good();
  return flush();
}

void LineFile::fail(int error) { error_ = std::strerror(error); }

/// Puts a new file in the place of the older one, which stays if the first
/// lines cannot be written.
bool LineFile::begin() {
  auto beside = make_beside(target_, kPrivate);
  if (!beside) {
    fail(errno);
    return false;
  }
  lock(beside->descriptor);
  file_ = beside->descriptor;
  std::size_t done = 0;
  if (put(done) && std::rename(beside->path.c_str(), target_.c_str()) == 0) {
    written_ = done;
    buffer_.clear();
    sync_ = std::make_unique<DiskSync>(file_);
    sync_->want();
    return true;
  }
  if (is_good()) fail(errno);
  ::unlink(beside->path.c_str());
  ::close(std::exchange(file_, -1));
  buffer_.clear();
  return false;
}

bool LineFile::put(std::size_t& done) {
  while (done < buffer_.size()) {
    const ssize_t count =
        ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd writable{file_, POLLOUT, 0};
      if (::poll(&writable, 1, kReaderPatience) != 0) continue;
      error_ = "its reader takes no more";
      return false;
    }
    if (count <= 0) {
      fail(count < 0 ? errno : ENOSPC);
      return false;
    }
    done += static_cast<std::size_t>(count);
  }
  return true;
}

bool LineFile::flush() {
  if (!is_good()) return false;
  flushed_ = milliseconds_now();
  if (buffer_.empty()) return true;
  if (file_ < 0) return begin();
  std::size_t done = 0;
  put(done);
  // What did not fit is taken back to the end of the last whole line.  A pipe
  // cannot be shortened; its reader is told by the missing end of line.
  std::size_t whole = done;
  while (whole > 0 && buffer_[whole - 1] != '\n') --whole;
  written_ += whole;
  if (whole < done && ::ftruncate(file_, static_cast<off_t>(written_)) != 0)
    error_ += "; the last line is cut";
  buffer_.clear();
  if (sync_ != nullptr) sync_->want();
  return is_good();
}

}  // namespace txscope::db
