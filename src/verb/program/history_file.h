#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/answer.h"

namespace txscope::verb {

/// The histories go to a file as they are found; it gets its name when all
/// are there.
class HistoryFile {
 public:
  explicit HistoryFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    auto opened = AtomicFile::open(path);
    if (opened)
      file_ = *std::move(opened);
    else
      failure_ = opened.error();
  }
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }
  [[nodiscard]] bool is_open() const { return file_ != nullptr; }
  void write(const std::string& text) { file_->write(text); }
  /// Gives the file its name, unless the search that filled it was cut: then
  /// a file of that name, if there is one, stays as it is.
  Result<Done> finish(bool is_complete = true) {
    if (!is_wanted()) return Done{};
    if (is_complete) return file_->commit();
    file_.reset();
    return Done{};
  }
  /// Why it is not open.
  [[nodiscard]] const Error& failed() const { return failure_; }

 private:
  std::string path_;
  std::unique_ptr<AtomicFile> file_;
  Error failure_;
};

/// Whether a budget or a signal ended the search, so that histories are
/// missing.
[[nodiscard]] inline bool is_cut_short(const std::vector<Answer>& answers) {
  return std::any_of(answers.begin(), answers.end(),
                     [](const Answer& a) { return a.spent != Spent::Nothing; });
}

}  // namespace txscope::verb
