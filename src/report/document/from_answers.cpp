// What `explore` and `verify` say: a table of levels and rules, and a finding
// per counterexample.
#include <algorithm>
#include <set>

#include "model/product/profile.h"
#include "report/broken_where.h"
#include "report/document/documents.h"
#include "report/document/from_engines.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

Cell cell_of(Outcome outcome, bool is_vacuous) {
  switch (outcome) {
    case Outcome::Holds:
      if (is_vacuous) return {"vacuous", Tone::Open, "", ""};
      return {"holds", Tone::Good, "", ""};
    case Outcome::Violated: return {"VIOLATED", Tone::Bad, "", ""};
    case Outcome::Undecided: break;
  }
  return {"undecided", Tone::Open, "", ""};
}

class AnswersDocument {
 public:
  AnswersDocument(const AnswerReport& report, Document& out)
      : report_(report), workload_(*report.workload), out_(out) {}

  void build() {
    for (const Answer& answer : *report_.answers) {
      for (const Counterexample& example : answer.counterexamples)
        add(example, Tone::Bad);
      for (const Counterexample& witness : answer.witnesses)
        add(witness, Tone::Good);
    }
    add_table();
    add_ends();
    add_headline();
    if (report_.application != nullptr) {
      const std::string notes =
          dialect_notes(*report_.application, *report_.answers);
      if (!notes.empty()) out_.notes.push_back(one_line(notes));
    }
    for (const Answer& answer : *report_.answers)
      for (const std::string& what : answer.certified)
        out_.notes.push_back(answer.level + ": " + what);
    for (const Answer& answer : *report_.answers) add_source(answer.level);
  }

 private:
  void add(const Counterexample& example, Tone tone) {
    Finding finding = finding_of(workload_, example);
    finding.tone = tone;
    ids_.push_back({&example, finding.id});
    out_.findings.push_back(std::move(finding));
  }

  /// What is known of a product's level, and from where.
  void add_source(const std::string& level) {
    const auto profile = parse_profile(level);
    if (!profile) return;
    std::string text = level + ": " + std::string((*profile)->source);
    if (!(*profile)->caveat.empty())
      text += "; known to differ: " + std::string((*profile)->caveat);
    out_.notes.push_back(std::move(text));
  }

  [[nodiscard]] std::string id_of(const Counterexample* example) const {
    for (const auto& [known, id] : ids_)
      if (known == example) return id;
    return "";
  }

  /// Which rules can break, and where nothing does.
  void add_headline() {
    const std::vector<RuleAtLevel> rules = rules_at_levels(report_);
    const std::string broken = broken_where(rules);
    if (broken.empty()) return;
    out_.headline = capitalised(broken);
    std::vector<std::string> holding;
    for (const Answer& answer : *report_.answers) {
      const bool is_broken =
          std::any_of(rules.begin(), rules.end(), [&](const RuleAtLevel& one) {
            return one.level == answer.level &&
                   one.outcome == Outcome::Violated;
          });
      if (!is_broken && answer.outcome == Outcome::Holds)
        holding.push_back(answer.level);
    }
    if (!holding.empty())
      out_.lead.push_back("Everything holds at " + joined(holding, ", ") + ".");
  }

  void add_table() {
    Grid grid;
    grid.title = "Levels and rules";
    grid.corner = "level";
    grid.columns.emplace_back("runs");
    for (const Property& property : workload_.properties)
      grid.columns.push_back(property_title(property));
    std::vector<Builtin> builtins;
    for (const Answer& answer : *report_.answers)
      for (const BuiltinAnswer& row : answer.builtins)
        if (std::find(builtins.begin(), builtins.end(), row.which) ==
            builtins.end())
          builtins.push_back(row.which);
    for (const Builtin builtin : builtins)
      grid.columns.emplace_back(txscope::name(builtin));
    const bool has_verdict = grid.columns.size() == 1;
    if (has_verdict) grid.columns.emplace_back("verdict");
    for (std::size_t i = 0; i < report_.answers->size(); ++i) {
      const Answer& answer = (*report_.answers)[i];
      const bool is_vacuous =
          i < report_.vacuous.size() && !report_.vacuous[i].empty();
      grid.rows.push_back(row_of(answer, builtins, is_vacuous, has_verdict));
    }
    out_.grids.push_back(std::move(grid));
  }

  Grid::Row row_of(const Answer& answer, const std::vector<Builtin>& builtins,
                   bool is_vacuous, bool has_verdict) const {
    Grid::Row row{answer.level, {}};
    row.cells.push_back(
        {grouped(answer.counts.histories) + (answer.is_complete ? "" : "+"),
         Tone::Plain, "",
         answer.is_complete ? "the search is complete"
                            : "the search is not complete"});
    for (const PropertyAnswer& property : answer.properties) {
      Cell cell = cell_of(property.verdict, is_vacuous);
      for (const auto* runs : {&answer.counterexamples, &answer.witnesses})
        for (const Counterexample& example : *runs)
          if (example.property == property.property)
            cell.finding = id_of(&example);
      if (cell.finding.empty()) link_elsewhere(property, cell);
      row.cells.push_back(std::move(cell));
    }
    for (const Builtin builtin : builtins) {
      Cell cell{"-", Tone::Plain, "", "not asked at this level"};
      for (const BuiltinAnswer& one : answer.builtins)
        if (one.which == builtin) cell = cell_of(one.verdict, is_vacuous);
      for (const Counterexample& example : answer.counterexamples)
        if (example.builtin == builtin) cell.finding = id_of(&example);
      row.cells.push_back(std::move(cell));
    }
    if (has_verdict)
      row.cells.push_back(report_.counts_only
                              ? Cell{"counted", Tone::Plain, "", ""}
                              : cell_of(answer.outcome, is_vacuous));
    return row;
  }

  /// Where the rule was not drawn at this level, but at another one.
  void link_elsewhere(const PropertyAnswer& property, Cell& cell) const {
    if (property.verdict != Outcome::Violated) return;
    for (const Answer& answer : *report_.answers)
      for (const Counterexample& example : answer.counterexamples)
        if (cell.finding.empty() && example.property == property.property) {
          cell.finding = id_of(&example);
          cell.note = "drawn at " + answer.level;
        }
  }

  /// How executions can end, where that was asked.
  void add_ends() {
    for (const Answer& answer : *report_.answers) {
      if (answer.ends.empty()) continue;
      Grid grid;
      grid.title = "Outcomes at " + answer.level;
      grid.corner = "outcome";
      grid.columns = {"histories"};
      for (const NamedValue& v : answer.ends.front().values)
        grid.columns.push_back(v.name);
      for (std::size_t i = 0; i < answer.ends.size(); ++i) {
        Grid::Row row{std::to_string(i + 1), {}};
        row.cells.push_back({grouped(answer.ends[i].histories)});
        for (const NamedValue& v : answer.ends[i].values)
          row.cells.push_back(
              {v.value.is_null() ? "unassigned" : to_string(v.value)});
        grid.rows.push_back(std::move(row));
      }
      out_.grids.push_back(std::move(grid));
    }
  }

  const AnswerReport& report_;
  const Workload& workload_;
  Document& out_;
  std::vector<std::pair<const Counterexample*, std::string>> ids_;
};

}  // namespace

void add_answers(const AnswerReport& report, Document& out) {
  AnswersDocument(report, out).build();
}

void add_verified(const VerifyReport& report, Document& out) {
  const verify::VerifyResult& result = *report.result;
  Grid grid;
  grid.title = "Rules and levels";
  grid.corner = "level";
  std::set<const verify::VerifiedExample*> told;
  std::vector<std::pair<const verify::VerifiedExample*, std::string>> ids;
  for (const verify::VerifyRow& row : result.rows) {
    if (grid.rows.empty() || grid.rows.back().name != row.level)
      grid.rows.push_back({row.level, {}});
    if (grid.rows.size() == 1)
      grid.columns.push_back(row.kind == "errors"
                                 ? "errors"
                                 : row.kind + " \"" + row.property + "\"");
    Cell cell{std::string(verdict_word(row)), Tone::Open, "", row.why};
    if (holds(row) && report.nothing.empty()) cell.tone = Tone::Good;
    if (row.verdict == Outcome::Violated) {
      cell.tone = Tone::Bad;
      cell.text = "VIOLATED";
    }
    if (const verify::VerifiedExample* shown = row.counterexample.get()) {
      if (told.insert(shown).second) {
        Counterexample example = shown->example;
        example.level = row.level;
        Finding finding = finding_of(shown->workload, example);
        std::vector<Fact> inputs;
        for (const verify::InputValue& input : shown->inputs)
          inputs.push_back({"breaks for " + input.name, input.text});
        finding.facts.insert(finding.facts.begin(), inputs.begin(),
                             inputs.end());
        ids.emplace_back(shown, finding.id);
        out.findings.push_back(std::move(finding));
      }
      for (const auto& [known, id] : ids)
        if (known == shown) cell.finding = id;
      for (Finding& finding : out.findings)
        if (finding.id == cell.finding)
          finding.answers.push_back({row.level, row.property});
    }
    grid.rows.back().cells.push_back(std::move(cell));
  }
  out.grids.push_back(std::move(grid));
  out.checked.push_back({"rests on", basis(result.bounds)});
  out.checked.push_back({"method", result.method});
  if (const std::string rest = left_out(result.bounds); !rest.empty())
    out.not_checked.push_back(one_line(rest));
  if (report.is_inductive)
    out.notes.emplace_back("from any values that satisfy the invariants");
  if (result.is_unbounded)
    out.notes.emplace_back("integers have no bounds here: nothing overflows");
  if (result.needed && result.needed->is_decided)
    for (const auto& set : result.needed->sets)
      out.notes.push_back("everything holds with others at " +
                          std::string(txscope::name(result.needed->others)) +
                          (set.empty() ? ""
                                       : " if these run at serializable: " +
                                             joined(set, ", ")));
}

}  // namespace txscope::report::document
