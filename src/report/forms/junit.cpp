#include <algorithm>

#include "base/printable.h"
#include "report/forms/forms.h"
#include "report/page/wrap.h"

namespace txscope::report::forms {
namespace {

using document::Question;
using document::Tone;

/// XML 1.0 has no control characters, not even as references.
std::string xml_text(const std::string& text) {
  std::string out;
  std::string shown = printable(text, Lines::Keep);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&apos;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default:
        // U+FFFE and U+FFFF are no characters of XML.
        if (shown.compare(i, 2, "\xEF\xBF") == 0 && i + 2 < shown.size() &&
            static_cast<unsigned char>(shown[i + 2]) >= 0xBE) {
          out += "\xEF\xBF\xBD";
          i += 2;
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string details(const document::Document& document,
                    const Question& question) {
  std::string text;
  for (const std::string& id : question.findings)
    for (const document::Finding& finding : document.findings) {
      if (finding.id != id) continue;
      text += finding.title + " [" + finding.id + "]\n";
      if (finding.place.line != 0) text += to_string(finding.place) + "\n";
      for (const document::Step& step : finding.steps)
        text += (step.lane < finding.lanes.size() ? finding.lanes[step.lane]
                                                  : std::string()) +
                ": " + step.text +
                (step.seen.empty() ? "" : " -> " + step.seen) + "\n";
      for (const document::Mismatch& one : finding.mismatches)
        text +=
            "expected: " + one.expected + "\nobserved: " + one.observed + "\n";
      if (finding.rule && !finding.rule->numbers.empty())
        text += "in the end: " + finding.rule->numbers + "\n";
      for (const document::Repair& repair : finding.repairs)
        text += "fix: " + repair.what + "\n";
    }
  return text;
}

bool is_accepted(const document::Document& document, const Question& question) {
  if (question.findings.empty()) return false;
  return std::all_of(question.findings.begin(), question.findings.end(),
                     [&](const std::string& id) {
                       return std::any_of(
                           document.findings.begin(), document.findings.end(),
                           [&](const document::Finding& finding) {
                             return finding.id == id &&
                                    finding.triage.is_suppressed();
                           });
                     });
}

struct Suite {
  std::string name;
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
};

std::string counts(const Suite& suite) {
  return " tests=\"" + std::to_string(suite.tests) + "\" failures=\"" +
         std::to_string(suite.failures) + "\" errors=\"" +
         std::to_string(suite.errors) + "\"";
}

/// A line of its own in the text: the schema that Jenkins holds files to has no
/// attributes for it.
std::string where(const Question& question) {
  if (question.place.line != 0) return to_string(question.place) + "\n";
  const std::string& file =
      question.place.file.empty() ? question.input : question.place.file;
  return file.empty() ? "" : file + "\n";
}

/// Where the question has no reason of its own, that of what shows it.
std::string why_of(const document::Document& document,
                   const Question& question) {
  if (!question.why.empty()) return question.why;
  for (const std::string& id : question.findings)
    for (const document::Finding& finding : document.findings)
      if (finding.id == id) return finding.title;
  return "no reason is known";
}

void add_case(const document::Document& document, const Question& question,
              Suite& suite) {
  const std::string name_of =
      question.name.empty() ? question.group : question.name;
  ++suite.tests;
  suite.cases +=
      "    <testcase name=\"" + xml_text(name_of) + "\" classname=\"" +
      xml_text("txscope." + document.verb + "." + question.group) + "\"";
  suite.cases += " time=\"0\"";
  const std::string why = why_of(document, question);
  if (question.tone == Tone::Bad && is_accepted(document, question)) {
    ++suite.skipped;
    suite.cases +=
        ">\n      <skipped message=\"accepted\"/>\n    </testcase>\n";
  } else if (question.tone == Tone::Bad && question.is_aside) {
    suite.cases += ">\n      <system-out>" +
                   xml_text("violated, which does not count: " + why) +
                   "</system-out>\n    </testcase>\n";
  } else if (question.tone == Tone::Bad) {
    ++suite.failures;
    suite.cases += ">\n      <failure message=\"" + xml_text(why) +
                   "\" type=\"violated\">" +
                   xml_text(where(question) + details(document, question)) +
                   "</failure>\n    </testcase>\n";
  } else if (question.tone == Tone::Open && !question.is_aside) {
    ++suite.errors;
    suite.cases += ">\n      <error message=\"" +
                   xml_text("undecided: " + why) + "\" type=\"undecided\">" +
                   xml_text(where(question)) + "</error>\n    </testcase>\n";
  } else {
    suite.cases += "/>\n";
  }
}

}  // namespace

std::string junit(const document::Document& document) {
  std::vector<Suite> suites;
  for (const Question& question : document.questions) {
    auto suite = std::find_if(
        suites.begin(), suites.end(),
        [&](const Suite& one) { return one.name == question.group; });
    if (suite == suites.end()) {
      suites.push_back({question.group, "", 0, 0, 0, 0});
      suite = suites.end() - 1;
    }
    add_case(document, question, *suite);
  }
  // Never green for nothing.
  if (suites.empty()) {
    suites.push_back({"txscope", "", 0, 0, 0, 0});
    Question nothing;
    nothing.group = "txscope";
    nothing.name = document.verb;
    nothing.tone = Tone::Open;
    nothing.why = "nothing was asked";
    add_case(document, nothing, suites.back());
  }
  Suite all{"txscope " + document.verb, "", 0, 0, 0, 0};
  std::string body;
  for (const Suite& suite : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    body += "  <testsuite name=\"" + xml_text(suite.name) + "\"" +
            counts(suite) + " skipped=\"" + std::to_string(suite.skipped) +
            "\" time=\"0\">\n" + suite.cases + "  </testsuite>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"" +
         xml_text(all.name) + "\"" + counts(all) + " time=\"0\">\n" + body +
         "</testsuites>\n";
}

}  // namespace txscope::report::forms
