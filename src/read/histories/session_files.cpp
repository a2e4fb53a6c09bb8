#include "read/histories/session_files.h"

#include <algorithm>
#include <filesystem>

namespace txscope::read {
namespace {

// Shorter names first puts numbers of one prefix in their order.
bool is_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::vector<std::string> session_files(const std::vector<std::string>& names,
                                       std::string_view prefix,
                                       std::string_view suffix) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (name.size() >= prefix.size() + suffix.size() &&
        name.starts_with(prefix) && name.ends_with(suffix))
      found.push_back(name);
  std::sort(found.begin(), found.end(), is_before);
  return found;
}

std::string session_name(std::string_view file) {
  return std::string(file.substr(0, file.find('.')));
}

std::string path_in(const std::string& directory, const std::string& file) {
  return (std::filesystem::path(directory) / file).string();
}

}  // namespace txscope::read
