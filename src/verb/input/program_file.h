#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "model/program.h"

namespace txscope::verb {

/// The whole text of a program; a file that belongs to another verb is refused.
[[nodiscard]] Result<std::string> read_text(const std::string& path);

/// The text that a request brings along, or that of its file.
[[nodiscard]] Result<std::string> text_of(
    const std::string& path, const std::optional<std::string>& text);

/// SQL that says, behind its last line, that it is in this dialect.
[[nodiscard]] Result<std::string> in_dialect(const std::string& path,
                                             std::string text,
                                             const std::string& dialect);

/// The text that a request of a verb asks about, in the dialect that it names.
template <class Request>
[[nodiscard]] Result<std::string> program_text(const Request& request) {
  auto text = text_of(request.input, request.text);
  if (!text || request.dialect.empty()) return text;
  return in_dialect(request.input, std::move(*text), request.dialect);
}

/// Whether a program is an application in SQL: by the name; if that does not
/// tell, by how the text begins.
[[nodiscard]] bool is_sql(const std::string& path, std::string_view text);

/// A `.txn` program; of a file with another kind of name the error says what it
/// was taken for.
[[nodiscard]] Result<Program> read_program(const std::string& path,
                                           std::string text);

}  // namespace txscope::verb
