#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace txscope::db {

/// The statements of a text, without the semicolons between them; empty ones
/// are left out.  Knows strings, quoted names, dollar quotes, comments and the
/// BEGIN ATOMIC ... END of SQL functions.
[[nodiscard]] std::vector<std::string_view> split_statements(
    std::string_view text);

/// The first words in capitals, comments skipped: "BEGIN ISOLATION LEVEL".
[[nodiscard]] std::vector<std::string> first_words(std::string_view text,
                                                   std::size_t count);

}  // namespace txscope::db
