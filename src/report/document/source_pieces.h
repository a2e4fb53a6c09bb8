#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/document/document.h"

namespace txscope::report::document {

/// Lines by file.
using LineNumbers = std::map<std::string, std::set<std::uint64_t>>;

/// Lines around one that is spoken of.
inline constexpr std::uint64_t kLinesAround = 4;
/// A file of at most so many lines is shown as a whole.
inline constexpr std::size_t kWholeFile = 200;

/// What is known of a file.
struct KnownLines {
  std::map<std::uint64_t, std::string> by_number;
  bool is_all = false;  ///< these are all lines of it
};

/// The pieces of files around the places, files in the order of places.
/// `lines_of` is asked once per file; null: nobody knows it.
[[nodiscard]] std::vector<Source> source_pieces(
    const std::vector<Place>& places,
    const std::function<const KnownLines*(const std::string&)>& lines_of);

}  // namespace txscope::report::document
