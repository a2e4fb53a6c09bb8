// One line per finding, as compilers write it.
#include "base/printable.h"
#include "report/forms/forms.h"

namespace txscope::report::forms {
namespace {

using document::Tone;

std::string compiler_line(const Place& place, std::string_view severity,
                          const std::string& text) {
  Place known = place;
  if (known.line == 0) known.line = 1;
  if (known.column == 0) known.column = 1;
  return printable(known.file, Lines::Show) + ":" + std::to_string(known.line) +
         ":" + std::to_string(known.column) + ": " + std::string(severity) +
         ": " + printable(text, Lines::Show) + "\n";
}

}  // namespace

std::string lines(const document::Document& document) {
  std::string out;
  const std::string input =
      document.inputs.empty() ? document.verb : document.inputs.front();
  for (const document::Finding& finding : document.findings) {
    if (finding.tone == Tone::Good || finding.triage.is_suppressed()) continue;
    Place place = finding.place;
    if (place.file.empty()) place.file = input;
    std::string text = finding.title;
    if (finding.rule && !finding.rule->numbers.empty())
      text += "; " + finding.rule->title + " is " + finding.rule->value + ": " +
              finding.rule->numbers;
    for (const document::Mismatch& one : finding.mismatches)
      text += " (expected " + one.expected + ", observed " + one.observed + ")";
    if (!finding.repairs.empty()) text += "; fix: " + finding.repairs[0].what;
    out += compiler_line(place,
                         finding.tone == Tone::Open ? "warning"
                         : finding.is_aside         ? "note"
                                                    : "error",
                         text + " [" + finding.id + "]");
  }
  for (const document::Question& question : document.questions) {
    if (question.tone != Tone::Open || question.is_aside) continue;
    Place place = question.place;
    if (place.file.empty())
      place.file = question.input.empty() ? input : question.input;
    out += compiler_line(place, "warning",
                         "undecided: " + question.group + " " + question.name +
                             (question.why.empty() ? "" : ": " + question.why));
  }
  return out;
}

}  // namespace txscope::report::forms
