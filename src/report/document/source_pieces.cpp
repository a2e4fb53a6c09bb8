#include "report/document/source_pieces.h"

#include <algorithm>

namespace txscope::report::document {
namespace {

bool is_near(const std::set<std::uint64_t>& wanted, std::uint64_t line) {
  const auto next =
      wanted.lower_bound(line > kLinesAround ? line - kLinesAround : 0);
  return next != wanted.end() && *next <= line + kLinesAround;
}

void add_pieces(const std::string& file, const KnownLines& known,
                const std::set<std::uint64_t>& wanted,
                std::vector<Source>& out) {
  const bool is_whole = known.is_all && known.by_number.size() <= kWholeFile;
  const bool is_any = std::any_of(
      wanted.begin(), wanted.end(),
      [&](std::uint64_t line) { return known.by_number.contains(line); });
  std::uint64_t last = 0;
  for (const auto& [number, line] : known.by_number) {
    if (!is_any || (!is_whole && !is_near(wanted, number))) continue;
    if (last == 0 || number != last + 1) out.push_back({file, number, {}});
    out.back().lines.push_back(line);
    last = number;
  }
}

}  // namespace

std::vector<Source> source_pieces(
    const std::vector<Place>& places,
    const std::function<const KnownLines*(const std::string&)>& lines_of) {
  LineNumbers wanted;
  std::vector<std::string> files;
  for (const Place& place : places) {
    if (place.line == 0) continue;
    if (!wanted.contains(place.file)) files.push_back(place.file);
    wanted[place.file].insert(place.line);
  }
  std::vector<Source> out;
  for (const std::string& file : files)
    if (const KnownLines* known = lines_of(file); known != nullptr)
      add_pieces(file, *known, wanted[file], out);
  return out;
}

}  // namespace txscope::report::document
