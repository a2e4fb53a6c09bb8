#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>

#include "cli/diagnostics.h"
#include "cli/output.h"

namespace txscope::cli {
namespace {

constexpr double kInterval = 0.2;
constexpr char kClearLine[] = "\r\033[K";

}  // namespace

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (has_shown_) std::fputs(kClearLine, stderr);
}

void Progress::show(const std::string& line) {
  if (!is_terminal_) return;
  const double now = seconds_since_start();
  if (now - last_ < kInterval) return;
  last_ = now;
  has_shown_ = true;
  std::fprintf(stderr, "%s%s", kClearLine, shown(line).c_str());
  std::fflush(stderr);
}

}  // namespace txscope::cli
