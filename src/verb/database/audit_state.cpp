#include "verb/database/audit_state.h"

#include <filesystem>

#include "base/file.h"

namespace txscope::verb {

Result<std::optional<audit::SavedState>> read_state(const std::string& path,
                                                    const sql::Schema& schema) {
  std::optional<audit::SavedState> none;
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) return none;
  if (!std::filesystem::is_regular_file(status))
    return Error{Place{path, 0, 0, {}},
                 "a state is a file, and this is not one",
                 "name a new file: it will be created", ""};
  auto text = read_whole(path);
  if (!text) return text.error();
  auto state = audit::parse_state(*text, schema, path);
  if (!state) return state.error();
  return std::optional(std::move(*state));
}

Result<Done> write_state(const std::string& path,
                         const audit::SavedState& state) {
  auto file = AtomicFile::open(path, kPrivate);
  if (!file) return file.error();
  (*file)->write(audit::state_text(state));
  (*file)->sync();
  return (*file)->commit();
}

}  // namespace txscope::verb
