#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/progress.h"
#include "cli/ticker.h"
#include "txscope/listener.h"

namespace txscope::cli {

/// What a verb tells while it works: progress on the terminal, verdicts to the
/// watchdog, further mistakes until the end.
class Listening {
 public:
  enum class Shows : std::uint8_t {
    Progress,  ///< a verb that says how far it is
    Clock,     ///< one that says only what it does: the time goes along
  };
  explicit Listening(Shows shows = Shows::Progress);

  [[nodiscard]] verb::Listener listener();
  /// The verb has ended: takes the line off the terminal.
  void end();
  [[nodiscard]] const std::vector<Error>& more_errors() const {
    return more_errors_;
  }

 private:
  std::optional<Progress> progress_;
  std::optional<Ticker> ticker_;
  std::vector<Error> more_errors_;
};

}  // namespace txscope::cli
