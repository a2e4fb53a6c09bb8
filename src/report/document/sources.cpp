// The user's own text: pieces around what happens, and changes of lines.
#include <algorithm>

#include "report/document/from_engines.h"
#include "report/document/source_pieces.h"

namespace txscope::report::document {
namespace {

KnownLines lines_of(const std::string& text) {
  KnownLines known;
  known.is_all = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t last = end;
    if (last > begin && text[last - 1] == '\r') --last;
    known.by_number.emplace(known.by_number.size() + 1,
                            text.substr(begin, last - begin));
    begin = end + 1;
  }
  return known;
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
  KnownLines known;
  return source_pieces(places, [&](const std::string& file) {
    const std::string* text = text_of(workload, file);
    if (text != nullptr) known = lines_of(*text);
    return text == nullptr ? nullptr : &known;
  });
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
