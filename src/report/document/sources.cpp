// The user's own text: pieces around what happens, and changes of lines.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "report/document/from_engines.h"

namespace txscope::report::document {
namespace {

constexpr std::uint64_t kLinesAround = 4;
constexpr std::size_t kWholeFile = 200;  // lines

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t last = end;
    if (last > begin && text[last - 1] == '\r') --last;
    lines.push_back(text.substr(begin, last - begin));
    begin = end + 1;
  }
  return lines;
}

/// The text of a file that a workload was read from.
const std::string* text_of(const Workload& workload, const std::string& file) {
  if (workload.origin == nullptr)
    return file == workload.file ? &workload.source : nullptr;
  for (const SourceMap::File& one : workload.origin->files)
    if (one.name == file) return &one.text;
  return nullptr;
}

std::size_t offset_of_line(const std::string& text, std::size_t number) {
  std::size_t offset = 0;
  for (std::size_t line = 1; line < number; ++line) {
    offset = text.find('\n', offset);
    if (offset == std::string::npos) return text.size();
    ++offset;
  }
  return offset;
}

std::uint64_t line_number(const std::string& text, std::size_t offset) {
  const auto end =
      text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<std::uint64_t>(std::count(text.begin(), end, '\n'));
}

/// Where a line of the whole text stands in a file.
Place place_of_line(const Workload& workload, std::size_t number) {
  if (workload.origin == nullptr) return {workload.file, number, 1, {}};
  const std::size_t offset = offset_of_line(workload.source, number);
  const SourceMap::Piece& piece = workload.origin->piece_at(offset);
  const SourceMap::File& file = workload.origin->files[piece.file];
  return {file.name,
          line_number(file.text, piece.at + (offset - piece.from)),
          1,
          {}};
}

}  // namespace

std::vector<Source> sources_of(const Workload& workload,
                               const std::vector<Place>& places) {
  std::map<std::string, std::set<std::uint64_t>> wanted;
  std::vector<std::string> files;
  for (const Place& place : places) {
    if (place.line == 0) continue;
    if (!wanted.contains(place.file)) files.push_back(place.file);
    wanted[place.file].insert(place.line);
  }
  std::vector<Source> out;
  for (const std::string& file : files) {
    const std::string* text = text_of(workload, file);
    if (text == nullptr) continue;
    const std::vector<std::string> lines = lines_of(*text);
    const bool is_whole = lines.size() <= kWholeFile;
    std::uint64_t last = 0;
    for (const std::uint64_t line : wanted[file]) {
      if (line > lines.size()) continue;
      const std::uint64_t from = is_whole              ? 1
                                 : line > kLinesAround ? line - kLinesAround
                                                       : 1;
      const std::uint64_t to =
          is_whole ? lines.size()
                   : std::min<std::uint64_t>(line + kLinesAround, lines.size());
      if (last == 0 || from > last + 1) {
        out.push_back({file, from, {}});
        last = from - 1;
      }
      for (; last < to; ++last) out.back().lines.push_back(lines[last]);
    }
  }
  return out;
}

Repair tried_repair(const Workload& workload, std::string what,
                    const txscope::Repair& repair) {
  return {capitalised(std::move(what)), repair.cost, true,
          changed_lines(workload, repair), repair.leaves};
}

std::vector<ChangedLine> changed_lines(const Workload& workload,
                                       const txscope::Repair& repair) {
  std::vector<ChangedLine> out;
  for (const LineChange& one : repair.lines)
    out.push_back({place_of_line(workload, one.line), one.before, one.after});
  return out;
}

}  // namespace txscope::report::document
