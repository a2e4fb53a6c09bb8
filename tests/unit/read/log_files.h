#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace txscope {

inline std::string big(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift);
  return bytes;
}

inline std::string little(std::uint64_t number) {
  const std::string bytes = big(number);
  return {bytes.rbegin(), bytes.rend()};
}

/// dbcop's header with the number of sessions behind it.
inline std::string bincode_header(std::uint64_t sessions) {
  std::string bytes;
  for (const std::uint64_t n : {7, 1, 2, 1, 2}) bytes += little(n);
  for (const std::string text : {"DB", "then", "now"})
    bytes += little(text.size()) + text;
  return bytes + little(sessions);
}

inline std::string bincode_event(bool is_write, std::uint64_t variable,
                                 std::uint64_t value, bool success = true) {
  return std::string(1, is_write ? 1 : 0) + little(variable) + little(value) +
         std::string(1, success ? 1 : 0);
}

/// Cobra's records.
inline std::string cobra_start(std::uint64_t txn) { return "S" + big(txn); }
inline std::string cobra_commit(std::uint64_t txn) { return "C" + big(txn); }
inline std::string cobra_write(std::uint64_t id, std::uint64_t key) {
  return "W" + big(id) + big(key) + big(99);
}
inline std::string cobra_read(std::uint64_t writer, std::uint64_t id,
                              std::uint64_t key) {
  return "R" + big(writer) + big(id) + big(key) + big(99);
}

/// A directory of its own for a test, removed afterwards.
class LogDirectory {
 public:
  LogDirectory()
      : path_(std::filesystem::path(testing::TempDir()) /
              ("txscope-logs-" +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "-" +
               std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  LogDirectory(const LogDirectory&) = delete;
  LogDirectory& operator=(const LogDirectory&) = delete;
  ~LogDirectory() { std::filesystem::remove_all(path_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace txscope
