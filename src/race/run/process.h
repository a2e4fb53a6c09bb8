#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "race/run/stillness.h"
#include "race/wire/sockets.h"

namespace txscope::race {

/// A command that runs: its standard output is kept, and it ends with this
/// object together with all processes that it has started in its group.
class Process {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  [[nodiscard]] static Result<Process> start(
      const std::vector<std::string>& command, const std::string& directory,
      const Environment& environment);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) = delete;
  ~Process();

  /// Readable when the process has ended.
  [[nodiscard]] int end_descriptor() const { return end_.get(); }
  [[nodiscard]] int output_descriptor() const { return output_.get(); }
  /// Takes what was printed and whether it has ended.
  void advance();

  /// Tells it to end by itself (SIGTERM), and waits so long at most.
  void ask_to_end(int milliseconds);

  [[nodiscard]] bool has_ended() const { return status_.has_value(); }
  /// Of one that has ended; -N: by signal N.
  [[nodiscard]] int status() const { return *status_; }
  [[nodiscard]] const std::string& printed() const { return printed_; }
  /// The last of what it wrote on standard error.
  [[nodiscard]] std::string complaint();
  /// Of its group.
  [[nodiscard]] Activity activity() const;
  /// It and all that it has started, as long as they are in its group.
  [[nodiscard]] std::vector<pid_t> group() const;
  /// Whether somebody of its group waits for connections by TCP.
  [[nodiscard]] bool is_listening() const;

 private:
  Process() = default;
  void read_output();

  pid_t process_ = -1;
  Descriptor end_;
  Descriptor output_;
  Descriptor complaints_;
  std::string printed_;
  std::string complained_;
  std::optional<int> status_;
};

}  // namespace txscope::race
