#include "verb/answer/envelope.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/budget.h"
#include "report/analyze_report.h"
#include "report/answer_report.h"
#include "report/audit_report.h"
#include "report/forms/forms.h"
#include "report/html/html.h"
#include "report/model_report.h"
#include "report/page/dot.h"
#include "report/page/wrap.h"
#include "report/race/race_report.h"
#include "report/robust_report.h"
#include "report/verify_report.h"
#include "txscope/status.h"
#include "verb/answer/detail.h"
#include "verb/answer/document.h"
#include "verb/answer/input_lines.h"
#include "verb/answer/shown.h"

namespace txscope::verb {
namespace {

using Json = nlohmann::ordered_json;

/// Beside a verdict, which keeps its value: that it is one of nothing, and
/// what a shell is told of besides.
void mark(const Report& report, Json& results) {
  for (Json& result : results) {
    if (!result.is_object()) continue;
    if (!result.contains("level")) {
      if (!report.checked.is_vacuous()) continue;
      result["vacuous"] = true;
      result["vacuous_because"] = report.checked.vacuous_because;
      continue;
    }
    std::set<std::string> fails;
    for (const Finding& finding : report.findings) {
      if (!result["level"].is_string() || finding.level != result["level"])
        continue;
      if (result.contains("property") && result["property"].is_string() &&
          finding.property != result["property"])
        continue;
      if (finding.outcome == Outcome::Violated && !finding.is_aside)
        fails.insert(std::string(name(finding.about)));
      if (finding.vacuous_because.empty() || result.contains("vacuous"))
        continue;
      result["vacuous"] = true;
      result["vacuous_because"] = finding.vacuous_because;
    }
    if (!fails.empty()) result["fails"] = fails;
  }
}

Json checked_json(const Checked& checked) {
  Json json;
  json["rules"] = checked.rules;
  json["sessions"] = checked.sessions;
  json["transactions"] = checked.transactions;
  json["committed"] = checked.committed;
  json["statements"] = checked.statements;
  json["skipped"] = checked.skipped;
  if (!checked.skipped_because.empty())
    json["skipped_because"] = checked.skipped_because;
  json["executions"] = checked.executions;
  if (!checked.considered.empty()) json["considered"] = checked.considered;
  json["vacuous"] = checked.is_vacuous();
  if (checked.is_vacuous()) json["vacuous_because"] = checked.vacuous_because;
  if (!checked.partly.empty()) json["partly"] = checked.partly;
  return json;
}

// "3 histories: 2 hold, 1 violated", and a line for each.
std::string summary(const std::vector<CheckedInput>& said,
                    const std::vector<std::string>& inputs) {
  std::size_t count = 0, holding = 0, violated = 0, undecided = 0, wrong = 0;
  std::size_t width = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    count += said[i].lines.size();
    holding += said[i].holding;
    violated += said[i].violated;
    undecided += said[i].undecided;
    if (said[i].problem)
      ++wrong, width = std::max(width, report::columns(inputs[i]));
    for (const auto& line : said[i].lines)
      width = std::max(width, report::columns(line.name));
  }
  std::string text = report::grouped(count);
  text += count == 1 ? " history: " : " histories: ";
  text += report::grouped(holding) + " without a violation, " +
          report::grouped(violated) + " violated";
  if (undecided > 0) text += ", " + report::grouped(undecided) + " undecided";
  if (wrong > 0)
    text += "; " + report::counted(wrong, "file") + " could not be read";
  text += "\n";
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (said[i].problem)
      text += "  " + report::padded(inputs[i], width) + "  could not be read\n";
    for (const auto& line : said[i].lines)
      text +=
          "  " + report::padded(line.name, width) + "  " + line.headline + "\n";
  }
  return text;
}

/// In words.
struct TextWriter {
  const Report& report;

  std::string operator()(const CheckDetail& found) const {
    std::string text;
    for (const CheckedInput& one : found.inputs) {
      if (!text.empty() && !one.text.empty()) text += "\n";
      text += one.text;
    }
    if (found.inputs.size() > 1)
      text += "\n" + summary(found.inputs, report.inputs);
    return text;
  }
  std::string operator()(const ExploreDetail& found) const {
    return report::answer_text(shown(report, found));
  }
  std::string operator()(const VerifyDetail& found) const {
    return report::verify_text(shown(report, found));
  }
  std::string operator()(const RobustDetail& found) const {
    return report::robust_text(found.report);
  }
  std::string operator()(const AuditDetail& found) const {
    return report::audit_text(found.report, found.header, input_of(report),
                              report.checked.vacuous_because);
  }
  std::string operator()(const ModelDetail& found) const {
    return report.failure ? report::model_trace_text(shown(report, found))
                          : report::model_text(shown(report, found));
  }
  std::string operator()(const RaceDetail& found) const {
    return report::race_text(shown(report, found));
  }
  std::string operator()(const ReplayDetail& found) const {
    return report::replay_text(shown(report, found));
  }
  std::string operator()(const FollowDetail& found) const {
    return report::replayed_text(found.replayed, found.database);
  }
  std::string operator()(const ScriptDetail& found) const { return found.text; }
  std::string operator()(const AnalyzeDetail& found) const {
    if (found.is_quiet) return report::analyze_lines(found.found);
    return (found.compared
                ? report::comparison_text(found.found, *found.compared)
                : std::string()) +
           report::analyze_text(found.found);
  }
  std::string operator()(const ExplainDetail& found) const {
    return found.text;
  }
};

/// The elements of "results".
struct JsonWriter {
  const Report& report;

  Json operator()(const CheckDetail& found) const {
    Json results = Json::array();
    for (std::size_t i = 0; i < found.inputs.size(); ++i) {
      const CheckedInput& one = found.inputs[i];
      if (one.problem)
        results.push_back({{"input", report.inputs[i]},
                           {"error", error_fields(*one.problem)}});
      for (const Json& result : one.results) results.push_back(result);
    }
    return results;
  }
  Json operator()(const ExploreDetail& found) const {
    return report::answer_json(shown(report, found));
  }
  Json operator()(const VerifyDetail& found) const {
    return report::verify_json(shown(report, found));
  }
  Json operator()(const RobustDetail& found) const {
    return report::robust_json(found.report);
  }
  Json operator()(const AuditDetail& found) const {
    return report::audit_json(found.report, found.seconds, found.evidence);
  }
  Json operator()(const ModelDetail& found) const {
    return Json::array({report::model_json(shown(report, found))});
  }
  Json operator()(const RaceDetail& found) const {
    return Json::array({report::race_json(shown(report, found))});
  }
  Json operator()(const ReplayDetail& found) const {
    return Json::array({report::replay_json(shown(report, found))});
  }
  Json operator()(const FollowDetail& found) const {
    return report::replayed_json(found.replayed, found.database);
  }
  Json operator()(const ScriptDetail& found) const {
    return Json::array({{{"verdict", "not run"},
                         {"level", found.level},
                         {"property", found.property},
                         {"form", found.form},
                         {"script", found.text}}});
  }
  Json operator()(const AnalyzeDetail& found) const {
    Json one = report::analyze_json(found.found);
    if (found.compared)
      one["before"] = report::comparison_json(found.found, *found.compared);
    return Json::array({std::move(one)});
  }
  Json operator()(const ExplainDetail& found) const { return found.results; }
};

/// For Graphviz; what has no picture is empty.
struct DotWriter {
  const Report& report;

  std::string operator()(const CheckDetail& found) const {
    std::string text;
    for (const CheckedInput& one : found.inputs) text += one.dot;
    return report::dot_graph(text);
  }
  std::string operator()(const ExploreDetail& found) const {
    return report::answer_dot(shown(report, found));
  }
  std::string operator()(const VerifyDetail& found) const {
    return report::verify_dot(shown(report, found));
  }
  std::string operator()(const RobustDetail& found) const {
    return report::robust_dot(found.report);
  }
  std::string operator()(const AuditDetail&) const { return ""; }
  std::string operator()(const ModelDetail& found) const {
    return report::model_dot(shown(report, found));
  }
  std::string operator()(const RaceDetail&) const { return ""; }
  std::string operator()(const ReplayDetail&) const { return ""; }
  std::string operator()(const FollowDetail&) const { return ""; }
  std::string operator()(const ScriptDetail&) const { return ""; }
  std::string operator()(const AnalyzeDetail& found) const {
    return report::analyze_dot(found.found);
  }
  std::string operator()(const ExplainDetail&) const { return ""; }
};

}  // namespace

std::string text(const Report& report) {
  if (report.detail == nullptr) return report.summary;
  return std::visit(TextWriter{report}, report.detail->found);
}

std::string json(const Report& report) {
  Json results = Json::array();
  if (report.detail != nullptr)
    results = std::visit(JsonWriter{report}, report.detail->found);
  const bool judges = !report.findings.empty();
  if (judges && report.verb != "check") mark(report, results);
  return json_envelope(report.verb, report.inputs, std::move(results),
                       report.seconds,
                       judges ? checked_json(report.checked) : Json());
}

std::string dot(const Report& report) {
  if (report.detail == nullptr) return "";
  return std::visit(DotWriter{report}, report.detail->found);
}

namespace {

struct DocumentFormat {
  std::string_view name;
  std::string (*write)(const report::document::Document&);
  bool shows_sources = false;
};
constexpr DocumentFormat kDocumentFormats[] = {
    {"html", &report::html, true},      {"sarif", &report::forms::sarif},
    {"junit", &report::forms::junit},   {"github", &report::forms::github},
    {"gitlab", &report::forms::gitlab}, {"markdown", &report::forms::markdown},
    {"csv", &report::forms::csv},       {"lines", &report::forms::lines},
};

const DocumentFormat* document_format(std::string_view name) {
  for (const DocumentFormat& format : kDocumentFormats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace

bool is_document_format(std::string_view format) {
  return document_format(format) != nullptr;
}

std::string written(const Report& report, std::string_view format,
                    const DocumentContext& context) {
  if (const DocumentFormat* known = document_format(format)) {
    report::document::Document document = document_of(report, context);
    if (known->shows_sources && context.inputs_are_files)
      add_input_lines(document);
    return known->write(document);
  }
  if (format == "json") return json(report);
  return format == "dot" ? dot(report) : text(report);
}

}  // namespace txscope::verb
