#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace txscope::cli {

/// True if that stream is a terminal that shows colours and nobody has asked
/// for none (NO_COLOR, TERM=dumb).
[[nodiscard]] bool has_colour(int descriptor);

/// A report with its verdicts in colour: red what is violated, green what
/// holds, yellow what is undecided; and the values of a behaviour that changed.
/// Only whole words, so text stays text.
[[nodiscard]] std::string coloured_report(std::string_view text);
/// An error with its caret in colour.
[[nodiscard]] std::string coloured_error(std::string_view text);

/// The columns of the terminal that standard output is; none: it is no
/// terminal, or does not say.
[[nodiscard]] std::optional<std::size_t> terminal_width();

}  // namespace txscope::cli
