// What `audit` says: the first statement that cannot be explained.
#include <algorithm>

#include "report/document/documents.h"
#include "report/document/known_tables.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

/// Transactions as lanes, each in one piece, with the rows beside them.
class CoreSteps {
 public:
  CoreSteps(const audit::AuditReport& report, const audit::Found& found,
            const std::string& input, Finding& out)
      : input_(input), tables_(report.columns), out_(out) {
    for (const RowUse& row : found.begin) tables_.begin_with(row);
    has_states_ = !tables_.is_empty();
  }

  void add(const audit::CoreTxn& txn) {
    using End = KnownTables::End;
    lane_ = lane("session " + txn.session);
    transaction_ = txn.id;
    place_ = {input_, txn.line, 0, std::nullopt};
    tables_.take("others", txn.others, End::Commit);
    add(Step::Kind::Begin, "transaction " + txn.id);
    for (const auto& statement : txn.statements) {
      tables_.take(txn.id, statement.writes, End::None);
      Step& step = add(Step::Kind::Statement, statement.sql);
      step.seen = statement.observed;
      if (!statement.instead.empty())
        step.notes.push_back("here it would give " + statement.instead);
    }
    const bool is_aborted = txn.status == sql::LogStatus::Aborted;
    tables_.take(txn.id, {}, is_aborted ? End::Rollback : End::Commit);
    add(is_aborted ? Step::Kind::Rollback : Step::Kind::Commit,
        is_aborted                                ? "aborted"
        : txn.status == sql::LogStatus::Committed ? "committed"
                                                  : "outcome unknown");
  }

  [[nodiscard]] bool has_states() const { return has_states_; }

 private:
  std::size_t lane(const std::string& name) {
    auto& lanes = out_.lanes;
    auto known = std::find(lanes.begin(), lanes.end(), name);
    if (known == lanes.end()) known = lanes.insert(lanes.end(), name);
    return static_cast<std::size_t>(known - lanes.begin());
  }

  Step& add(Step::Kind kind, std::string text) {
    Step& step = out_.steps.emplace_back();
    step.kind = kind;
    step.lane = lane_;
    step.transaction = transaction_;
    step.text = std::move(text);
    step.place = place_;
    if (has_states_) step.state = tables_.now();
    return step;
  }

  const std::string& input_;
  KnownTables tables_;
  bool has_states_ = false;
  Finding& out_;
  std::size_t lane_ = 0;
  std::string transaction_;
  Place place_;
};

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

Finding told(const audit::AuditReport& report, const audit::AuditResult& result,
             const std::string& input) {
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
  for (const audit::CoreTxn& txn : result.found.schedule) {
    texts.push_back("transaction " + txn.id);
    for (const auto& statement : txn.statements) texts.push_back(statement.sql);
  }
  CoreSteps steps(report, result.found, input, out);
  for (const audit::CoreTxn& txn : result.found.schedule) steps.add(txn);
  for (const audit::CoreTxn& txn : result.found.around) steps.add(txn);
  if (steps.has_states())
    out.facts.push_back(
        {"the tables", "as if one had run after the other, in this order"});
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
      Finding finding = told(report, result, input);
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
