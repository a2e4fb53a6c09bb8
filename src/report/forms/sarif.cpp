#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "report/dictionary/dictionary.h"
#include "report/forms/forms.h"
#include "report/page/char_width.h"
#include "report/page/wrap.h"

namespace txscope::report::forms {
namespace {

using SarifJson = nlohmann::ordered_json;
using document::Finding;
using document::Tone;

/// What GitHub takes of one result at most.
constexpr std::size_t kMostFlowSteps = 10'000;

/// A path as an address: RFC 3986 wants all but a few characters encoded.
std::string uri_of(const std::string& file) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = file.starts_with("/") ? "file://" : "";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || c == '/' || c == '-' ||
                        c == '_' || c == '.' || c == '~');
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string shown_text(const std::string& text) {
  return printable(text, Lines::Show);
}

SarifJson message(const std::string& text) {
  return {{"text", shown_text(text)}};
}

SarifJson location_of(const Place& place, const std::string& said = "") {
  SarifJson location = SarifJson::object();
  if (!place.file.empty()) {
    location["physicalLocation"]["artifactLocation"] = {
        {"uri", uri_of(place.file)}};
    if (place.line != 0) {
      SarifJson region = {{"startLine", place.line}};
      if (place.column != 0) region["startColumn"] = place.column;
      location["physicalLocation"]["region"] = std::move(region);
    }
  }
  if (!said.empty()) location["message"] = message(said);
  return location;
}

std::string step_words(const Finding& finding, const document::Step& step) {
  std::string text = step.lane < finding.lanes.size()
                         ? finding.lanes[step.lane] + ": "
                         : std::string();
  text += step.text;
  if (step.kind == document::Step::Kind::Wait)
    text += " ... waits for " + joined(step.waits_for, " and ");
  else if (step.kind == document::Step::Kind::Error)
    text += " ERROR " + step.code + (step.code.empty() ? "" : " ") + step.seen;
  else if (!step.seen.empty())
    text += " -> " + step.seen;
  for (const std::string& note : step.notes) text += " (" + note + ")";
  return text;
}

/// One thread flow per lane; executionOrder is the order of time across them.
SarifJson code_flows(const Finding& finding) {
  SarifJson threads = SarifJson::array();
  for (std::size_t lane = 0; lane < finding.lanes.size(); ++lane) {
    SarifJson steps = SarifJson::array();
    Place place = finding.place;  // what has none stands with the one before
    for (std::size_t i = 0; i < std::min(finding.steps.size(), kMostFlowSteps);
         ++i) {
      const document::Step& step = finding.steps[i];
      if (step.lane != lane) continue;
      if (step.place.line != 0) place = step.place;
      SarifJson one = {
          {"location", location_of(place, step_words(finding, step))},
          {"executionOrder", i + 1}};
      const bool matters =
          std::any_of(finding.arrows.begin(), finding.arrows.end(),
                      [&](const document::Arrow& arrow) {
                        return arrow.from == i || arrow.to == i;
                      });
      one["importance"] = matters ? "essential" : "important";
      steps.push_back(std::move(one));
    }
    if (steps.empty()) continue;
    threads.push_back({{"id", shown_text(finding.lanes[lane])},
                       {"locations", std::move(steps)}});
  }
  if (threads.empty()) return SarifJson::array();
  return SarifJson::array(
      {{{"message", message("the run, a thread flow per session")},
        {"threadFlows", std::move(threads)}}});
}

/// Characters of a line, as columnKind counts them.
std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
}

SarifJson fix_of(const document::Repair& repair) {
  std::map<std::string, SarifJson> by_file;
  for (const document::ChangedLine& line : repair.diff) {
    SarifJson region = {{"startLine", line.place.line}, {"startColumn", 1}};
    SarifJson replacement;
    if (line.before && !line.after) {
      // With its line break.
      region["endLine"] = line.place.line + 1;
      region["endColumn"] = 1;
      replacement["deletedRegion"] = std::move(region);
      replacement["insertedContent"] = {{"text", ""}};
    } else if (line.before) {
      region["endLine"] = line.place.line;
      region["endColumn"] = code_points(*line.before) + 1;
      replacement["deletedRegion"] = std::move(region);
      replacement["insertedContent"] = {{"text", *line.after}};
    } else {
      region["endColumn"] = 1;
      replacement["deletedRegion"] = std::move(region);
      replacement["insertedContent"] = {
          {"text", line.after.value_or("") + "\n"}};
    }
    by_file[line.place.file].push_back(std::move(replacement));
  }
  SarifJson changes = SarifJson::array();
  for (auto& [file, replacements] : by_file)
    changes.push_back({{"artifactLocation", {{"uri", uri_of(file)}}},
                       {"replacements", std::move(replacements)}});
  return {{"description", message(repair.what)},
          {"artifactChanges", std::move(changes)}};
}

std::string words_of(const Finding& finding) {
  std::string text = finding.title + ".";
  if (!finding.level.empty()) text += " Level: " + finding.level + ".";
  if (finding.rule && !finding.rule->numbers.empty())
    text += " In the end: " + finding.rule->numbers + ".";
  for (const document::Mismatch& one : finding.mismatches)
    text += " Expected: " + one.expected + ". Observed: " + one.observed + ".";
  if (!finding.serial_says.empty()) text += " " + finding.serial_says;
  if (!finding.repairs.empty())
    text += " Fix: " + finding.repairs.front().what + ".";
  return text;
}

class SarifWriter {
 public:
  explicit SarifWriter(const document::Document& document)
      : document_(document) {}

  std::string text() {
    SarifJson results = SarifJson::array();
    for (const Finding& finding : document_.findings)
      if (finding.tone != Tone::Good) results.push_back(result_of(finding));
    for (const document::Question& question : document_.questions)
      if (question.tone == Tone::Open) results.push_back(open_result(question));
    for (const std::string& absent : document_.absent)
      results.push_back(absent_result(absent));
    SarifJson run;
    run["tool"]["driver"] = {{"name", "txscope"},
                             {"version", document_.version},
                             {"semanticVersion", document_.version},
                             {"rules", std::move(rules_)}};
    SarifJson invocation = {{"executionSuccessful", document_.status != 2},
                            {"exitCode", document_.status}};
    if (!document_.command.empty())
      invocation["commandLine"] = shown_text(document_.command);
    SarifJson notices = SarifJson::array();
    for (const std::string& what : document_.not_checked)
      notices.push_back(
          {{"level", "warning"}, {"message", message("not checked: " + what)}});
    for (const std::string& note : document_.notes)
      notices.push_back({{"level", "note"}, {"message", message(note)}});
    if (!notices.empty())
      invocation["toolExecutionNotifications"] = std::move(notices);
    run["invocations"] = SarifJson::array({std::move(invocation)});
    run["columnKind"] = "unicodeCodePoints";
    run["automationDetails"] = {{"id", "txscope/" + document_.verb + "/"}};
    run["results"] = std::move(results);
    const SarifJson log = {
        {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs", SarifJson::array({std::move(run)})}};
    return log.dump(2, ' ', false, SarifJson::error_handler_t::replace) + "\n";
  }

 private:
  std::size_t rule_index(const std::string& kind) {
    const auto [entry, is_new] = rule_of_.emplace(kind, rules_.size());
    if (!is_new) return entry->second;
    const document::KindInfo info = document::kind_info(kind);
    std::string help = info.summary + ".";
    const auto* words = dictionary::find(info.word);
    if (words != nullptr) {
      help += " " + std::string(words->text);
      if (!words->practice.empty())
        help += " What to do: " + std::string(words->practice);
    }
    rules_.push_back({{"id", "txscope/" + kind},
                      {"name", info.title},
                      {"shortDescription", message(info.title)},
                      {"fullDescription", message(info.summary)},
                      {"help", {{"text", help}, {"markdown", help}}},
                      {"defaultConfiguration", {{"level", "error"}}},
                      {"properties",
                       {{"tags", {"concurrency", "database", "transactions"}},
                        {"precision", "very-high"},
                        {"problem.severity", "error"}}}});
    return entry->second;
  }

  SarifJson result_for(const std::string& kind, const std::string& text) {
    const std::size_t rule = rule_index(kind);
    return {{"ruleId", "txscope/" + kind},
            {"ruleIndex", rule},
            {"message", message(text)}};
  }

  SarifJson result_of(const Finding& finding) {
    SarifJson out = result_for(finding.kind, words_of(finding));
    const bool is_open = finding.tone == Tone::Open;
    out["kind"] = is_open ? "open" : "fail";
    out["level"] = is_open ? "none" : finding.is_aside ? "note" : "error";
    Place place = finding.place;
    if (place.file.empty() && !document_.inputs.empty())
      place.file = document_.inputs.front();
    if (!place.file.empty()) {
      if (place.line == 0) place.line = 1;  // where GitHub wants a region
      out["locations"] = SarifJson::array({location_of(place)});
    }
    SarifJson related = SarifJson::array();
    if (finding.rule)
      related.push_back(location_of(finding.rule->place, finding.rule->title));
    for (std::size_t i = 0; i < related.size(); ++i) related[i]["id"] = i + 1;
    if (!related.empty()) out["relatedLocations"] = std::move(related);
    out["partialFingerprints"] = {{"txscopeFinding/v1", finding.id}};
    if (SarifJson flows = code_flows(finding); !flows.empty())
      out["codeFlows"] = std::move(flows);
    SarifJson fixes = SarifJson::array();
    for (const document::Repair& repair : finding.repairs)
      if (!repair.diff.empty()) fixes.push_back(fix_of(repair));
    if (!fixes.empty()) out["fixes"] = std::move(fixes);
    if (finding.triage.is_suppressed()) {
      SarifJson suppression = {{"kind", "external"}, {"status", "accepted"}};
      suppression["justification"] =
          shown_text(finding.triage.note.empty() ? finding.triage.mark
                                                 : finding.triage.note);
      out["suppressions"] = SarifJson::array({std::move(suppression)});
    } else if (!finding.triage.baseline.empty()) {
      out["suppressions"] = SarifJson::array();
    }
    if (!finding.triage.baseline.empty())
      out["baselineState"] = finding.triage.baseline;
    out["properties"] = {{"isolationLevel", finding.level}};
    return out;
  }

  SarifJson open_result(const document::Question& question) {
    SarifJson out = result_for(
        "undecided", "Not decided: " + question.group + " " + question.name +
                         (question.why.empty() ? "" : ": " + question.why));
    out["kind"] = "open";
    out["level"] = "none";
    Place place = question.place;
    if (place.file.empty()) place.file = question.input;
    if (!place.file.empty()) {
      if (place.line == 0) place.line = 1;
      out["locations"] = SarifJson::array({location_of(place)});
    }
    out["partialFingerprints"] = {
        {"txscopeFinding/v1",
         "undecided-" + document::fingerprint(
                            {question.group, question.name, question.input})}};
    return out;
  }

  SarifJson absent_result(const std::string& absent) {
    const std::string id = absent.substr(0, absent.find(':'));
    SarifJson out = result_for("anomaly", "Gone: " + absent);
    out["kind"] = "fail";
    out["level"] = "note";
    out["baselineState"] = "absent";
    out["partialFingerprints"] = {{"txscopeFinding/v1", id}};
    return out;
  }

  const document::Document& document_;
  SarifJson rules_ = SarifJson::array();
  std::map<std::string, std::size_t> rule_of_;
};

}  // namespace

std::string sarif(const document::Document& document) {
  return SarifWriter(document).text();
}

}  // namespace txscope::report::forms
