// One finding: what goes wrong, how to repair it, the run, why it is wrong.
#include "report/html/parts.h"
#include "report/page/wrap.h"

namespace txscope::report::html_page {
namespace {

using document::Finding;

std::string facts(const Finding& finding) {
  if (finding.facts.empty()) return "";
  std::string out = "<dl class=\"facts\">";
  for (const document::Fact& fact : finding.facts)
    out += "<div><dt>" + text(fact.label) + "</dt><dd>" + text(fact.text) +
           "</dd></div>";
  return out + "</dl>\n";
}

std::string diff(const std::vector<document::ChangedLine>& lines_changed) {
  if (lines_changed.empty()) return "";
  std::string out =
      "<div class=\"diff\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Change of the source\">";
  std::string file;
  for (const document::ChangedLine& line : lines_changed) {
    if (line.place.file != file)
      out += "<div class=\"file\">" + text(line.place.file) + "</div>";
    file = line.place.file;
    const std::string number =
        "<span class=\"ln\">" + std::to_string(line.place.line) + "</span>";
    if (line.before)
      out += "<div class=\"del\">" + number + "<del><code>- " +
             text(*line.before) + "</code></del></div>";
    if (line.after)
      out += "<div class=\"ins\">" + number + "<ins><code>+ " +
             text(*line.after) + "</code></ins></div>";
  }
  return out + "</div>";
}

std::string repairs(const Finding& finding) {
  if (finding.repairs.empty()) return "";
  std::string out = "<section class=\"repairs\"><h3>What to do</h3><ul>";
  for (const document::Repair& repair : finding.repairs) {
    out += "<li>" +
           std::string(repair.is_tried ? "<span class=\"tried\">tried</span> "
                                       : "<span class=\"untried\">not tried"
                                         "</span> ") +
           text(repair.what);
    if (!repair.cost.empty())
      out += " <span class=\"cost\">" + text(repair.cost) + "</span>";
    if (!repair.leaves.empty())
      out += " <span class=\"cost\">does not repair: " + text(repair.leaves) +
             "</span>";
    out += diff(repair.diff) + "</li>";
  }
  return out + "</ul></section>\n";
}

std::string rule(const Finding& finding) {
  if (!finding.rule) return "";
  const document::Rule& rule = *finding.rule;
  std::string out = "<section class=\"rule\"><h3>" + text(rule.title) +
                    " <span "
                    "class=\"place\">" +
                    text(place_text(rule.place)) + "</span></h3><p><code>" +
                    text(rule.text) + "</code></p><p>";
  if (!rule.numbers.empty())
    out += "In the end: <code class=\"numbers\">" + text(rule.numbers) +
           "</code>, so it is <strong>" + text(rule.value) + "</strong>.";
  else
    out += "In the end it is <strong>" + text(rule.value) + "</strong>.";
  return out + "</p></section>\n";
}

std::string serial(const Finding& finding) {
  if (finding.serial.empty()) return "";
  std::string out =
      "<section class=\"serial\"><h3>One after the other</h3><p>" +
      text(finding.serial_says) +
      "</p><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Serial orders\"><table "
      "class=\"serialruns\"><thead><tr><th "
      "scope=\"col\">order</th><th scope=\"col\">leads "
      "to</th></tr></thead><tbody>";
  for (const document::SerialOrder& one : finding.serial)
    out += "<tr class=\"" + std::string(one.breaks ? "fail" : "pass") +
           "\"><td>" + text(one.order) + "</td><td>" + text(one.result) +
           "</td></tr>";
  return out + "</tbody></table></div></section>\n";
}

std::string mismatches(const Finding& finding) {
  std::string out;
  for (const document::Mismatch& one : finding.mismatches)
    out +=
        "<section class=\"mismatch\"><h3>What cannot be explained</h3>"
        "<p><code class=\"sql\">" +
        text(one.statement) +
        "</code></p><div class=\"sides\"><div><h4>expected</h4><pre>" +
        lines(one.expected.empty() ? "nothing explains it" : one.expected) +
        "</pre></div><div><h4>observed</h4><pre>" + lines(one.observed) +
        "</pre></div></div></section>\n";
  return out;
}

std::string end_state(const Finding& finding) {
  if (finding.end.empty()) return "";
  return "<section class=\"end\"><h3>In the end</h3><div class=\"tables\" "
         "tabindex=\"0\" role=\"group\" aria-label=\"Tables in the end\">" +
         tables_markup(finding.end) + "</div></section>\n";
}

std::string scripts(const Finding& finding) {
  std::string out;
  std::size_t number = 0;
  for (const document::Script& script : finding.scripts) {
    const std::string id =
        anchor(finding.id) + "-script" + std::to_string(++number);
    out += "<details class=\"script\"><summary>" + text(script.title) +
           "</summary>" + copy_button(id) + "<pre id=\"" + id +
           "\" tabindex=\"0\" role=\"group\" aria-label=\"" +
           text(script.title) + "\">" + lines(script.text) +
           "</pre></details>\n";
  }
  return out;
}

std::string triage(const Finding& finding) {
  const document::Triage& known = finding.triage;
  const std::string id = anchor(finding.id);
  std::string out = "<form class=\"triage needs-script\" data-finding=\"" +
                    text(finding.id) +
                    "\"><label>This is <select name=\"mark\">";
  const auto option = [&](const std::string& value, const std::string& words) {
    out += "<option value=\"" + value + "\"" +
           (known.mark == value ? " selected" : "") + ">" + words + "</option>";
  };
  option("", "not looked at");
  option("bug", "a bug");
  option("accepted", "accepted");
  option("false", "a false alarm");
  out += "</select></label> <label>note <input name=\"note\" value=\"" +
         text(known.note) + "\"></label></form>\n";
  if (!known.mark.empty())
    out += "<p class=\"marked\">Marked as " + text(known.mark) +
           (known.note.empty() ? "" : ": " + text(known.note)) + "</p>\n";
  return out;
}

}  // namespace

std::string place_text(const Place& place) {
  if (place.line == 0) return "";
  const std::size_t slash = place.file.rfind('/');
  return (slash == std::string::npos ? place.file
                                     : place.file.substr(slash + 1)) +
         ":" + std::to_string(place.line);
}

std::string copy_button(const std::string& id) {
  return "<button type=\"button\" class=\"copy needs-script\" data-copy=\"" +
         id + "\">copy</button>";
}

std::string finding_markup(const Finding& finding, std::size_t number,
                           PlaceRules& places) {
  const std::string id = anchor(finding.id);
  const document::KindInfo kind = document::kind_info(finding.kind);
  std::string out = "<article class=\"finding " +
                    std::string(name(finding.tone)) +
                    (finding.triage.is_suppressed() ? " suppressed" : "") +
                    "\" id=\"" + id + "\" aria-labelledby=\"" + id +
                    "-title\">\n<header><p "
                    "class=\"tags\"><span class=\"kind\">" +
                    text(kind.title) + "</span>";
  if (!finding.level.empty())
    out += " <span class=\"level\">" + text(finding.level) + "</span>";
  if (const std::string where = place_text(finding.place); !where.empty())
    out += " <span class=\"place\">" + text(where) + "</span>";
  if (!finding.triage.baseline.empty())
    out += " <span class=\"baseline\">" + text(finding.triage.baseline) +
           "</span>";
  out += " <a class=\"link\" href=\"#" + id + "\">" + text(finding.id) +
         "</a></p><h2 id=\"" + id + "-title\">" + std::to_string(number) +
         ". " + text(finding.title) + "</h2></header>\n";
  out += facts(finding) + repairs(finding) + mismatches(finding);
  if (!finding.steps.empty())
    out += "<section><h3>" +
           std::string(finding.is_protocol ? "The way there" : "The run") +
           "</h3>\n" + run_markup(finding, places) + "</section>\n";
  if (finding.around) out += context_markup(*finding.around);
  out += "<div class=\"why\">\n" + rule(finding) + end_state(finding) +
         serial(finding) + cycle_markup(finding) + "</div>\n";
  out += scripts(finding);
  if (!finding.word.empty())
    out += "<p class=\"more\">" + text(kind.summary) +
           ". More: <code>txscope explain " + text(finding.word) +
           "</code></p>\n";
  return out + triage(finding) + "</article>\n";
}

}  // namespace txscope::report::html_page
