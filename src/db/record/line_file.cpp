#include "db/record/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace txscope::db {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<LineFile> LineFile::open(const std::string& path) {
  if (path.empty() || path == "-")
    return LineFile("standard output", STDOUT_FILENO, false);
  const int file =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0)
    return Error{Place{path, 0, 0, {}},
                 std::string("cannot write: ") + std::strerror(errno), "", ""};
  return LineFile(path, file, true);
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      is_owned_(other.is_owned_),
      buffer_(std::move(other.buffer_)),
      written_(other.written_),
      flushed_(other.flushed_),
      error_(std::move(other.error_)) {}

LineFile::~LineFile() {
  if (file_ < 0) return;
  flush();
  if (is_owned_) ::close(file_);
}

bool LineFile::write(std::string_view line) {
  if (!is_good()) return false;
  buffer_ += line;
  if (buffer_.size() < kBuffer && seconds_now() == flushed_) return true;
  return flush();
}

bool LineFile::flush() {
  if (!is_good()) return false;
  flushed_ = seconds_now();
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count =
        ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      error_ = std::strerror(count < 0 ? errno : ENOSPC);
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  // What did not fit is taken back to the end of the last whole line.  A pipe
  // cannot be shortened; its reader is told by the missing end of line.
  std::size_t whole = done;
  while (whole > 0 && buffer_[whole - 1] != '\n') --whole;
  written_ += whole;
  if (whole < done && ::ftruncate(file_, static_cast<off_t>(written_)) != 0)
    error_ += "; the last line is cut";
  buffer_.clear();
  return is_good();
}

}  // namespace txscope::db
