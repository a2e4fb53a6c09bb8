#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/program.h"

namespace txscope::verb {

/// The whole text of a program; a file that belongs to another verb is refused.
[[nodiscard]] Result<std::string> read_text(const std::string& path);

/// The text that a request brings along, or that of its file.
[[nodiscard]] Result<std::string> text_of(
    const std::string& path, const std::optional<std::string>& text);

/// Whether a program is an application in SQL: by the name; if that does not
/// tell, by how the text begins.
[[nodiscard]] bool is_sql(const std::string& path, std::string_view text);

/// A `.txn` program; of a file with another kind of name the error says what it
/// was taken for.
[[nodiscard]] Result<Program> read_program(const std::string& path,
                                           std::string text);

}  // namespace txscope::verb
