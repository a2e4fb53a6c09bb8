#include "txscope/analyze.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "analyze/accepted.h"
#include "analyze/analyze.h"
#include "analyze/apply_fixes.h"
#include "analyze/comparison.h"
#include "base/file.h"
#include "read/sql/read_as.h"
#include "read/sql/sql.h"
#include "verb/answer/evidence.h"
#include "verb/input/joined_sql.h"
#include "verb/input/levels.h"
#include "verb/input/lifted_log.h"
#include "verb/input/program_file.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

/// What a server has if nobody sets it.
AskedLevels usual_level(Product product) {
  AskedLevels usual;
  usual.profiles = {&profile_of(product, product == Product::MariaDb
                                             ? Isolation::RepeatableRead
                                             : Isolation::ReadCommitted)};
  return usual;
}

Result<AskedLevels> level_of(const std::string& level) {
  if (level.empty()) return usual_level(Product::PostgreSql);
  auto asked = asked_levels(level, true);
  if (!asked) return asked.error();
  if (asked->profiles.size() != 1 || !asked->theory.empty())
    return wrong_call("analyze takes one level, that of the database",
                      "as in --level postgresql:read-committed");
  return asked;
}

About about(analyze::FindingKind kind) {
  switch (kind) {
    case analyze::FindingKind::Race: return About::Serial;
    case analyze::FindingKind::Deadlock: return About::Deadlock;
    case analyze::FindingKind::Error: return About::Error;
  }
  return About::Serial;
}

std::vector<Finding> findings_of(const analyze::Analysis& found) {
  std::vector<Finding> all;
  if (found.types.empty()) {
    Finding nothing;
    nothing.input = found.file;
    nothing.level = found.level;
    nothing.about = About::Serial;
    nothing.why = found.why_nothing();
    all.push_back(std::move(nothing));
  }
  for (const analyze::RaceFinding& one : found.findings) {
    Finding finding;
    finding.input = found.file;
    finding.level = found.level;
    finding.property = one.id;
    finding.about = one.rules.empty() ? about(one.kind) : About::Rule;
    finding.outcome = Outcome::Violated;
    finding.why = one.sentence;
    finding.is_aside = !one.accepted.empty();
    all.push_back(std::move(finding));
  }
  const bool never_meet =
      std::none_of(found.cells.begin(), found.cells.end(),
                   [](const analyze::Cell& cell) { return cell.can_meet; });
  for (const analyze::Cell& cell : found.cells) {
    if (cell.verdict == analyze::CellVerdict::Race) continue;
    Finding finding;
    finding.input = found.file;
    finding.level = found.level;
    finding.property =
        found.types[cell.a].name + " x " + found.types[cell.b].name;
    finding.about = About::Serial;
    finding.outcome = cell.verdict == analyze::CellVerdict::Undecided
                          ? Outcome::Undecided
                          : Outcome::Holds;
    finding.why = cell.why;
    if (!cell.can_meet && never_meet)
      finding.vacuous_because = found.why_nothing();
    all.push_back(std::move(finding));
  }
  return all;
}

/// Whether the code as it was has been looked at at all, and findings of it of
/// which nobody knows what became of them.
void add_unknown_fates(const analyze::Analysis& found,
                       const analyze::Comparison& compared,
                       std::vector<Finding>& all) {
  if (!compared.nothing_before.empty()) {
    Finding finding;
    finding.input = compared.before;
    finding.level = found.level;
    finding.property = "what was repaired";
    finding.about = About::Serial;
    finding.why = compared.nothing_before;
    all.push_back(std::move(finding));
  }
  for (const analyze::FindingFate& one : compared.fates) {
    if (one.fate != analyze::Fate::Unknown) continue;
    Finding finding;
    finding.input = found.file;
    finding.level = found.level;
    finding.property = compared.earlier[one.before].id;
    finding.about = About::Serial;
    finding.why = one.why;
    all.push_back(std::move(finding));
  }
}

Checked checked_of(const analyze::Analysis& found) {
  Checked checked;
  checked.rules = found.rules;
  checked.transactions = found.types.size();
  checked.executions = found.outcomes;
  for (const std::string& what : found.not_checked)
    checked.partly.push_back(what);
  std::size_t open = found.triples_left;
  for (const analyze::Triple& triple : found.triples)
    open += triple.verdict == analyze::CellVerdict::Undecided ? 1 : 0;
  if (open > 0)
    checked.partly.push_back(std::to_string(open) +
                             " groups of three that could form a cycle were "
                             "not searched to their end");
  checked.vacuous_because = found.why_nothing();
  return checked;
}

/// What the baseline accepts, besides what comments do.
Result<bool> add_baseline(const AnalyzeRequest& request,
                          std::vector<analyze::Accepted>& accepted) {
  if (request.baseline.empty()) return true;
  const auto text = read_text(request.baseline);
  if (!text) return text.error();
  auto known = analyze::read_baseline(request.baseline, *text);
  if (!known) return known.error();
  accepted.insert(accepted.end(), known->begin(), known->end());
  return true;
}

/// A changed text, of which no more is left out than of the text as it is.
Result<sql::Application> reread(const std::string& file,
                                const std::string& text, std::size_t left_out) {
  std::vector<Error> mistakes;
  auto application = sql::read_sql_scripts(file, text, mistakes);
  if (application && mistakes.size() > left_out) return mistakes.back();
  return application;
}

/// What one set of files says, and its notes.
struct Analysed {
  analyze::Analysis found;
  std::vector<std::string> notes;
};
Result<Analysed> analysed(const AnalyzeRequest& request,
                          sql::Application application,
                          const std::vector<std::string>& inputs,
                          std::size_t left_out, bool is_before,
                          const AskedLevels& level, const Budget& budget) {
  Analysed out;
  out.notes = application.notes;
  analyze::AnalyzeOptions options;
  options.profile = level.profiles.front();
  options.is_offered = [&level](const Profile& one) {
    return level.offers(one);
  };
  options.loop_bound = request.loop_bound;
  // Of what is compared with, nobody wants the repairs.
  if (request.repairs && !is_before) {
    options.reread = [file = application.file,
                      left_out](const std::string& text) {
      return reread(file, text, left_out);
    };
    if (application.origin == nullptr && inputs.size() == 1 &&
        request.log.file.empty())
      if (auto script = joined_sql(inputs)) options.text = script->text;
  }
  options.on_progress = request.listener.on_progress;
  if (!is_before)
    options.on_cell = [&](const analyze::Cell& cell) {
      if (cell.verdict == analyze::CellVerdict::Race)
        request.listener.decided(
            {std::string(options.profile->name), "", Promise::Known::Violated});
    };
  auto accepted = analyze::accepted_in(application);
  if (!accepted) return accepted.error();
  if (auto ok = add_baseline(request, *accepted); !ok) return ok.error();
  auto found =
      txscope::analyze::analyze(std::move(application), options, budget);
  if (!found) return found.error();
  out.found = std::move(*found);
  analyze::accept(out.found, *accepted);
  return out;
}

/// `left_out`: statements that a database would refuse.
Result<sql::Application> application_of(const AnalyzeRequest& request,
                                        const std::vector<std::string>& inputs,
                                        std::vector<Error>& left_out) {
  auto script = joined_sql(inputs);
  if (!script) return script.error();
  if (!request.dialect.empty()) {
    auto said =
        in_dialect("joined.sql", std::move(script->text), request.dialect);
    if (!said) return said.error();
    script->text = std::move(*said);
  }
  std::vector<Error> others;
  auto application = sql::read_sql_scripts(
      script->name, std::move(script->text), left_out, &others);
  if (!application && request.listener.on_more_errors)
    request.listener.on_more_errors(others);
  return application;
}

std::string told(const Error& mistake) {
  return mistake.where.file + ":" + std::to_string(mistake.where.line) + ":" +
         std::to_string(mistake.where.column) + ": " + mistake.what;
}

/// Statements that were left out: without them nothing is safe.
void add_left_out(const std::vector<Error>& mistakes,
                  const analyze::Analysis& found, Report& report) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> left_out;
  for (const Error& mistake : mistakes) left_out.push_back(told(mistake));
  left_out.insert(left_out.end(), found.left_out.begin(), found.left_out.end());
  if (left_out.empty()) return;
  for (std::size_t i = 0; i < std::min(kShown, left_out.size()); ++i)
    report.notes.push_back("left out, as a database refuses it: " +
                           left_out[i]);
  if (left_out.size() > kShown)
    report.notes.push_back(std::to_string(left_out.size() - kShown) +
                           " more statements are left out");
  const std::string count =
      left_out.size() == 1
          ? "1 statement that a database refuses is left out"
          : std::to_string(left_out.size()) +
                " statements that a database refuses are left out";
  report.checked.partly.push_back(count);
  Finding finding;
  finding.input = found.file;
  finding.level = found.level;
  finding.property = "the rest of the files";
  finding.about = About::Serial;
  finding.why = count + ": " + left_out.front();
  report.findings.push_back(std::move(finding));
}

/// What of a log nobody could follow: without it nothing is safe.
void add_missing(const lift::Lifted& lifted, const analyze::Analysis& found,
                 Report& report) {
  for (const std::string& what : lifted.missing)
    report.checked.partly.push_back("not followed: " + what);
  if (lifted.missing.empty()) return;
  Finding finding;
  finding.input = found.file;
  finding.level = found.level;
  finding.property = "the rest of the log";
  finding.about = About::Serial;
  finding.why = "not followed: " + lifted.missing.front();
  report.findings.push_back(std::move(finding));
}

/// Writes repairs and the baseline into files; what was done, in lines.
Result<std::string> write_files(const AnalyzeRequest& request,
                                const analyze::Analysis& found) {
  std::string told;
  if (!request.write_baseline.empty()) {
    if (auto ok = write_file_atomically(request.write_baseline,
                                        analyze::write_baseline(found));
        !ok)
      return ok.error();
    told += "wrote " + request.write_baseline + "\n";
  }
  if (!request.fix) return told;
  std::map<std::string, std::string> texts;
  for (const std::string& file : analyze::files_to_fix(found)) {
    auto text = read_text(file);
    if (!text) return text.error();
    texts.emplace(file, std::move(*text));
  }
  auto fixed = analyze::apply_fixes(found, std::move(texts));
  if (!fixed) return fixed.error();
  for (const auto& [file, text] : fixed->texts)
    if (auto ok = write_file_atomically(file, text); !ok) return ok.error();
  for (const std::string& line : fixed->done) told += "fixed " + line + "\n";
  for (const std::string& id : fixed->left) told += "not fixed " + id + "\n";
  return told;
}

}  // namespace

Result<Report> analyze(const AnalyzeRequest& request, const Budget& budget) {
  std::optional<LiftedLog> log;
  if (!request.log.file.empty()) {
    auto lifted = lifted_log(request.log, request.inputs, budget);
    if (!lifted) return lifted.error();
    log = std::move(*lifted);
  } else if (request.inputs.empty()) {
    return wrong_call("there is nothing to analyze",
                      "name files or folders of SQL, or --log FILE");
  }
  const std::string asked =
      request.level.empty() && log ? log->level : request.level;
  auto level = level_of(asked);
  if (!level) return level.error();
  std::vector<Error> left_out;
  auto application =
      log ? Result<sql::Application>(std::move(log->lifted.application))
          : application_of(request, request.inputs, left_out);
  if (!application) return application.error();
  if (asked.empty() && sql::looks_like_mysql(application->source))
    level = usual_level(Product::MariaDb);
  request.listener.questions(
      {{std::string(level->profiles.front()->name), ""}});
  auto now = analysed(request, std::move(*application), request.inputs,
                      left_out.size(), false, *level, budget);
  if (!now) return now.error();
  Report report;
  report.verb = "analyze";
  report.inputs = request.inputs;
  if (log) {
    report.inputs.push_back(request.log.file);
    report.notes = log->lifted.notes;
  }
  report.notes.insert(report.notes.end(), now->notes.begin(), now->notes.end());
  report.notes.insert(report.notes.end(), level->notes.begin(),
                      level->notes.end());
  report.findings = findings_of(now->found);
  report.checked = checked_of(now->found);
  if (log) add_missing(log->lifted, now->found, report);
  add_left_out(left_out, now->found, report);
  AnalyzeDetail detail;
  if (!request.before.empty()) {
    std::vector<Error> left_out_before;
    auto old = application_of(request, request.before, left_out_before);
    if (!old) return old.error();
    const auto before = analysed(request, std::move(*old), request.before,
                                 left_out_before.size(), true, *level, budget);
    if (!before) return before.error();
    detail.compared = analyze::compare(before->found, now->found);
    add_unknown_fates(now->found, *detail.compared, report.findings);
    add_left_out(left_out_before, before->found, report);
    if (detail.compared->undecided_before > 0)
      report.checked.partly.push_back(
          std::to_string(detail.compared->undecided_before) + " of " +
          std::to_string(detail.compared->pairs_before) +
          " pairs of the code as it was could not be judged");
  }
  auto told = write_files(request, now->found);
  if (!told) return told.error();
  report.summary = std::move(*told);
  detail.is_quiet = request.is_quiet;
  detail.found = std::move(now->found);
  conclude(report, std::move(detail));
  return report;
}

}  // namespace txscope::verb
