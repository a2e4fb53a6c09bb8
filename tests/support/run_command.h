#pragma once

#include <string>

namespace txscope::test {

struct Ran {
  int status = 0;      ///< exit status; 128 + signal if it was killed
  std::string output;  ///< standard output and standard error, as they came

  [[nodiscard]] bool said(const std::string& text) const {
    return output.find(text) != std::string::npos;
  }
};

/// Runs a shell command in a directory, with the built `txscope` on PATH.
Ran run_command(const std::string& command, const std::string& directory);

/// A fresh directory that is removed when the test program ends.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file in it and returns its whole path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace txscope::test
