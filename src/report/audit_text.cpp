#include <algorithm>

#include "report/audit_report.h"
#include "report/page/lanes.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

std::string level_text(const audit::AuditLevel& level) {
  return level.name +
         (level.is_strict ? " (realtime order" : " (session order") +
         (level.is_exact ? ", exact times)" : ")");
}

std::string bad_text(const audit::FirstBad& bad, const std::string& input) {
  std::string text = lines("  ",
                           "The best explanation gets as far as "
                           "transaction " +
                               bad.transaction + " (" + input + ":" +
                               std::to_string(bad.line) + ").");
  if (bad.statement > 0) {
    text +=
        lines("  statement " + std::to_string(bad.statement) + ": ", bad.sql);
    if (!bad.expected.empty()) text += lines("    expected: ", bad.expected);
    text += lines("    observed: ", bad.observed);
  }
  if (!bad.why.empty()) text += lines("    why: ", bad.why);
  if (bad.nearest.size() < 2) return text;
  text += "  nearest explanations:\n";
  for (const audit::FirstBad::Nearest& one : bad.nearest) {
    std::string words = one.after.empty() ? "on the first state: "
                                          : "after " + one.after + ": ";
    if (!one.expected.empty())
      words += "statement " + std::to_string(one.statement) + " would give " +
               one.expected;
    if (!one.why.empty()) words += (one.expected.empty() ? "" : "; ") + one.why;
    text += lines("    ", words);
  }
  return text;
}

/// A lane per session; times are not told, each transaction is one piece.
std::string schedule_text(const std::vector<audit::CoreTxn>& core) {
  std::vector<std::string> names;
  std::vector<LaneRow> rows;
  for (const audit::CoreTxn& txn : core) {
    const std::string name = "session " + txn.session;
    auto lane = std::find(names.begin(), names.end(), name);
    if (lane == names.end()) lane = names.insert(names.end(), name);
    const auto number = static_cast<std::size_t>(lane - names.begin());
    const auto line = static_cast<std::uint32_t>(txn.line);
    rows.push_back({number, line, txn.id});
    for (const auto& statement : txn.statements)
      rows.push_back({number, 0, statement.sql + " -> " + statement.observed});
  }
  return draw_lanes(names, rows);
}

/// "explained", and how much of it was.
std::string held_text(const audit::AuditReport& report,
                      const audit::AuditLevel& level,
                      const std::string& nothing) {
  if (!nothing.empty())
    return "VACUOUS        " + level_text(level) +
           ": nothing was checked: " + nothing + "\n";
  std::string text = "explained      " + level_text(level);
  if (report.not_judged > 0)
    text += " as far as it was understood (" +
            grouped(report.statements - report.not_judged) + " of " +
            counted(report.statements, "statement") + ")";
  return text + "\n";
}

std::string result_text(const audit::AuditReport& report,
                        const audit::AuditResult& result,
                        const std::string& nothing, const std::string& input) {
  std::string text;
  switch (result.found.answer) {
    case Outcome::Holds:
      text = held_text(report, result.level, nothing);
      if (!result.certified.empty())
        text += lines("  ", result.certified + ".");
      return text;
    case Outcome::Violated:
      text = "NOT EXPLAINED  " + level_text(result.level) + "\n";
      text += lines("  ",
                    "No order of these transactions explains what the "
                    "clients saw.");
      break;
    case Outcome::Undecided:
      text = "undecided      " + level_text(result.level) + "\n";
      text += lines("  ", "Not decided: " + result.found.reason + ".");
      break;
  }
  if (result.found.first_bad) text += bad_text(*result.found.first_bad, input);
  if (!result.found.core.empty())
    text += lines("  these cannot be explained together: ",
                  joined(result.found.core, ", "));
  if (!result.found.schedule.empty())
    text += "\n" + schedule_text(result.found.schedule);
  return text;
}

}  // namespace

std::string audit_text(const audit::AuditReport& report,
                       const sql::LogHeader& header, const std::string& input,
                       const std::string& nothing) {
  std::string text;
  for (const audit::AuditResult& result : report.results)
    text += result_text(report, result, nothing, input);
  text += "\n" + counted(report.transactions, "transaction") + " of " +
          (header.database.empty() ? "a database" : header.database) + ", " +
          counted(report.statements, "statement") + " in " + input;
  if (report.aborted > 0) text += "; " + grouped(report.aborted) + " aborted";
  if (report.unknown > 0)
    text += "; " + grouped(report.unknown) + " of unknown outcome";
  if (report.own_levels > 0)
    text += "; " + grouped(report.own_levels) + " at levels of their own";
  text += "\n";
  if (report.skipped > 0)
    text += lines(
        "", counted(report.skipped, "statement") + " could not be read and " +
                (report.skipped == 1 ? "was" : "were") + " left out, with " +
                grouped(report.not_judged - report.skipped) +
                " that touch the tables in question.");
  if (report.is_cut)
    text += lines("", "The last line is cut: the log was audited up to there.");
  return text;
}

}  // namespace txscope::report
