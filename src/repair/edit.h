#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/repair.h"

namespace txscope::repair {

/// In the order of the text, each once.
[[nodiscard]] std::vector<Edit> in_order(std::vector<Edit> edits);
/// Whether no two of them, in order, change the same bytes.
[[nodiscard]] bool are_compatible(const std::vector<Edit>& edits);

/// The text with compatible edits.
[[nodiscard]] std::string edited(std::string_view text,
                                 const std::vector<Edit>& edits);
/// The lines that differ.
[[nodiscard]] std::vector<LineChange> changed_lines(
    std::string_view text, const std::vector<Edit>& edits);
/// The lines that differ, with their numbers in the text as it is:
/// `- 12: before`, `+ 12: after`.
[[nodiscard]] std::string diff_of(std::string_view text,
                                  const std::vector<Edit>& edits);

}  // namespace txscope::repair
