#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace txscope::read {

/// What the files are that txscope's verbs take.
enum class FileKind : std::uint8_t { History, Log, Program, Specification };

/// By the name, and of what is written in JSON by how it begins; none: neither
/// tells.
[[nodiscard]] std::optional<FileKind> file_kind(const std::string& path,
                                                std::string_view head);

/// Says which verb takes this file, if it surely is not of the kind that was
/// wanted.
[[nodiscard]] std::optional<Error> misplaced(const std::string& path,
                                             std::string_view head,
                                             FileKind wanted);

/// The same of a file that has not been opened.
[[nodiscard]] std::optional<Error> misplaced(const std::string& path,
                                             FileKind wanted);

/// Whether a file begins as txscope's own of this sort: "log", "history".
[[nodiscard]] bool says_it_is(std::string_view head, std::string_view sort);

}  // namespace txscope::read
