// The lanes of a run.  Every step is a row of one grid, so an arrow is an SVG
// that spans the rows and columns between its ends: it fits whatever the height
// of the rows is, without a script.
#include <algorithm>
#include <map>

#include "report/html/parts.h"
#include "report/page/wrap.h"

namespace txscope::report::html_page {
namespace {

using document::Arrow;
using document::Finding;
using document::Step;

constexpr std::size_t kLongStatement = 220;
constexpr std::size_t kLaneColours = 6;
constexpr std::size_t kFewLanes = 2;

std::string_view kind_class(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::Begin: return "begin";
    case Step::Kind::Statement: return "statement";
    case Step::Kind::Wait: return "wait";
    case Step::Kind::Error: return "error";
    case Step::Kind::Commit: return "commit";
    case Step::Kind::Rollback: return "rollback";
    case Step::Kind::Action: return "action";
  }
  return "";
}

std::string lane_class(std::size_t lane) {
  return "lane" + std::to_string(lane % kLaneColours);
}

class RunMarkup {
 public:
  RunMarkup(const Finding& finding, PlaceRules& places)
      : finding_(finding), places_(places), id_(anchor(finding.id)) {}

  std::string markup() {
    std::string out = "<div class=\"run\" data-steps=\"" +
                      std::to_string(finding_.steps.size()) + "\">\n";
    out += toolbar();
    out +=
        "<div class=\"runbody\">\n<div class=\"lanesbox\" tabindex=\"0\" "
        "role=\"group\" aria-label=\"Steps in the order of time\">\n";
    out += lanes();
    out += "</div>\n" + side() + "</div>\n" + legend() + "</div>\n";
    return out;
  }

 private:
  [[nodiscard]] std::string toolbar() const {
    const auto button = [](const char* where, const char* key,
                           const char* words) {
      return "<button type=\"button\" data-go=\"" + std::string(where) +
             "\" title=\"" + key + "\">" + words + "</button>";
    };
    return "<div class=\"stepper needs-script\" role=\"group\" "
           "aria-label=\"Go through the run\">" +
           button("first", "Home", "first") +
           button("back", "left arrow", "\xE2\x97\x80 back") +
           "<output class=\"where\" aria-live=\"polite\">all " +
           std::to_string(finding_.steps.size()) + " steps</output>" +
           button("on", "right arrow", "next \xE2\x96\xB6") +
           button("last", "End", "last") +
           "<span class=\"hint\">or arrow keys</span></div>\n";
  }

  // Columns: number, lane, gutter, lane, gutter, lane ...
  [[nodiscard]] static std::size_t column(std::size_t lane) {
    return 2 + 2 * lane;
  }
  [[nodiscard]] static std::size_t row(std::size_t step) { return step + 2; }

  std::string at(std::size_t row_from, std::size_t row_to,
                 std::size_t column_from, std::size_t column_to) {
    return places_.of("grid-area:" + std::to_string(row_from) + "/" +
                      std::to_string(column_from) + "/" +
                      std::to_string(row_to) + "/" + std::to_string(column_to));
  }

  std::string lanes() {
    std::string tracks = "grid-template-columns:var(--number)";
    for (std::size_t i = 0; i < finding_.lanes.size(); ++i)
      tracks += std::string(i > 0 ? " var(--gutter)" : "") +
                " minmax(var(--lane),1fr)";
    std::string out =
        "<div class=\"lanes " +
        std::string(finding_.lanes.size() > kFewLanes ? "many " : "") +
        places_.of(tracks) + "\">\n";
    for (std::size_t i = 0; i < finding_.lanes.size(); ++i) {
      out += "<div class=\"lanehead " + lane_class(i) + " " +
             at(1, 2, column(i), column(i) + 1) + "\">" +
             text(finding_.lanes[i]) + "</div>";
      out += "<div class=\"rail " + lane_class(i) + " " +
             at(2, row(finding_.steps.size()), column(i), column(i) + 1) +
             "\" aria-hidden=\"true\"></div>\n";
    }
    out += "<div class=\"arrows\" aria-hidden=\"true\">\n";
    for (const Arrow& arrow : finding_.arrows) out += arrow_markup(arrow);
    out += "</div>\n<ol class=\"steps\">\n";
    for (std::size_t i = 0; i < finding_.steps.size(); ++i)
      out += step_markup(i);
    return out + "</ol>\n</div>\n";
  }

  /// A wait lasts until the next step of its lane.
  [[nodiscard]] std::size_t last_row(std::size_t step) const {
    if (finding_.steps[step].kind != Step::Kind::Wait) return row(step);
    for (std::size_t next = step + 1; next < finding_.steps.size(); ++next)
      if (finding_.steps[next].lane == finding_.steps[step].lane)
        return row(next) - 1;
    return row(finding_.steps.size()) - 1;
  }

  std::string step_markup(std::size_t i) {
    const Step& step = finding_.steps[i];
    std::string out =
        "<li class=\"step " + std::string(kind_class(step.kind)) + " " +
        lane_class(step.lane) + " " +
        at(row(i), last_row(i) + 1, column(step.lane), column(step.lane) + 1) +
        "\" id=\"" + id_ + "-s" + std::to_string(i + 1) + "\" data-step=\"" +
        std::to_string(i) + "\" data-lane=\"" + std::to_string(step.lane) +
        "\"";
    if (step.place.line != 0)
      out += " data-file=\"" + text(step.place.file) + "\" data-line=\"" +
             std::to_string(step.place.line) + "\"";
    out += "><span class=\"number\">" + std::to_string(i + 1) + "</span>";
    out += "<div class=\"card\">";
    if (step.takes_snapshot)
      out +=
          "<span class=\"snapshot\" title=\"Everything that this "
          "transaction reads is as it is now\">snapshot</span> ";
    out += statement(step) + result(step);
    for (const std::string& note : step.notes)
      out += " <span class=\"note\">" + text(note) + "</span>";
    if (const std::string where = place_text(step.place);
        !where.empty() && !is_said(i))
      out += " <span class=\"place\">" + text(where) + "</span>";
    return out + "</div></li>\n";
  }

  /// Where it stands was said at the beginning of its transaction.
  [[nodiscard]] bool is_said(std::size_t i) const {
    const Step& step = finding_.steps[i];
    for (std::size_t earlier = i; earlier-- > 0;) {
      const Step& begin = finding_.steps[earlier];
      if (begin.kind != Step::Kind::Begin || begin.lane != step.lane) continue;
      return begin.place.line == step.place.line &&
             begin.place.file == step.place.file;
    }
    return false;
  }

  [[nodiscard]] static std::string statement(const Step& step) {
    if (columns(step.text) <= kLongStatement)
      return "<code class=\"sql\">" + text(step.text) + "</code>";
    return "<details class=\"long\"><summary><code class=\"sql\">" +
           text(shortened(step.text, kLongStatement - 60)) +
           "</code></summary><code class=\"sql\">" + text(step.text) +
           "</code></details>";
  }

  [[nodiscard]] static std::string result(const Step& step) {
    if (step.kind == Step::Kind::Wait)
      return " <span class=\"waits\">waits for " +
             text(joined(step.waits_for, " and ")) + "</span>";
    if (step.kind == Step::Kind::Error) {
      const bool has_code = !step.code.empty() && step.code != "raised";
      return " <span class=\"failed\">ERROR " +
             text((has_code ? step.code + " " : "") + step.seen) + "</span>";
    }
    if (step.seen.empty()) return "";
    return " <span class=\"seen\"><span "
           "aria-hidden=\"true\">\xE2\x86\x92</span>"
           "<span class=\"away\">gives</span> " +
           text(step.seen) + "</span>";
  }

  std::string arrow_markup(const Arrow& arrow) {
    const std::size_t from_lane = finding_.steps[arrow.from].lane;
    const std::size_t to_lane = finding_.steps[arrow.to].lane;
    if (from_lane == to_lane) return "";
    const bool goes_right = from_lane < to_lane;
    const bool goes_down = arrow.from < arrow.to;
    const std::size_t top = std::min(arrow.from, arrow.to);
    const std::size_t bottom = std::max(arrow.from, arrow.to);
    const std::size_t left = std::min(from_lane, to_lane);
    const std::size_t right = std::max(from_lane, to_lane);
    const std::string kind = arrow.kind == Arrow::Kind::ReadsFrom ? "reads"
                             : arrow.kind == Arrow::Kind::Message
                                 ? "message"
                                 : "overwritten";
    // In a box from anchor to anchor.
    const bool falls = goes_right == goes_down;
    const std::string path =
        falls ? "M0 0C50 0 50 100 100 100" : "M0 100C50 100 50 0 100 0";
    std::string out =
        "<svg class=\"arrow " + kind + " " +
        at(row(top), row(bottom), column(left) + 1, column(right)) +
        "\" data-from=\"" + std::to_string(arrow.from) + "\" data-to=\"" +
        std::to_string(arrow.to) +
        "\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\"><path d=\"" +
        path + "\" vector-effect=\"non-scaling-stroke\"/></svg>";
    const std::size_t gutter =
        goes_right ? column(to_lane) - 1 : column(to_lane) + 1;
    out += "<span class=\"head " + kind + (goes_right ? " right " : " left ") +
           at(row(arrow.to), row(arrow.to) + 1, gutter, gutter + 1) +
           "\" data-from=\"" + std::to_string(arrow.from) + "\" data-to=\"" +
           std::to_string(arrow.to) + "\"></span>\n";
    return out;
  }

  /// Tables and source, which follow the steps.
  [[nodiscard]] std::string side() const {
    std::string out;
    if (!finding_.steps.empty() && !finding_.steps.back().state.empty()) {
      const std::string what = finding_.is_protocol ? "Variables"
                               : has_tables()       ? "Tables"
                                                    : "Values";
      out += "<div class=\"states" +
             std::string(finding_.is_protocol ? " protocol" : "") +
             "\" tabindex=\"0\" role=\"group\" aria-label=\"" + what +
             "\"><h4>" + what + "</h4>\n";
      if (finding_.is_protocol)
        out +=
            "<label class=\"needs-script filter\">only variables with "
            "<input type=\"search\" class=\"variables\"></label>\n";
      std::string before;
      for (std::size_t i = 0; i < finding_.steps.size(); ++i) {
        std::string now = tables_markup(finding_.steps[i].state);
        const bool is_last = i + 1 == finding_.steps.size();
        if (now == before && !is_last) continue;
        out += "<div class=\"state" + std::string(is_last ? " last" : "") +
               "\" data-from=\"" + std::to_string(i) + "\">" + now + "</div>\n";
        before = std::move(now);
      }
      out += "</div>\n";
    }
    if (!finding_.sources.empty()) {
      out +=
          "<section class=\"sources\"><h4>Source</h4>"
          "\n";
      for (const document::Source& source : finding_.sources)
        out += source_markup(source);
      out += "</section>\n";
    }
    return out.empty() ? "" : "<div class=\"side\">\n" + out + "</div>\n";
  }

  /// Not only registers and keys.
  [[nodiscard]] bool has_tables() const {
    return std::any_of(
        finding_.steps.begin(), finding_.steps.end(), [](const Step& step) {
          return std::any_of(
              step.state.begin(), step.state.end(),
              [](const document::Table& table) { return !table.name.empty(); });
        });
  }

  [[nodiscard]] std::string source_markup(
      const document::Source& source) const {
    std::map<std::uint64_t, bool> used;
    for (const Step& step : finding_.steps)
      if (step.place.file == source.file) used[step.place.line] = true;
    std::string out = "<div class=\"file\">" + text(source.file) +
                      "</div><div class=\"listing\" tabindex=\"0\" "
                      "role=\"group\" aria-label=\"Lines of " +
                      text(source.file) + "\" data-file=\"" +
                      text(source.file) + "\">";
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const std::uint64_t line = source.first_line + i;
      out += "<div class=\"l" +
             std::string(used.contains(line) ? " used" : "") +
             "\" data-line=\"" + std::to_string(line) +
             "\"><span class=\"ln\">" + std::to_string(line) + "</span><code>" +
             text(source.lines[i]) + "</code></div>";
    }
    return out + "</div>\n";
  }

  [[nodiscard]] std::string legend() const {
    const auto has = [&](Arrow::Kind kind) {
      return std::any_of(
          finding_.arrows.begin(), finding_.arrows.end(),
          [&](const Arrow& arrow) { return arrow.kind == kind; });
    };
    std::string out;
    const auto add = [&](Arrow::Kind kind, const char* name,
                         const char* words) {
      if (!has(kind)) return;
      out += "<li><svg class=\"key " + std::string(name) +
             "\" viewBox=\"0 0 40 10\" aria-hidden=\"true\"><path d=\"M0 "
             "5H34\"/><path class=\"tip\" d=\"M32 1L40 5L32 9Z\"/></svg> " +
             words + "</li>";
    };
    add(Arrow::Kind::ReadsFrom, "reads", "reads what the other wrote");
    add(Arrow::Kind::Overwritten, "overwritten",
        "what was read here is changed there");
    add(Arrow::Kind::Message, "message", "a message that the step needs");
    if (out.empty()) return "";
    out = "<ul class=\"legend\">" + out + "</ul>\n";
    out +=
        "<details class=\"arrowlist\"><summary>The arrows in "
        "words</summary><ul>";
    for (const Arrow& arrow : finding_.arrows)
      out += "<li>" + arrow_words(arrow) + "</li>";
    return out + "</ul></details>\n";
  }

  [[nodiscard]] std::string arrow_words(const Arrow& arrow) const {
    const std::string from = "step " + std::to_string(arrow.from + 1);
    const std::string to = "step " + std::to_string(arrow.to + 1);
    const std::string what = text(arrow.label);
    switch (arrow.kind) {
      case Arrow::Kind::ReadsFrom:
        return to + " reads " + what + " as " + from + " wrote it";
      case Arrow::Kind::Overwritten:
        return from + " reads " + what + ", and " + to +
               " changes it afterwards";
      case Arrow::Kind::Message:
        return to + " needs what " + from + " sent: " + what;
    }
    return "";
  }

  const Finding& finding_;
  PlaceRules& places_;
  const std::string id_;
};

}  // namespace

std::string run_markup(const Finding& finding, PlaceRules& places) {
  return RunMarkup(finding, places).markup();
}

}  // namespace txscope::report::html_page
