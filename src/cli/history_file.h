#pragma once

#include <cstdio>
#include <string>

#include "base/result.h"

namespace txscope::cli {

/// The histories go to a file as they are found; it gets its name when all
/// are there.
class HistoryFile {
 public:
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;
  explicit HistoryFile(std::string path)
      : path_(std::move(path)), part_(path_ + ".part") {
    if (!path_.empty()) file_ = std::fopen(part_.c_str(), "wb");
  }
  ~HistoryFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
  }
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  void write(const std::string& text) {
    is_good_ &= std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  }
  Result<Done> finish() {
    if (!is_wanted()) return Done{};
    is_good_ &= std::fclose(file_) == 0;
    file_ = nullptr;
    if (!is_good_ || std::rename(part_.c_str(), path_.c_str()) != 0) {
      std::remove(part_.c_str());
      return failed();
    }
    return Done{};
  }
  [[nodiscard]] Error failed() const {
    return Error{Place{path_, 0, 0, {}}, "cannot write the histories", "", ""};
  }

 private:
  std::string path_;
  std::string part_;
  std::FILE* file_ = nullptr;
  bool is_good_ = true;
};

}  // namespace txscope::cli
