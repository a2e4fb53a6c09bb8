// What `audit` says: the first statement that cannot be explained.
#include <algorithm>

#include "report/document/documents.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

void add_core(const std::vector<audit::CoreTxn>& core, const std::string& input,
              Finding& out) {
  for (const audit::CoreTxn& txn : core) {
    const std::string lane_name = "session " + txn.session;
    auto lane = std::find(out.lanes.begin(), out.lanes.end(), lane_name);
    if (lane == out.lanes.end())
      lane = out.lanes.insert(out.lanes.end(), lane_name);
    const auto number = static_cast<std::size_t>(lane - out.lanes.begin());
    Step begin;
    begin.kind = Step::Kind::Begin;
    begin.lane = number;
    begin.transaction = txn.id;
    begin.text = "transaction " + txn.id;
    begin.place = {input, txn.line, 0, std::nullopt};
    out.steps.push_back(std::move(begin));
    for (const auto& statement : txn.statements) {
      Step step;
      step.lane = number;
      step.transaction = txn.id;
      step.text = statement.sql;
      step.seen = statement.observed;
      out.steps.push_back(std::move(step));
    }
  }
}

void add_bad(const audit::FirstBad& bad, const std::string& input,
             Finding& out) {
  out.place = {input, bad.line, 0, std::nullopt};
  out.title +=
      ": transaction " + bad.transaction +
      (bad.statement > 0 ? ", statement " + std::to_string(bad.statement)
                         : ", its commit");
  if (bad.statement > 0)
    out.mismatches.push_back({bad.sql, bad.expected, bad.observed});
  else
    out.mismatches.push_back(
        {"COMMIT",
         bad.why.empty() ? "it cannot commit" : "it cannot commit: " + bad.why,
         "it committed"});
  if (!bad.why.empty()) out.facts.push_back({"why", bad.why});
  for (const audit::FirstBad::Nearest& one : bad.nearest)
    out.facts.push_back(
        {one.after.empty() ? "on the first state" : "after " + one.after,
         (one.expected.empty() ? std::string()
                               : "statement " + std::to_string(one.statement) +
                                     " would give " + one.expected) +
             (one.why.empty() || one.expected.empty() ? "" : "; ") + one.why});
}

Finding told(const audit::AuditResult& result, const std::string& input) {
  Finding out;
  const bool is_violated = result.found.answer == Outcome::Violated;
  out.kind = is_violated ? "not-explained" : "undecided";
  out.tone = is_violated ? Tone::Bad : Tone::Open;
  out.level = result.level.name;
  out.answers = {{result.level.name, ""}};
  out.title = is_violated ? "No order explains what the clients saw"
                          : "Not decided: " + result.found.reason;
  out.place.file = input;
  std::vector<std::string> texts = {result.level.name};
  if (result.found.first_bad) {
    add_bad(*result.found.first_bad, input, out);
    texts.push_back(result.found.first_bad->sql);
    texts.push_back(result.found.first_bad->observed);
  }
  if (!result.found.core.empty())
    out.facts.push_back({"these cannot be explained together",
                         joined(result.found.core, ", ")});
  add_core(result.found.schedule, input, out);
  for (const Step& step : out.steps) texts.push_back(step.text);
  out.id = out.kind + "-" + fingerprint(texts);
  return out;
}

}  // namespace

void add_audit(const audit::AuditReport& report, const sql::LogHeader& header,
               const std::string& input, Document& out) {
  Grid grid;
  grid.title = "Levels";
  grid.corner = "level";
  grid.columns = {"answer", "order", "decided by"};
  for (const audit::AuditResult& result : report.results) {
    Cell answer{"explained", Tone::Good, "", ""};
    if (result.found.answer == Outcome::Holds && report.not_judged > 0)
      answer = {"explained as far as understood", Tone::Open, "",
                grouped(report.not_judged) + " statements were not judged"};
    if (result.found.answer != Outcome::Holds) {
      Finding finding = told(result, input);
      answer = {result.found.answer == Outcome::Violated ? "NOT EXPLAINED"
                                                         : "undecided",
                finding.tone, finding.id, result.found.reason};
      out.findings.push_back(std::move(finding));
    }
    grid.rows.push_back({result.level.name,
                         {std::move(answer),
                          {result.level.is_strict ? "realtime" : "session"},
                          {result.found.strategy.empty()
                               ? "-"
                               : std::string(result.found.strategy)}}});
    if (!result.certified.empty())
      out.notes.push_back(result.level.name + ": " + result.certified);
  }
  out.grids.push_back(std::move(grid));
  if (!header.database.empty())
    out.checked.push_back({"database", header.database});
  if (report.aborted > 0)
    out.checked.push_back({"aborted", grouped(report.aborted)});
  if (report.unknown > 0)
    out.checked.push_back({"of unknown outcome", grouped(report.unknown)});
  if (report.is_cut)
    out.not_checked.emplace_back(
        "the last line is cut: the log was audited up to there");
}

}  // namespace txscope::report::document
