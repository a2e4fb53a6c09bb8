// The whole page.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace html_page {
namespace {

using document::Document;
using document::Finding;
using document::Tone;

std::string head(const Document& document, const std::string& own_style) {
  const std::string policy =
      "default-src 'none'; style-src " + policy_hash(style_sheet()) + " " +
      policy_hash(own_style) + "; script-src " + policy_hash(script()) +
      "; base-uri 'none'; form-action 'none'";
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
         "charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"" +
         policy +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
         "dark\">\n<meta name=\"generator\" content=\"txscope " +
         text(document.version) + "\">\n<title>" + text(document.verdict) +
         ": " + text(joined(document.inputs, ", ")) + " - txscope " +
         text(document.verb) + "</title>\n<style>" +
         std::string(style_sheet()) + "</style>\n<style>" + own_style +
         "</style>\n</head>\n";
}

std::string banner(const Document& document) {
  std::string out = "<header class=\"banner " +
                    std::string(name(document.tone)) +
                    "\">\n<p class=\"what\">txscope <strong>" +
                    text(document.verb) + "</strong> <span class=\"inputs\">";
  for (std::size_t i = 0; i < document.inputs.size() && i < 5; ++i)
    out += (i > 0 ? ", " : "") + text(document.inputs[i]);
  if (document.inputs.size() > 5)
    out += " and " + std::to_string(document.inputs.size() - 5) + " more";
  out += "</span></p>\n<h1><span class=\"verdict " +
         std::string(name(document.tone)) + "\">" + text(document.verdict) +
         "</span> " + text(document.headline) + "</h1>\n";
  for (const std::string& line : document.lead)
    out += "<p class=\"lead\">" + text(line) + "</p>\n";
  if (!document.command.empty())
    out += "<p class=\"command\"><code id=\"command\">" +
           text(document.command) + "</code> " + copy_button("command") +
           "</p>\n";
  return out + "</header>\n";
}

/// How many findings of each kind.
std::string contents(const Document& document) {
  if (document.findings.empty()) return "";
  std::string out =
      "<nav class=\"contents-list\" aria-label=\"Findings\"><h2>Findings</h2>";
  std::map<std::string, std::size_t> kinds;
  for (const Finding& finding : document.findings) ++kinds[finding.kind];
  if (document.findings.size() > 8) {
    out += "<p class=\"kinds\">";
    for (const auto& [kind, count] : kinds)
      out += "<span class=\"kind\">" + text(document::kind_info(kind).title) +
             " " + std::to_string(count) + "</span> ";
    out += "</p>";
    out +=
        "<label class=\"needs-script filter\">find <input type=\"search\" "
        "id=\"find\"></label>";
  }
  out += "<ol>";
  for (const Finding& finding : document.findings)
    out += "<li class=\"" + std::string(name(finding.tone)) +
           (finding.triage.is_suppressed() ? " suppressed" : "") +
           "\"><a href=\"#" + anchor(finding.id) + "\">" + text(finding.title) +
           "</a>" +
           (finding.level.empty()
                ? ""
                : " <span class=\"level\">" + text(finding.level) + "</span>") +
           "</li>";
  out +=
      "</ol><p class=\"needs-script\"><button type=\"button\" "
      "id=\"save\">Save with my marks</button> <span id=\"saved\" "
      "role=\"status\"></span></p></nav>\n";
  return out;
}

std::string checked(const Document& document) {
  std::string out = "<section class=\"checked\"><h2>What was checked</h2>";
  if (!document.checked.empty()) {
    out += "<dl class=\"facts\">";
    for (const document::Fact& fact : document.checked)
      out += "<div><dt>" + text(fact.label) + "</dt><dd>" + text(fact.text) +
             "</dd></div>";
    out += "</dl>";
  }
  const auto list = [&](const char* title,
                        const std::vector<std::string>& all) {
    if (all.empty()) return;
    out += std::string("<h3>") + title + "</h3><ul>";
    for (const std::string& one : all) out += "<li>" + text(one) + "</li>";
    out += "</ul>";
  };
  list("Not checked", document.not_checked);
  list("Notes", document.notes);
  list("Known findings that are gone", document.absent);
  std::size_t open = 0;
  for (const document::Question& question : document.questions)
    open += question.tone == Tone::Open ? 1 : 0;
  if (open > 0) {
    out += "<h3>Undecided</h3><ul class=\"undecided\">";
    std::size_t shown = 0;
    for (const document::Question& question : document.questions) {
      if (question.tone != Tone::Open || ++shown > 50) continue;
      out += "<li>" + text(question.group) +
             (question.name.empty() ? "" : " " + text(question.name)) +
             (question.why.empty() ? "" : ": " + text(question.why)) + "</li>";
    }
    if (open > 50) out += "<li>and " + std::to_string(open - 50) + " more</li>";
    out += "</ul>";
  }
  return out + "</section>\n";
}

/// What `--baseline` reads back.
std::string known_findings(const Document& document) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Finding& finding : document.findings)
    all.push_back({{"id", finding.id},
                   {"kind", finding.kind},
                   {"title", finding.title},
                   {"mark", finding.triage.mark},
                   {"note", finding.triage.note}});
  const Json json = {{"tool", "txscope"},
                     {"version", document.version},
                     {"verb", document.verb},
                     {"findings", std::move(all)}};
  return "<script type=\"application/json\" id=\"txscope-findings\">" +
         data_block(json.dump(-1, ' ', false, Json::error_handler_t::replace)) +
         "</script>\n";
}

}  // namespace
}  // namespace html_page

std::string html(const document::Document& document) {
  using namespace html_page;
  PlaceRules places;
  std::string body =
      "<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
      "findings</a>\n" +
      banner(document) + "<div class=\"layout" +
      (document.findings.empty() ? "" : " with-list") + "\">\n" +
      contents(document) + "<main id=\"main\">\n";
  for (const document::Grid& grid : document.grids)
    body += grid_markup(grid, document);
  for (std::size_t i = 0; i < document.overviews.size(); ++i)
    body += overview_markup(document.overviews[i], i + 1);
  for (std::size_t i = 0; i < document.findings.size(); ++i)
    body += finding_markup(document.findings[i], i + 1, places);
  body += checked(document) + "</main>\n</div>\n<footer>txscope " +
          text(document.version) +
          ". This file needs no network and no server.</footer>\n" +
          known_findings(document) + "<script>" + std::string(script()) +
          "</script>\n</body>\n</html>\n";
  return head(document, places.css()) + body;
}

}  // namespace txscope::report
