#include "verb/answer/input_lines.h"

#include <algorithm>
#include <filesystem>

#include "read/input.h"
#include "report/document/source_pieces.h"
#include "report/page/wrap.h"

namespace txscope::verb {
namespace {

using report::document::KnownLines;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of one file
constexpr std::size_t kLongestLine = 400;                     // columns

std::vector<Place> places_of(const report::document::Finding& finding) {
  std::vector<Place> places;
  for (const report::document::Step& step : finding.steps)
    places.push_back(step.place);
  if (places.empty()) places.push_back(finding.place);
  if (finding.rule) places.push_back(finding.rule->place);
  return places;
}

bool needs_lines(const report::document::Finding& finding) {
  return finding.sources.empty();
}

report::document::LineNumbers wanted_lines(
    const report::document::Document& document) {
  report::document::LineNumbers wanted;
  for (const report::document::Finding& finding : document.findings) {
    if (!needs_lines(finding)) continue;
    for (const Place& place : places_of(finding))
      if (place.line != 0) wanted[place.file].insert(place.line);
  }
  return wanted;
}

/// All lines of a small file, else those near the wanted ones.
KnownLines read_lines(const std::string& file,
                      const std::set<std::uint64_t>& wanted) {
  KnownLines known;
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return known;
  auto input = read::Input::open(file);
  if (!input) return known;
  input->expect_text();
  const std::uint64_t last =
      std::max<std::uint64_t>(*wanted.rbegin() + report::document::kLinesAround,
                              report::document::kWholeFile + 1);
  auto next = wanted.begin();
  std::string_view line;
  while (input->line() < last && input->offset() < kMostBytes) {
    if (!input->next_line(line)) {
      known.is_all = !input->error();
      break;
    }
    const std::uint64_t number = input->line();
    while (next != wanted.end() &&
           *next + report::document::kLinesAround < number)
      ++next;
    const bool is_near = next != wanted.end() &&
                         number + report::document::kLinesAround >= *next;
    if (is_near || number <= report::document::kWholeFile)
      known.by_number.emplace(
          number, report::shortened(std::string(line), kLongestLine));
  }
  if (known.by_number.size() != input->line()) known.is_all = false;
  if (input->error()) known = {};
  return known;
}

}  // namespace

void add_input_lines(report::document::Document& document) {
  std::map<std::string, KnownLines> files;
  for (const auto& [file, wanted] : wanted_lines(document))
    files.emplace(file, read_lines(file, wanted));
  for (report::document::Finding& finding : document.findings)
    if (needs_lines(finding))
      finding.sources = report::document::source_pieces(
          places_of(finding), [&](const std::string& file) {
            const auto known = files.find(file);
            return known == files.end() ? nullptr : &known->second;
          });
}

}  // namespace txscope::verb
