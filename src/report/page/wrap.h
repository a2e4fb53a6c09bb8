#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txscope::report {

/// How wide reports are: 80 columns, unless the program that shows them on a
/// terminal says otherwise, before it makes the first one.
[[nodiscard]] std::size_t text_width();
void set_text_width(std::size_t columns);

/// Number of terminal columns of UTF-8 text (every character counts as one).
[[nodiscard]] std::size_t columns(std::string_view text);
/// `text` padded with spaces to that many columns; never cut.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width);
/// `text` cut to that many columns, with ".." at the end if it was longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);
/// Breaks `text` at spaces into lines of at most text_width() columns, and not
/// more than prose can be read with: 132.  The
/// first line starts with `first`, the others with as many spaces.
[[nodiscard]] std::string wrapped(std::string_view first,
                                  std::string_view text);
/// The same, and the end of the last line.
[[nodiscard]] std::string lines(std::string_view first, std::string_view text);
[[nodiscard]] std::string joined(const std::vector<std::string>& parts,
                                 std::string_view between);
/// Every line of a text that is not empty, behind `by`.
[[nodiscard]] std::string indented(const std::string& text,
                                   const std::string& by);
/// A line without blanks at its end, and its newline.
[[nodiscard]] std::string trimmed(std::string line);
/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "1 session", "1,234 sessions".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace txscope::report
