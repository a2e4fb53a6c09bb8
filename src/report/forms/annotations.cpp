// Annotations at the lines of a pull request.
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "report/forms/forms.h"

namespace txscope::report::forms {
namespace {

using document::Finding;
using document::Tone;

/// Data of a workflow command: its end and `%` are encoded.
std::string command_data(const std::string& text) {
  std::string out;
  for (const char c : printable(text, Lines::Keep)) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else
      out += c;
  }
  return out;
}

/// The value of a property: `:` and `,` end it.
std::string command_property(const std::string& text) {
  std::string out;
  for (const char c : command_data(text)) {
    if (c == ':')
      out += "%3A";
    else if (c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string body_of(const Finding& finding) {
  std::string text = finding.title;
  if (finding.rule && !finding.rule->numbers.empty())
    text += "\nIn the end: " + finding.rule->numbers;
  for (const document::Mismatch& one : finding.mismatches)
    text += "\nExpected: " + one.expected + "\nObserved: " + one.observed;
  for (std::size_t i = 0; i < finding.repairs.size() && i < 2; ++i)
    text += "\nFix: " + finding.repairs[i].what;
  return text + "\n[" + finding.id + "]";
}

std::string command(std::string_view kind, const Place& place,
                    const std::string& title, const std::string& text) {
  std::string out = "::" + std::string(kind);
  std::string properties;
  const auto add = [&](const std::string& name, const std::string& value) {
    properties += (properties.empty() ? " " : ",") + name + "=" + value;
  };
  if (!place.file.empty()) add("file", command_property(place.file));
  if (place.line != 0) add("line", std::to_string(place.line));
  if (place.column != 0) add("col", std::to_string(place.column));
  add("title", command_property(title));
  return out + properties + "::" + command_data(text) + "\n";
}

Place place_of(const document::Document& document, const Finding& finding) {
  Place place = finding.place;
  if (place.file.empty() && !document.inputs.empty())
    place.file = document.inputs.front();
  return place;
}

}  // namespace

std::string github(const document::Document& document) {
  std::string out;
  for (const Finding& finding : document.findings) {
    if (finding.tone == Tone::Good || finding.triage.is_suppressed()) continue;
    const std::string_view kind = finding.tone == Tone::Open ? "warning"
                                  : finding.is_aside         ? "notice"
                                                             : "error";
    out += command(kind, place_of(document, finding),
                   "txscope: " + document::kind_info(finding.kind).title,
                   body_of(finding));
  }
  for (const document::Question& question : document.questions) {
    if (question.tone != Tone::Open || question.is_aside) continue;
    Place place = question.place;
    if (place.file.empty()) place.file = question.input;
    out += command("warning", place, "txscope: undecided",
                   question.group + " " + question.name +
                       (question.why.empty() ? "" : ": " + question.why));
  }
  const std::string_view kind = document.tone == Tone::Bad    ? "error"
                                : document.tone == Tone::Good ? "notice"
                                                              : "warning";
  return out + command(kind, {}, "txscope " + document.verb,
                       document.verdict + ": " + document.headline);
}

std::string gitlab(const document::Document& document) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  const auto add = [&](const std::string& check, const std::string& text,
                       const std::string& fingerprint,
                       const std::string& severity, const Place& place) {
    all.push_back(
        {{"description", printable(text, Lines::Show)},
         {"check_name", check},
         {"fingerprint", fingerprint},
         {"severity", severity},
         {"location",
          {{"path", place.file},
           {"lines", {{"begin", place.line == 0 ? 1 : place.line}}}}}});
  };
  for (const Finding& finding : document.findings) {
    if (finding.tone == Tone::Good || finding.triage.is_suppressed()) continue;
    add("txscope/" + finding.kind,
        finding.title + (finding.repairs.empty()
                             ? ""
                             : ". Fix: " + finding.repairs.front().what),
        finding.id,
        finding.tone == Tone::Open ? "minor"
        : finding.is_aside         ? "info"
                                   : "critical",
        place_of(document, finding));
  }
  for (const document::Question& question : document.questions) {
    if (question.tone != Tone::Open || question.is_aside) continue;
    Place place = question.place;
    if (place.file.empty()) place.file = question.input;
    add("txscope/undecided",
        "Not decided: " + question.group + " " + question.name,
        "undecided-" + document::fingerprint(
                           {question.group, question.name, question.input}),
        "minor", place);
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace txscope::report::forms
