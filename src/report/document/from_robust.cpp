// What `robust` says.
#include <algorithm>

#include "report/answer_report.h"
#include "report/document/documents.h"
#include "report/document/from_engines.h"
#include "report/document/known_tables.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

using robust::RobustResult;

constexpr std::size_t kMostSerialOrders = 24;

Step told(const robust::Counterexample::Step& step, const Workload& workload) {
  Step out = step.told;
  if (out.place.line != 0)
    out.place = step.at.line == out.place.line
                    ? workload.place(step.at)
                    : Place{workload.file, out.place.line, 0, std::nullopt};
  return out;
}

std::string kind_of(const robust::Counterexample& example) {
  if (!example.new_error.empty()) return "error";
  const std::size_t bracket = example.anomaly.find(" (");
  const std::string words = example.anomaly.substr(0, bracket);
  const std::string kind = kind_of_anomaly(words, "");
  return kind == "anomaly" ? "not-robust" : kind;
}

std::vector<Arrow> arrows_of(const robust::Counterexample& example) {
  std::vector<std::optional<std::size_t>> shown(example.run.size());
  for (std::size_t i = 0; i < example.steps.size(); ++i)
    if (const auto at = example.steps[i].of_run) shown[*at] = i;
  return document::arrows_of(example.run, shown);
}

/// What the tables contain after each step, as far as the run tells.
void add_states(const robust::Counterexample& example, Finding& out) {
  txscope::Counterexample run;
  run.steps = example.run;
  KnownTables tables(example.workload, run);
  if (tables.is_empty()) return;
  for (std::size_t i = 0; i < out.steps.size(); ++i) {
    if (const auto at = example.steps[i].of_run)
      tables.take(example.workload, run.steps[*at]);
    out.steps[i].state = tables.now();
  }
}

/// What the same transactions do one after the other.
void add_serial(const robust::Counterexample& example, Finding& out) {
  txscope::Counterexample asked;
  asked.builtin = Builtin::OneAfterTheOther;
  for (const txscope::SerialRun& run : example.serial) {
    if (out.serial.size() == kMostSerialOrders) break;
    std::vector<std::string> names;
    for (const CallRef call : run.order)
      names.push_back(example.workload.name(call));
    out.serial.push_back({joined(names, ", then "),
                          serial_result(example.workload, asked, run), false});
  }
  if (!out.serial.empty())
    out.serial_says = "What the same transactions do one after the other:";
}

Finding told(const robust::RobustReport& report, const RobustResult& result) {
  const robust::Counterexample& example = *result.counterexample;
  Finding out;
  out.kind = kind_of(example);
  out.level = result.against;
  out.answers = {{result.against,
                  "robust by " + std::string(txscope::name(result.notion))}};
  // Its name in theory is a fact below.
  const std::string words =
      example.anomaly.substr(0, example.anomaly.find(" ("));
  out.title = "Not robust against " + result.against + ": " +
              (words.empty() ? "" : words + "; ") +
              why_not_robust(result.notion);
  out.lanes = example.sessions;
  std::vector<std::string> texts = {result.against};
  for (const auto& step : example.steps) {
    out.steps.push_back(told(step, example.workload));
    if (step.told.kind == Step::Kind::Statement) {
      texts.push_back(out.steps.back().text);
      if (out.place.line == 0 && step.is_read)
        out.place = out.steps.back().place;
    }
  }
  if (out.place.file.empty()) out.place.file = report.input;
  add_states(example, out);
  add_serial(example, out);
  out.arrows = arrows_of(example);
  std::vector<Place> places;
  for (const Step& step : out.steps) places.push_back(step.place);
  out.sources = sources_of(example.workload, places);
  out.cycle = example.cycle;
  if (example.transactions.size() < example.all_transactions)
    out.facts.push_back(
        {"enough", counted(example.transactions.size(), "transaction") +
                       " of " + std::to_string(example.all_transactions)});
  if (!example.anomaly.empty()) out.facts.push_back({"name", example.anomaly});
  if (!example.delayed.empty())
    out.facts.push_back({"delayed", example.delayed +
                                        " reads before the others and commits "
                                        "after them"});
  if (!example.new_error.empty())
    out.facts.push_back(
        {"an error that no serial order produces", example.new_error});
  for (const auto& [name_of, value] : result.inputs)
    out.facts.push_back({"for " + name_of, value});
  for (const std::string& rows : example.finals)
    out.facts.push_back({"in the end", rows});
  if (example.problem)
    out.facts.push_back({"could not be replayed", *example.problem});
  for (const txscope::Repair& repair : result.repairs)
    out.repairs.push_back(tried_repair(
        example.workload, joined(repair.changes, ", and "), repair));
  if (result.repairs.empty() && result.has_tried_repairs)
    out.facts.push_back(
        {"fix", "no change of one to three reads makes it robust"});
  out.word = kind_info(out.kind).word;
  out.id = out.kind + "-" + fingerprint(texts);
  return out;
}

std::string word_of(const RobustResult& result) {
  if (!result.vacuous_because.empty()) return "vacuous";
  return result.answer == Outcome::Violated ? "NOT ROBUST"
         : result.answer == Outcome::Holds  ? "robust"
                                            : "undecided";
}

}  // namespace

void add_robust(const robust::RobustReport& report, Document& out) {
  Grid grid;
  grid.title = "Is it as if serializable?";
  grid.corner = "against";
  grid.columns = {"answer", "notion", "granularity", "method", "looked at"};
  for (const RobustResult& result : report.results) {
    Cell answer{word_of(result), Tone::Open, "", result.why};
    if (result.answer == Outcome::Holds && result.vacuous_because.empty())
      answer.tone = Tone::Good;
    if (result.answer == Outcome::Violated) answer.tone = Tone::Bad;
    if (result.counterexample) {
      Finding finding = told(report, result);
      finding.is_aside = !out.findings.empty();
      const auto same = std::find_if(
          out.findings.begin(), out.findings.end(),
          [&](const Finding& one) { return one.id == finding.id; });
      answer.finding = finding.id;
      if (same == out.findings.end())
        out.findings.push_back(std::move(finding));
      else
        same->answers.push_back(finding.answers.front());
    }
    grid.rows.push_back({result.against,
                         {std::move(answer),
                          {std::string(txscope::name(result.notion))},
                          {std::string(name(result.granularity))},
                          {std::string(name(result.method))},
                          {result.effort.empty() ? "-" : result.effort}}});
    for (const std::string& cycle : result.open_cycles)
      out.notes.push_back("a cycle that could not be excluded: " + cycle);
    for (const std::string& set : result.safe_together)
      out.notes.push_back("robust together: " + set);
  }
  if (!grid.rows.empty()) out.grids.push_back(std::move(grid));
  if (report.allocation.empty()) return;
  Grid levels;
  levels.title = "The weakest level of each transaction";
  levels.corner = "transaction";
  levels.columns = {"level", "why not lower"};
  for (const robust::Allocation& row : report.allocation)
    levels.rows.push_back(
        {row.transaction,
         {{row.level}, {row.reason.empty() ? "-" : row.reason}}});
  out.grids.push_back(std::move(levels));
  if (!report.allocation_problem.empty())
    out.not_checked.push_back("not every mix is serializable: " +
                              report.allocation_problem);
  if (report.is_allocation_cut)
    out.not_checked.emplace_back(
        "a budget ended it: some levels may be higher than needed");
}

}  // namespace txscope::report::document
