#include "read/histories/find_histories.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "read/histories/formats.h"

namespace txscope::read {
namespace {

namespace fs = std::filesystem;

// What Jepsen and elle-cli call it, best first.
constexpr std::string_view kStored[] = {"history.edn", "history.edn.gz",
                                        "history.txt"};

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end;
       !failed && entry != end; entry.increment(failed))
    if (!entry->path().filename().string().starts_with("."))
      entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void collect(const fs::path& directory, std::vector<std::string>& found) {
  std::error_code ignored;
  for (const std::string_view name : kStored) {
    if (!fs::is_regular_file(directory / name, ignored)) continue;
    found.push_back((directory / name).string());
    return;
  }
  for (const fs::path& path : entries_of(directory)) {
    if (fs::is_directory(path, ignored)) {
      if (fs::is_symlink(path, ignored)) continue;
      if (is_known_history(path.string()))
        found.push_back(path.string());
      else
        collect(path, found);
    } else if (fs::is_regular_file(path, ignored) &&
               is_known_history(path.string())) {
      found.push_back(path.string());
    }
  }
}

}  // namespace

std::vector<std::string> find_histories(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !fs::is_directory(path, ignored) || is_known_history(path))
    return {path};
  std::vector<std::string> found;
  collect(path, found);
  if (found.empty()) found.push_back(path);
  return found;
}

}  // namespace txscope::read
