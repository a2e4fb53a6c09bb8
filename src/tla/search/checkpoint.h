#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace txscope::tla {

/// Writes a search down so that it can be taken up again.
///
/// A line that says what it is, then numbers of eight bytes, lowest first, and
/// byte strings with their size before them, as the search asks for; at the
/// end a checksum, so that what is read is what was written.
class CheckpointWriter {
 public:
  /// Throws Fault.
  explicit CheckpointWriter(const std::string& path);
  void number(std::uint64_t n);
  void bytes(std::string_view bytes);
  /// Throws Fault.
  void commit();

 private:
  void put(std::string_view bytes);
  std::unique_ptr<AtomicFile> file_;
  std::string buffer_;
  std::uint64_t sum_ = 0;
};

/// Reads one; throws Fault where the file is none, or damaged.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);
  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::string bytes();
  /// Checks the checksum, after everything has been read.
  void finish();
  [[noreturn]] void complain(std::string what, std::string hint = {}) const;

 private:
  void get(char* to, std::size_t size);
  std::string path_;
  std::ifstream file_;
  std::uint64_t left_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace txscope::tla
