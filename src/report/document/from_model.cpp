// What `model` says: a behaviour as lanes of processes, with messages, and the
// variables after every step.
#include <algorithm>
#include <map>

#include "report/document/documents.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

std::string title_of(const ModelResult& result) {
  switch (result.violation) {
    case ModelViolation::Assumption: return "An ASSUME is false";
    case ModelViolation::Invariant:
      return result.property + " is false in a reachable state";
    case ModelViolation::ActionProperty:
      return result.property + " forbids a step that can happen";
    case ModelViolation::Liveness:
      return result.property + " fails on an infinite behaviour";
    case ModelViolation::Deadlock:
      return "A state with no successor is reachable";
    case ModelViolation::Postcondition:
      return "The postcondition " + result.property + " is false";
    case ModelViolation::Impossible:
      return result.property + " is not possible: no state or step has it";
    case ModelViolation::Assertion:
      return "An assertion fails: " + result.message;
    case ModelViolation::None: break;
  }
  return "";
}

Table variables_of(const TraceState& state, bool is_first) {
  Table table;
  table.columns = {"variable", "value"};
  for (const TraceState::Binding& binding : state.values) {
    const bool is_changed = !is_first && binding.changed;
    table.rows.push_back(
        {{binding.variable, binding.value}, {false, is_changed}, "", false});
  }
  return table;
}

class BehaviourDocument {
 public:
  explicit BehaviourDocument(const ModelResult& result) : result_(result) {}

  void build(Finding& out) {
    for (const TraceState& state : result_.trace)
      if (!state.process.empty()) lane(state.process);
    if (names_.empty()) names_.emplace_back("behaviour");
    const bool has_other = std::any_of(
        result_.trace.begin() + 1, result_.trace.end(),
        [](const TraceState& state) { return state.process.empty(); });
    if (lanes_.empty())
      others_ = 0;
    else if (has_other)
      others_ = lane("others");
    for (std::size_t i = 0; i < result_.trace.size(); ++i)
      out.steps.push_back(step(i));
    for (std::size_t i = 1; i < result_.trace.size(); ++i)
      for (const TraceMessage& message : result_.trace[i].received)
        if (message.sent_at > 0 && message.sent_at < i)
          out.arrows.push_back({Arrow::Kind::Message, message.sent_at, i,
                                short_message(message.text)});
    out.lanes = names_;
    out.loop = result_.loop;
    if (result_.loop)
      out.facts.push_back(
          {"for ever",
           *result_.loop + 1 == result_.trace.size()
               ? "nothing changes any more"
               : "back to step " + std::to_string(*result_.loop + 1)});
  }

 private:
  std::size_t lane(const std::string& process) {
    const auto [entry, is_new] = lanes_.emplace(process, names_.size());
    if (is_new) names_.push_back(process);
    return entry->second;
  }

  Step step(std::size_t i) {
    const TraceState& state = result_.trace[i];
    Step out;
    out.kind = i == 0 ? Step::Kind::Begin : Step::Kind::Action;
    out.lane =
        state.process.empty() ? (i == 0 ? 0 : others_) : lane(state.process);
    out.text = i == 0 ? "initial state" : state.action;
    out.place = state.source.line != 0 ? state.source : state.place;
    for (const TraceMessage& message : state.sent)
      out.notes.push_back("sends " + short_message(message.text));
    out.state = {variables_of(state, i == 0)};
    return out;
  }

  const ModelResult& result_;
  std::map<std::string, std::size_t> lanes_;
  std::vector<std::string> names_;
  std::size_t others_ = 0;
};

}  // namespace

void add_model(const ModelReport& report, Document& out) {
  const ModelResult& result = *report.result;
  if (result.violation != ModelViolation::None) {
    Finding finding;
    finding.kind =
        result.violation == ModelViolation::Deadlock ? "deadlock" : "protocol";
    finding.title = title_of(result);
    out.headline = finding.title;
    finding.answers = {{"", result.property}};
    finding.place = result.property_place;
    if (finding.place.file.empty()) finding.place.file = report.input;
    finding.is_protocol = true;
    if (!result.trace.empty()) BehaviourDocument(result).build(finding);
    std::vector<std::string> texts = {result.property};
    for (const Step& step : finding.steps) texts.push_back(step.text);
    finding.id = finding.kind + "-" + fingerprint(texts);
    out.findings.push_back(std::move(finding));
  }
  if (result.history) add_history(observed_report(result), out);
  Grid grid;
  grid.title = "What was asked";
  grid.corner = "name";
  grid.columns = {"kind", "answer"};
  const auto answer = [&](const std::string& name_of) -> Cell {
    if (result.outcome == Outcome::Violated)
      return name_of == result.property
                 ? Cell{"VIOLATED", Tone::Bad, out.findings.front().id, ""}
                 : Cell{"undecided", Tone::Open, "",
                        "the search ended with the violation"};
    if (!result.emptiness.empty())
      return {"vacuous", Tone::Open, "", result.emptiness};
    return result.outcome == Outcome::Holds
               ? Cell{"holds", Tone::Good, "", ""}
               : Cell{"undecided", Tone::Open, "", ""};
  };
  for (const std::string& one : result.invariants)
    grid.rows.push_back({one, {{"invariant"}, answer(one)}});
  for (const std::string& one : result.properties)
    grid.rows.push_back({one, {{"property"}, answer(one)}});
  if (!grid.rows.empty()) out.grids.insert(out.grids.begin(), std::move(grid));
  out.checked.push_back({"states generated", grouped(result.generated)});
  out.checked.push_back({"distinct", grouped(result.distinct)});
  out.checked.push_back({"depth", grouped(result.depth)});
  out.checked.push_back(
      {"deadlock", result.checks_deadlock ? "looked for" : "not looked for"});
  if (result.behaviours > 0)
    out.not_checked.push_back("only " + grouped(result.behaviours) +
                              " random behaviours were looked at");
  if (result.is_cut_by_depth)
    out.not_checked.push_back("nothing beyond depth " + grouped(result.depth));
  if (result.is_cut_by_constraint)
    out.not_checked.emplace_back("states that the constraints leave out");
  for (const std::string& note : result.notes) out.notes.push_back(note);
  for (const std::string& line : result.printed)
    out.notes.push_back("printed: " + line);
}

}  // namespace txscope::report::document
