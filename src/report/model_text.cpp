#include <fmt/format.h>

#include <algorithm>

#include "report/check_report.h"
#include "report/model_report.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

/// "no deadlock, 75 assumptions, 3 assertions": what was checked besides
/// invariants and properties.
std::vector<std::string> other_checks(const ModelResult& r) {
  std::vector<std::string> all;
  if (r.checks_deadlock) all.emplace_back("no deadlock");
  if (r.assumptions > 0)
    all.push_back(counted(r.assumptions, "assumption") +
                  (r.assumptions == 1 ? " is true" : " are true"));
  if (r.assertions > 0)
    all.push_back("assertions were true " + counted(r.assertions, "time"));
  if (r.conditions > 0)
    all.push_back(counted(r.conditions, "condition") + " at the end");
  return all;
}

/// Which states something holds of, and what, if no name says it.
std::string what_holds(const ModelResult& r) {
  const std::string others = joined(other_checks(r), ", ");
  if (r.distinct == 0) return "HOLDS: " + others + "; there are no states";
  const std::string where = r.is_cut_by_constraint
                                ? "in every state that the constraints leave"
                                : "in every reachable state";
  if (!r.invariants.empty() || !r.properties.empty()) return "HOLDS " + where;
  return "HOLDS: " + others +
         (r.is_cut_by_constraint ? ", " + where : std::string()) +
         "; no INVARIANT or PROPERTY was asked for";
}

std::string verdict_line(const ModelReport& report) {
  const ModelResult& r = *report.result;
  switch (r.violation) {
    case ModelViolation::Assumption:
      return fmt::format("VIOLATED: an ASSUME is false\n");
    case ModelViolation::Invariant:
      return fmt::format("VIOLATED: {} is false in a reachable state\n",
                         r.property);
    case ModelViolation::ActionProperty:
      return fmt::format("VIOLATED: {} forbids a step that can happen\n",
                         r.property);
    case ModelViolation::Liveness:
      return fmt::format("VIOLATED: {} fails on an infinite behaviour\n",
                         r.property);
    case ModelViolation::Deadlock:
      return "VIOLATED: deadlock, a state with no successor is reachable\n";
    case ModelViolation::Postcondition:
      return fmt::format("VIOLATED: the postcondition {} is false\n",
                         r.property);
    case ModelViolation::Impossible:
      return fmt::format(
          "VIOLATED: {} is not possible: no state or step has it\n",
          r.property);
    case ModelViolation::Assertion:
      return fmt::format("VIOLATED: an assertion fails: {}\n", r.message);
    case ModelViolation::None: break;
  }
  if (!r.emptiness.empty())
    return fmt::format("VACUOUS, nothing was checked: {}\n", r.emptiness);
  if (r.behaviours > 0)
    return fmt::format("UNDECIDED: nothing wrong in {} random behaviour{}\n",
                       grouped(r.behaviours), r.behaviours == 1 ? "" : "s");
  if (r.outcome == Outcome::Holds) return what_holds(r) + "\n";
  if (r.is_cut_by_depth)
    return fmt::format("UNDECIDED: nothing wrong up to depth {}\n", r.depth);
  if (!r.trouble.empty())
    return fmt::format("UNDECIDED: {}; nothing wrong so far\n", r.trouble);
  return fmt::format("UNDECIDED: {}; nothing wrong so far\n",
                     r.spent == Spent::Cancelled
                         ? "the search was interrupted"
                         : to_string(r.spent) + " ended the search");
}

std::string place(const Place& where) {
  return where.line == 0 ? std::string() : to_string(where);
}

std::string trace_text(const ModelReport& report) {
  const ModelResult& r = *report.result;
  std::string text;
  for (std::size_t i = 0; i < r.trace.size(); ++i) {
    const TraceState& state = r.trace[i];
    if (r.loop && *r.loop == i) text += "-- from here forever:\n";
    std::string line = fmt::format("{:>3}  {}", i + 1,
                                   i == 0 ? "initial state" : state.action);
    const Place& where = state.source.line != 0 ? state.source : state.place;
    if (where.line != 0) line += "   " + place(where);
    text += line + "\n";
    for (const TraceState::Binding& b : state.values) {
      if (i == 0 || report.all_values)
        text += wrapped(fmt::format("       {} = ", b.variable), b.value);
      else
        for (const std::string& change : b.changes)
          text += wrapped("       ", change);
    }
  }
  if (r.loop)
    text += *r.loop + 1 == r.trace.size()
                ? "-- and then nothing changes any more\n"
                : fmt::format("-- and back to state {}\n", *r.loop + 1);
  return text;
}

/// What was checked, when all of it holds.
std::string checked(const ModelResult& r) {
  if (r.violation != ModelViolation::None || !r.emptiness.empty()) return {};
  std::string text;
  const auto list = [&](const char* head, const auto& names) {
    std::string all;
    for (const std::string& name : names)
      all += (all.empty() ? "" : ", ") + name;
    if (!all.empty()) text += wrapped(head, all);
  };
  list("  invariants: ", r.invariants);
  list("  properties: ", r.properties);
  const bool is_said = r.outcome == Outcome::Holds && text.empty();
  if (!is_said) list("  also checked: ", other_checks(r));
  return text;
}

/// How even the load was, and what went from rank to rank.
std::string rank_figures(const ModelResult& r) {
  if (r.ranks.size() < 2) return {};
  RankUse all;
  std::uint64_t most = 0;
  for (const RankUse& rank : r.ranks) {
    all.generated += rank.generated;
    all.states_sent += rank.states_sent;
    all.bytes_sent += rank.bytes_sent;
    most = std::max(most, rank.generated);
  }
  const auto generated =
      static_cast<double>(std::max<std::uint64_t>(all.generated, 1));
  return fmt::format(
      "{} ranks: the busiest did {:.2f} of the mean; {:.0f} % of the "
      "successors "
      "were sent, {:.1f} MB\n",
      r.ranks.size(),
      static_cast<double>(most) * static_cast<double>(r.ranks.size()) /
          generated,
      100 * static_cast<double>(all.states_sent) / generated,
      static_cast<double>(all.bytes_sent) / 1e6);
}

std::string figures(const ModelReport& report) {
  const ModelResult& r = *report.result;
  if (r.generated == 0 && r.assumptions > 0) return {};
  std::string text =
      fmt::format("{} generated, {} distinct, depth {}",
                  counted(r.generated, "state"), grouped(r.distinct), r.depth);
  if (report.seconds >= 0.1)
    text +=
        fmt::format("; {:.1f} s, {} states/s", report.seconds,
                    grouped(static_cast<std::uint64_t>(
                        static_cast<double>(r.generated) / report.seconds)));
  text += "\n";
  if (r.distinct > 0)
    text += fmt::format("chance that a state was missed: {:.1e}\n",
                        r.collision_probability);
  return text + rank_figures(r);
}

/// Actions, and lines that were never evaluated first of all.
std::string coverage_text(const ModelResult& r) {
  if (!r.coverage) return {};
  std::string text = "\ncoverage, actions (generated, distinct):\n";
  for (const ModelCoverage::Action& a : r.coverage->actions)
    text += fmt::format("  {:>12} {:>12}  {}   {}\n", grouped(a.generated),
                        grouped(a.distinct), a.name, place(a.place));
  text += "coverage, lines (evaluations):\n";
  for (const ModelCoverage::Line& line : r.coverage->lines)
    text += fmt::format("  {:>12}  {}:{}  {}\n",
                        line.count == 0 ? "never" : grouped(line.count),
                        line.place.file, line.place.line, line.text);
  return text;
}

}  // namespace

CheckReport observed_report(const ModelResult& result) {
  CheckReport check;
  check.input = "The transactions in the last state";
  check.history = result.history.get();
  for (const check::LadderRow& row : result.levels)
    check.rows.push_back({row.verdict, row.follows_from});
  return check;
}

std::string model_trace_text(const ModelReport& report) {
  return fmt::format("the behaviour up to the error, {} state{}:\n\n",
                     report.result->trace.size(),
                     report.result->trace.size() == 1 ? "" : "s") +
         trace_text(report) + "\n";
}

std::string model_text(const ModelReport& report) {
  const ModelResult& r = *report.result;
  std::string text = fmt::format("{}: {}", report.input, verdict_line(report));
  if (r.property_place.line != 0)
    text += fmt::format("  {} is at {}\n", r.property, place(r.property_place));
  if (r.violation == ModelViolation::Deadlock)
    text +=
        "  if behaviours may end there: --no-deadlock, or CHECK_DEADLOCK FALSE "
        "in the\n  configuration\n";
  if (!r.checkpoint.empty())
    text += fmt::format("  go on with --resume {}\n", r.checkpoint);
  text += checked(r);
  for (const std::string& note : r.notes) text += wrapped("note: ", note);
  if (!r.trace.empty())
    text +=
        fmt::format("\n{} way there, {} states:\n\n",
                    r.behaviours > 0 || r.distinct == 0 ? "A" : "The shortest",
                    r.trace.size()) +
        trace_text(report);
  if (const std::string chart = model_chart(r); !chart.empty())
    text +=
        "\nWho does what; arrows are messages without which a step could "
        "not be taken:\n\n" +
        chart;
  if (r.history) text += "\n" + check_text(observed_report(r));
  if (!r.printed.empty()) {
    text += "\nprinted by the specification:\n";
    for (const std::string& line : r.printed) text += "  " + line + "\n";
  }
  text += coverage_text(r);
  const std::string numbers = figures(report);
  if (!numbers.empty()) text += "\n" + numbers;
  return text;
}

}  // namespace txscope::report
