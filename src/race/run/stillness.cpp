#include "race/run/stillness.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace txscope::race {
namespace {

constexpr double kBetweenLooks = 0.05;
// Who looks may have had to wait for the machine itself.
constexpr double kLongestLook = 0.25;

/// What stands behind the name in a file of /proc: the state comes first.
std::string behind_name(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string text;
  if (!std::getline(stream, text)) return "";
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size()
             ? ""
             : text.substr(name_end + 2);
}

/// Sleeping, stopped or dead.
bool is_at_rest(const std::string& facts) {
  return facts.empty() ||
         std::string("SZTtX").find(facts[0]) != std::string::npos;
}

double processor_seconds(const std::string& facts) {
  std::istringstream words(facts);
  std::string skipped;
  for (int i = 0; i < 11; ++i) words >> skipped;
  double user = 0;
  double system = 0;
  words >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

Activity activity_of(const std::vector<pid_t>& processes) {
  namespace fs = std::filesystem;
  Activity result;
  for (const pid_t process : processes) {
    const fs::path place = fs::path("/proc") / std::to_string(process);
    result.processor_seconds += processor_seconds(behind_name(place / "stat"));
    std::error_code error;
    for (const auto& task : fs::directory_iterator(place / "task", error))
      result.is_asleep =
          result.is_asleep && is_at_rest(behind_name(task.path() / "stat"));
  }
  return result;
}

void Stillness::restart() {
  last_look_ = Clock::now();
  last_processor_ = -1;
  seconds_ = 0;
}

bool Stillness::is_due() const {
  return std::chrono::duration<double>(Clock::now() - last_look_).count() >=
         kBetweenLooks;
}

void Stillness::look(const Activity& activity) {
  const auto now = Clock::now();
  const double passed = std::chrono::duration<double>(now - last_look_).count();
  last_look_ = now;
  if (activity.is_asleep)
    seconds_ += std::min(passed, kLongestLook);
  else if (last_processor_ >= 0)
    seconds_ += std::max(0.0, activity.processor_seconds - last_processor_);
  last_processor_ = activity.processor_seconds;
}

}  // namespace txscope::race
