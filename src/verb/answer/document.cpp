#include "verb/answer/document.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "report/document/documents.h"
#include "report/page/wrap.h"
#include "verb/answer/detail.h"
#include "verb/answer/shown.h"
#include "verb/database/replay_scripts.h"

namespace txscope::verb {
namespace {

using report::document::Document;
using report::document::Tone;

/// The banner has the word already.
std::string without_verdict(std::string headline) {
  for (const std::string_view word : {"VIOLATED: ", "VACUOUS, "})
    if (headline.starts_with(word)) headline.erase(0, word.size());
  return report::document::capitalised(std::move(headline));
}

/// Each verb's part.
struct DocumentWriter {
  const Report& report;
  Document& out;

  void operator()(const CheckDetail& found) const {
    std::size_t histories = 0, violated = 0;
    for (const CheckedInput& one : found.inputs) {
      histories += one.lines.size();
      violated += one.violated;
    }
    if (histories == 1)
      for (const CheckedInput& one : found.inputs)
        for (const CheckedInput::Line& line : one.lines)
          out.headline = without_verdict(line.headline);
    if (histories > 1)
      out.headline = report::grouped(violated) + " of " +
                     report::grouped(histories) + " histories violated";
    for (const CheckedInput& one : found.inputs) {
      const report::document::Document& part = one.document;
      const auto add = [](const auto& from, auto& to) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(part.grids, out.grids);
      add(part.overviews, out.overviews);
      add(part.findings, out.findings);
      add(part.notes, out.notes);
      add(part.checked, out.checked);
    }
  }
  void operator()(const ExploreDetail& found) const {
    report::document::add_answers(shown(report, found), out);
  }
  void operator()(const VerifyDetail& found) const {
    report::document::add_verified(shown(report, found), out);
  }
  void operator()(const RobustDetail& found) const {
    report::document::add_robust(found.report, out);
  }
  void operator()(const AuditDetail& found) const {
    report::document::add_audit(found.report, found.header, input_of(report),
                                out);
  }
  void operator()(const ModelDetail& found) const {
    report::document::add_model(shown(report, found), out);
  }
  void operator()(const AnalyzeDetail& found) const {
    report::document::add_analysis(
        found.found, found.compared ? &*found.compared : nullptr, out);
  }
  void operator()(const RaceDetail& found) const {
    report::document::add_race(shown(report, found), out);
  }
  void operator()(const ReplayDetail&) const {}
  void operator()(const FollowDetail&) const {}
  void operator()(const ScriptDetail&) const {}
  void operator()(const ExplainDetail&) const {}
};

Tone tone_of(const Finding& finding) {
  switch (finding.outcome) {
    case Outcome::Violated: return Tone::Bad;
    case Outcome::Undecided: return Tone::Open;
    case Outcome::Holds: break;
  }
  return finding.vacuous_because.empty() && finding.partial_because.empty()
             ? Tone::Good
             : Tone::Open;
}

void add_questions(const Report& report, const StatusOptions& counts,
                   Document& out) {
  for (const Finding& finding : report.findings) {
    report::document::Question question;
    question.group = finding.level.empty() ? finding.input : finding.level;
    question.name = finding.property;
    question.input = finding.input;
    question.tone = tone_of(finding);
    question.why = !finding.why.empty()               ? finding.why
                   : !finding.vacuous_because.empty() ? finding.vacuous_because
                                                      : finding.partial_because;
    question.is_aside = finding.is_aside || !counts.fails_on(finding.about);
    question.place = finding.where;
    if (finding.outcome == Outcome::Violated)
      question.findings = shown_by(out, finding);
    out.questions.push_back(std::move(question));
  }
}

void add_checked(const Checked& checked, Document& out) {
  const auto number = [&](const char* label, std::uint64_t value) {
    if (value > 0) out.checked.push_back({label, report::grouped(value)});
  };
  number("rules", checked.rules);
  number("sessions", checked.sessions);
  number("transactions", checked.transactions);
  number("committed", checked.committed);
  number("statements", checked.statements);
  number("executions", checked.executions);
  if (!checked.considered.empty())
    out.checked.push_back({"about", report::joined(checked.considered, ", ")});
  if (checked.is_vacuous())
    out.not_checked.push_back("nothing was checked: " +
                              checked.vacuous_because);
  for (const std::string& part : checked.partly)
    out.not_checked.push_back(part);
  if (checked.skipped > 0)
    out.not_checked.push_back(report::counted(checked.skipped, "statement") +
                              " left out");
  for (const std::string& why : checked.skipped_because)
    out.not_checked.push_back(why);
}

std::string name_of(const Finding& finding) {
  if (finding.property.empty()) return finding.level;
  return finding.property +
         (finding.level.empty() ? "" : " at " + finding.level);
}

/// Where the engine's part has not said it.
std::string headline_of(const Report& report, const Document& out) {
  const int status = out.status;
  std::size_t bad = 0;
  const report::document::Finding* first = nullptr;
  for (const report::document::Finding& finding : out.findings) {
    if (finding.tone != Tone::Bad || finding.is_aside ||
        finding.triage.is_suppressed())
      continue;
    if (first == nullptr) first = &finding;
    ++bad;
  }
  if (status == kViolated && first != nullptr)
    return first->title +
           (bad == 1 ? ""
                     : "; and " + report::counted(bad - 1, "other finding"));
  std::vector<const Finding*> violated, open;
  for (const Finding& finding : report.findings) {
    if (finding.outcome == Outcome::Violated && !finding.is_aside)
      violated.push_back(&finding);
    if (tone_of(finding) == Tone::Open) open.push_back(&finding);
  }
  const std::size_t all = report.findings.size();
  if (status == kViolated && !violated.empty())
    return name_of(*violated.front()) +
           (violated.size() == 1
                ? ""
                : " and " +
                      report::counted(violated.size() - 1, "other question")) +
           " of " + report::grouped(all);
  if (report.checked.is_vacuous())
    return "Nothing was checked: " + report.checked.vacuous_because;
  if (!open.empty())
    return report::counted(open.size(), "question") + " of " +
           report::grouped(all) + " could not be decided";
  if (violated.empty())
    return all == 1 ? name_of(report.findings.front())
                    : "All " + report::counted(all, "question") + " asked";
  return report::counted(violated.size(), "violated question") +
         ", which do not count here";
}

std::string verdict_of(const Report& report, int status) {
  const bool is_violated = status == kViolated;
  if (report.checked.is_vacuous() && !is_violated) return "VACUOUS";
  if (status == kUndecided) return "UNDECIDED";
  if (status == kWrong) return "WRONG INPUT";
  if (report.verb == "robust") return is_violated ? "NOT ROBUST" : "ROBUST";
  if (report.verb == "audit")
    return is_violated ? "NOT EXPLAINED" : "EXPLAINED";
  if (report.verb == "analyze" || report.verb == "race")
    return is_violated ? "RACE" : "NO RACE FOUND";
  return is_violated ? "VIOLATED" : "HOLDS";
}

/// Files below the working directory are named from there, as the user would.
class ShortNames {
 public:
  void operator()(std::string& file) const {
    if (!here_.empty() && file.starts_with(here_)) file.erase(0, here_.size());
  }
  void operator()(report::document::Finding& finding) const {
    (*this)(finding.place.file);
    if (finding.rule) (*this)(finding.rule->place.file);
    for (report::document::Step& step : finding.steps) (*this)(step.place.file);
    for (report::document::Source& source : finding.sources)
      (*this)(source.file);
    for (report::document::Repair& repair : finding.repairs)
      for (report::document::ChangedLine& line : repair.diff)
        (*this)(line.place.file);
  }

 private:
  static std::string current() {
    std::error_code none;
    const auto path = std::filesystem::current_path(none);
    return none ? "" : path.string() + "/";
  }
  std::string here_ = current();
};

void distinguish(std::vector<report::document::Finding>& findings) {
  std::set<std::string> known;
  for (report::document::Finding& finding : findings) {
    const std::string id = finding.id;
    for (int n = 2; !known.insert(finding.id).second; ++n)
      finding.id = id + "-" + std::to_string(n);
  }
}

void add_baseline(const DocumentContext& context, Document& out) {
  if (!context.has_baseline) return;
  std::set<std::string> now;
  for (report::document::Finding& finding : out.findings) {
    now.insert(finding.id);
    finding.triage.baseline = "new";
    for (const KnownFinding& known : context.baseline) {
      if (known.id != finding.id) continue;
      finding.triage = {"unchanged", known.mark, known.note};
    }
  }
  for (const KnownFinding& known : context.baseline)
    if (!now.contains(known.id))
      out.absent.push_back(known.id + ": " + known.title);
}

void make_unique(std::vector<std::string>& lines) {
  std::set<std::string> known;
  std::erase_if(lines, [&](const std::string& line) {
    return !known.insert(line).second;
  });
}

}  // namespace

Document engine_document(const Report& report) {
  Document out;
  if (report.detail != nullptr)
    std::visit(DocumentWriter{report, out}, report.detail->found);
  distinguish(out.findings);
  return out;
}

std::vector<std::string> shown_by(const Document& out, const Finding& finding) {
  std::vector<std::string> ids;
  const auto is_answer = [&](const report::document::Finding::Answered& one) {
    return one.property == finding.property &&
           (one.level.empty() || one.level == finding.level);
  };
  for (const report::document::Finding& one : out.findings) {
    if (!one.input.empty() && one.input != finding.input) continue;
    if (one.id == finding.property ||
        std::any_of(one.answers.begin(), one.answers.end(), is_answer))
      ids.push_back(one.id);
  }
  return ids;
}

Document document_of(const Report& report, const DocumentContext& context) {
  Document out = engine_document(report);
  out.verb = report.verb;
  out.inputs = report.inputs;
  out.version = TXSCOPE_VERSION;
  out.command = context.command;
  const bool is_sql = report.verb == "explore" || report.verb == "analyze" ||
                      report.verb == "verify" || report.verb == "robust";
  if (is_sql) add_replay_scripts(report, out);
  const ShortNames shorten;
  for (report::document::Finding& finding : out.findings) shorten(finding);
  add_questions(report, context.status, out);
  add_checked(report.checked, out);
  for (const std::string& note : report.notes) out.notes.push_back(note);
  for (const Error& problem : report.problems)
    out.not_checked.push_back(to_string(problem.where) + ": " + problem.what);
  make_unique(out.not_checked);
  make_unique(out.notes);
  add_baseline(context, out);
  Report counted_report = report;
  forget_accepted(out, counted_report);
  out.status = status_of(counted_report, context.status);
  out.tone = out.status == kHolds      ? Tone::Good
             : out.status == kViolated ? Tone::Bad
                                       : Tone::Open;
  out.verdict = verdict_of(counted_report, out.status);
  if (out.headline.empty()) out.headline = headline_of(counted_report, out);
  return out;
}

void forget_accepted(const Document& document, Report& report) {
  std::set<std::string> accepted;
  for (const report::document::Finding& finding : document.findings)
    if (finding.triage.is_suppressed()) accepted.insert(finding.id);
  for (std::size_t i = 0;
       i < std::min(document.questions.size(), report.findings.size()); ++i) {
    const std::vector<std::string>& ids = document.questions[i].findings;
    // All that shows it, or it still counts.
    if (!ids.empty() &&
        std::all_of(ids.begin(), ids.end(), [&](const std::string& id) {
          return accepted.contains(id);
        }))
      report.findings[i].is_aside = true;
  }
}

}  // namespace txscope::verb
