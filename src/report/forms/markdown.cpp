#include <algorithm>
#include <cctype>
#include <map>

#include "base/printable.h"
#include "report/forms/forms.h"
#include "report/page/wrap.h"

namespace txscope::report::forms {
namespace {

using document::Finding;
using document::Step;
using document::Tone;

/// Comments of GitHub end at 65,536 characters; what does not fit is counted.
constexpr std::size_t kMostMarkdown = 65'000;
constexpr std::size_t kRoom = 400;  // for the last lines
constexpr std::size_t kLongestStep = 90;
constexpr std::size_t kMostSteps = 60;

/// Text of others: nothing in it is Markdown or HTML, nobody is mentioned.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : printable(text, Lines::Show)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '@': out += "&#64;"; break;
      case '#': out += "&#35;"; break;
      case ':': out += "&#58;"; break;
      default:
        if (std::string_view("\\`*_{}[]()!|~+-").find(c) !=
            std::string_view::npos)
          out += '\\';
        out += c;
    }
  }
  return out;
}

/// Between as many back-ticks as it needs.
std::string code(const std::string& text) {
  const std::string shown = printable(text, Lines::Show);
  std::size_t longest = 0, now = 0;
  for (const char c : shown) {
    now = c == '`' ? now + 1 : 0;
    longest = std::max(longest, now);
  }
  const std::string ticks(longest + 1, '`');
  const bool needs_space = longest > 0;
  std::string out = ticks + (needs_space ? " " : "");
  // A table's cell ends at a bar, even in code.
  for (const char c : shown)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out + (needs_space ? " " : "") + ticks;
}

/// Letters and digits, and what Mermaid takes as text, by number if need be.
std::string mermaid_text(const std::string& text) {
  std::string out;
  for (const char c : printable(text, Lines::Show)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        byte >= 0x80 || std::isalnum(byte) != 0 ||
        std::string_view(" .,()=*+-/'_").find(c) != std::string_view::npos;
    if (is_plain)
      out += c;
    else
      out += "#" + std::to_string(byte) + ";";
  }
  // A word that Mermaid knows is none at the end of a line.
  return out.empty() ? " " : out;
}

/// The run; the database is a lane of its own, so that waits can be drawn.
std::string sequence(const Finding& finding) {
  std::string out = "```mermaid\nsequenceDiagram\n";
  const auto actor = [](std::size_t lane) {
    return "S" + std::to_string(lane);
  };
  for (std::size_t i = 0; i < finding.lanes.size(); ++i)
    out += "  participant " + actor(i) + " as " +
           mermaid_text(finding.lanes[i]) + "\n";
  if (!finding.is_protocol) out += "  participant D as database\n";
  std::size_t shown = 0;
  for (std::size_t i = 0; i < finding.steps.size(); ++i) {
    const Step& step = finding.steps[i];
    if (++shown > kMostSteps) {
      out += "  Note over S0: and " +
             std::to_string(finding.steps.size() - kMostSteps) +
             " more steps\n";
      break;
    }
    const std::string who = actor(step.lane);
    const std::string words = mermaid_text(shortened(step.text, kLongestStep));
    if (finding.is_protocol) {
      for (const document::Arrow& arrow : finding.arrows)
        if (arrow.to == i && finding.steps[arrow.from].lane != step.lane)
          out += "  " + actor(finding.steps[arrow.from].lane) + "->>" + who +
                 ": " + mermaid_text(shortened(arrow.label, 40)) + "\n";
      out += "  Note over " + who + ": " + words + "\n";
      continue;
    }
    switch (step.kind) {
      case Step::Kind::Begin:
        out += "  Note over " + who + ": " + words + "\n";
        break;
      case Step::Kind::Wait:
        out += "  " + who + "-xD: " + words + " (waits for " +
               mermaid_text(joined(step.waits_for, " and ")) + ")\n";
        break;
      case Step::Kind::Error:
        out += "  D--x" + who + ": ERROR " +
               mermaid_text(shortened(step.code + " " + step.seen, 60)) + "\n";
        break;
      default:
        out += "  " + who + "->>D: " + words + "\n";
        if (!step.seen.empty() && step.kind == Step::Kind::Statement)
          out += "  D-->>" + who + ": " +
                 mermaid_text(shortened(step.seen, 50)) + "\n";
    }
  }
  if (finding.rule && !finding.is_protocol)
    out += "  Note over D: " +
           mermaid_text(shortened(
               finding.rule->numbers.empty()
                   ? finding.rule->title + " is " + finding.rule->value
                   : finding.rule->numbers + " is " + finding.rule->value,
               80)) +
           "\n";
  return out + "```\n";
}

std::string diff(const document::Repair& repair) {
  if (repair.diff.empty()) return "";
  // A fence longer than any in the user's text.
  std::string body;
  for (const document::ChangedLine& line : repair.diff) {
    if (line.before) body += "- " + printable(*line.before, Lines::Show) + "\n";
    if (line.after) body += "+ " + printable(*line.after, Lines::Show) + "\n";
  }
  std::string fence = "```";
  while (body.find(fence) != std::string::npos) fence += '`';
  return "\n" + fence + "diff\n" + body + fence + "\n";
}

std::string finding_text(const Finding& finding, std::size_t number,
                         bool with_run) {
  std::string out =
      "\n### " + std::to_string(number) + ". " + plain(finding.title) + "\n\n";
  out += "Where: ";  // no line begins with code: it could look like a fence
  if (finding.place.line != 0) out += code(to_string(finding.place)) + " ";
  if (!finding.level.empty()) out += code(finding.level) + " ";
  out += code(finding.id) + "\n";
  if (finding.triage.is_suppressed())
    return out + "\nMarked as " + plain(finding.triage.mark) + ": " +
           plain(finding.triage.note) + "\n";
  for (const document::Repair& repair : finding.repairs) {
    out += "\n- **" + std::string(repair.is_tried ? "fix (tried)" : "advice") +
           "**: " + plain(repair.what) +
           (repair.cost.empty() ? "" : " (" + plain(repair.cost) + ")") + "\n";
    out += diff(repair);
  }
  if (finding.rule && !finding.rule->numbers.empty())
    out += "\nIn the end: " + code(finding.rule->numbers) + " is " +
           plain(finding.rule->value) + ".\n";
  for (const document::Mismatch& one : finding.mismatches)
    out += "\nStatement: " + code(one.statement) + "\n\n- expected: " +
           code(one.expected.empty() ? "-" : one.expected) +
           "\n- observed: " + code(one.observed) + "\n";
  if (!finding.serial_says.empty())
    out += "\n" + plain(finding.serial_says) + "\n";
  if (with_run && !finding.steps.empty())
    out += "\n<details><summary>The run</summary>\n\n" + sequence(finding) +
           "\n</details>\n";
  return out;
}

std::string cell_text(const document::Cell& cell) {
  const char* sign = cell.tone == Tone::Bad    ? "\xE2\x9D\x8C "
                     : cell.tone == Tone::Good ? "\xE2\x9C\x85 "
                     : cell.tone == Tone::Open ? "\xE2\x9D\x94 "
                                               : "";
  return sign + plain(cell.text);
}

std::string grid_text(const document::Grid& grid) {
  std::string out = "\n**" + plain(grid.title) + "**\n\n| " +
                    plain(grid.corner.empty() ? " " : grid.corner) + " |";
  std::string rule = "\n|---|";
  for (const std::string& column : grid.columns) {
    out += " " + plain(column) + " |";
    rule += "---|";
  }
  out += rule + "\n";
  for (const document::Grid::Row& row : grid.rows) {
    out += "| " + plain(row.name) + " |";
    for (const document::Cell& cell : row.cells)
      out += " " + cell_text(cell) + " |";
    out += "\n";
  }
  return out;
}

}  // namespace

std::string markdown(const document::Document& document) {
  const char* sign = document.tone == Tone::Bad    ? "\xE2\x9D\x8C"
                     : document.tone == Tone::Good ? "\xE2\x9C\x85"
                                                   : "\xE2\x9D\x94";
  std::string out = "## " + std::string(sign) + " txscope " +
                    plain(document.verb) + ": " + plain(document.verdict) +
                    "\n\n" + plain(shortened(document.headline, 2000)) + "\n";
  std::string tail;
  if (!document.not_checked.empty()) tail += "\n**Not checked**\n\n";
  for (std::size_t i = 0; i < document.not_checked.size(); ++i) {
    if (i == 10) {
      tail += "- and " + std::to_string(document.not_checked.size() - 10) +
              " more\n";
      break;
    }
    tail += "- " + plain(shortened(document.not_checked[i], 300)) + "\n";
  }
  if (!document.command.empty())
    tail += "\nCommand: " + code(shortened(document.command, 500)) +
            " (txscope " + plain(document.version) + ")\n";
  const std::size_t limit =
      kMostMarkdown - kRoom - std::min(tail.size(), kMostMarkdown / 4);
  if (tail.size() > kMostMarkdown / 4) tail.clear();
  std::size_t left_out = 0;
  for (const document::Grid& grid : document.grids) {
    const std::string table = grid_text(grid);
    if (out.size() + table.size() > limit / 2)
      ++left_out;
    else
      out += table;
  }
  std::size_t findings_left_out = 0;
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    std::string text = finding_text(document.findings[i], i + 1, true);
    if (out.size() + text.size() > limit)
      text = finding_text(document.findings[i], i + 1, false);
    if (out.size() + text.size() > limit)
      ++findings_left_out;
    else
      out += text;
  }
  if (left_out > 0) out += "\n" + counted(left_out, "table") + " left out.\n";
  if (findings_left_out > 0)
    out += "\n" + counted(findings_left_out, "finding") +
           " left out; `--format html` has all of them.\n";
  return out + tail;
}

}  // namespace txscope::report::forms
