#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/colour.h"
#include "cli/diagnostics.h"
#include "cli/guard.h"

namespace txscope::cli {
namespace {

const auto kStarted = std::chrono::steady_clock::now();

}  // namespace

double seconds_since_start() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       kStarted)
      .count();
}

Result<Done> write_output(const Output& output, const std::string& text) {
  rest_watchdogs();
  const bool is_text = output.format == "text";
  if (interrupted() != 0) {
    std::fputs("interrupted; what is known so far:\n", stderr);
    if (is_text) std::fputs(shown(text).c_str(), stderr);
    return Done{};
  }
  std::string safe = is_text ? shown(text) : text;
  if (!output.file.empty()) return write_file_atomically(output.file, safe);
  if (is_text && has_colour(STDOUT_FILENO)) safe = coloured_report(safe);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
  return finish_standard_output();
}

Result<Done> finish_standard_output() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return Done{};
  const std::string why = errno != 0 ? std::strerror(errno) : "output error";
  std::clearerr(stdout);  // it is told once
  return Error{Place{"standard output", 0, 0, {}}, "cannot write: " + why, "",
               ""};
}

}  // namespace txscope::cli
