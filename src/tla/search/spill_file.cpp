#include "tla/search/spill_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace txscope::tla {
namespace {

std::string temporary_directory() {
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && *set != 0 ? set : "/tmp";
}

}  // namespace

void SpillFile::complain(const char* what) const {
  const std::string why = std::strerror(errno);
  const bool is_given = !directory_.empty();
  throw Trouble{Error{{is_given ? directory_ : temporary_directory(), 0, 0, {}},
                      std::string(what) + ": " + why,
                      is_given ? std::string()
                               : "waiting states are put aside there; TMPDIR "
                                 "names another directory",
                      {}}};
}

SpillFile::~SpillFile() {
  if (file_ >= 0) close(file_);
}

SpillFile::Piece SpillFile::append(std::string_view bytes) {
  if (file_ < 0) {
    // mkstemp() puts its own characters in the place of these.
    std::string name =
        (directory_.empty() ? temporary_directory() : directory_) +
        "/txscope-queue-" + std::string(6, 'X');
    file_ = mkstemp(name.data());
    if (file_ < 0) complain("cannot create a file");
    unlink(name.c_str());
  }
  const Piece piece{end_, bytes.size()};
  while (!bytes.empty()) {
    const ssize_t n =
        pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(end_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) complain("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
    end_ += static_cast<std::uint64_t>(n);
  }
  return piece;
}

std::string SpillFile::read(Piece piece) const {
  std::string bytes(piece.size, '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = pread(file_, bytes.data() + at, bytes.size() - at,
                            static_cast<off_t>(piece.offset + at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) complain("cannot read");
    at += static_cast<std::size_t>(n);
  }
  return bytes;
}

void SpillFile::clear() {
  end_ = 0;
  if (file_ >= 0 && ftruncate(file_, 0) != 0) complain("cannot truncate");
}

}  // namespace txscope::tla
