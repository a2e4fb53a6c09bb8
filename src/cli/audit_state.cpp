#include "cli/audit_state.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace txscope::cli {

Result<std::optional<audit::SavedState>> read_state(const std::string& path,
                                                    const sql::Schema& schema) {
  std::optional<audit::SavedState> none;
  if (!std::filesystem::exists(path)) return none;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file),
                         std::istreambuf_iterator<char>()};
  auto state = audit::parse_state(text, schema, path);
  if (!state) return state.error();
  return std::optional(std::move(*state));
}

Result<Done> write_state(const std::string& path,
                         const audit::SavedState& state) {
  const std::string text = audit::state_text(state);
  const std::string other = path + ".new";
  const auto failed = [&](const char* what) {
    Error error;
    error.where = {path, 0, 0, {}};
    error.what = std::string(what) + ": " + strerror(errno);
    std::remove(other.c_str());
    return error;
  };
  std::FILE* file = std::fopen(other.c_str(), "wb");
  if (file == nullptr) return failed("the state cannot be written");
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
      std::fflush(file) == 0 && ::fsync(::fileno(file)) == 0;
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written || !is_closed) return failed("the state cannot be written");
  if (std::rename(other.c_str(), path.c_str()) != 0)
    return failed("the state cannot be put in its place");
  return Done{};
}

}  // namespace txscope::cli
