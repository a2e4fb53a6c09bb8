#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace txscope::cli {

/// Colours: where a terminal shows them, everywhere, nowhere.
enum class ColourUse : std::uint8_t { Auto, Always, Never };
/// What --color says; before anything is printed.
void set_colour_use(ColourUse use);

/// True if that stream is a terminal that shows colours and nobody has asked
/// for none (NO_COLOR, TERM=dumb), unless --color says otherwise.
[[nodiscard]] bool has_colour(int descriptor);

/// A report with its verdicts in colour: red what is violated, green what
/// holds, yellow what is undecided; and the values of a behaviour that changed.
/// Only whole words, so text stays text.
[[nodiscard]] std::string coloured_report(std::string_view text);
/// An error with its caret in colour.
[[nodiscard]] std::string coloured_error(std::string_view text);

/// The columns of the terminal that standard output is, or what COLUMNS says
/// where it is none (`COLUMNS=160 txscope .. | less`); none: nobody says.
[[nodiscard]] std::optional<std::size_t> terminal_width();

}  // namespace txscope::cli
