#pragma once

#include <string>

namespace txscope::cli {

/// One line of progress on standard error, rewritten in place; only on a
/// terminal.  Calls closer than a fifth of a second to the last are ignored.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& line);
  [[nodiscard]] bool is_visible() const { return is_terminal_; }

 private:
  bool is_terminal_;
  bool has_shown_ = false;
  double last_ = 0;
};

}  // namespace txscope::cli
