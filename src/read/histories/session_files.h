#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txscope::read {

/// The names that begin with `prefix` and end with `suffix`, T2.log before
/// T10.log, for histories that are directories with one file per session.
[[nodiscard]] std::vector<std::string> session_files(
    const std::vector<std::string>& names, std::string_view prefix,
    std::string_view suffix);

/// `T2` of `T2.log`.
[[nodiscard]] std::string session_name(std::string_view file);

[[nodiscard]] std::string path_in(const std::string& directory,
                                  const std::string& file);

}  // namespace txscope::read
