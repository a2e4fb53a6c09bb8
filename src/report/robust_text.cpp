#include <algorithm>

#include "base/ascii.h"
#include "report/page/lanes.h"
#include "report/page/wrap.h"
#include "report/robust_report.h"
#include "report/verify_report.h"

namespace txscope::report {
namespace {

using robust::Notion;
using robust::RobustResult;

constexpr std::size_t kLongestStatement = 150;
constexpr std::size_t kMostOpenCycles = 6;
constexpr std::size_t kMostPairs = 15;

/// What the notion promises, as the end of "robust: ...".
std::string promise(Notion notion) {
  switch (notion) {
    case Notion::Trace:
      return "every execution can be reordered into a serial one, "
             "dependency by dependency";
    case Notion::View:
      return "every execution reads from, and ends with, the same writers as a "
             "serial one";
    case Notion::History:
      return "every execution reads from the same transactions as a serial "
             "one";
    case Notion::Outcome:
      return "every value read and every final state is also possible "
             "serially";
    case Notion::State: return "every final state is also possible serially";
  }
  return "";
}

std::string verdict_text(const std::string& input, const RobustResult& r) {
  const std::string verdict =
      !r.vacuous_because.empty()
          ? "VACUOUS, nothing was checked: " + r.vacuous_because + "; robust"
      : r.answer == Outcome::Violated ? "NOT robust"
      : r.answer == Outcome::Holds    ? "robust"
                                      : "undecided, "
                                        "robust or not";
  std::string out = input + ": " + verdict + " against " + r.against + "\n";
  std::string sentence;
  if (r.answer == Outcome::Holds) sentence = promise(r.notion);
  if (r.answer == Outcome::Violated) sentence = why_not_robust(r.notion);
  if (r.answer == Outcome::Undecided) sentence = r.why;
  if (!sentence.empty()) {
    sentence.front() = ascii::upper(sentence.front());
    out += lines("", sentence + ".");
  }
  if (!r.effort.empty()) out += lines("", "Looked at " + r.effort + ".");
  out += lines("", "Asked: notion " + std::string(name(r.notion)) +
                       ", granularity " + std::string(name(r.granularity)) +
                       ", method " + std::string(name(r.method)) +
                       " (txscope explain notion).");
  if (r.bounds) out += left_out(*r.bounds);
  if (!r.inputs.empty()) {
    std::vector<std::string> inputs;
    for (const auto& [name_of, value] : r.inputs)
      inputs.push_back(name_of + " = " + value);
    out += lines("", "It is so for " + joined(inputs, ", ") + ".");
  }
  return out;
}

std::string lanes_of(const robust::Counterexample& c) {
  using Kind = evidence::Step::Kind;
  std::vector<LaneRow> rows;
  for (const robust::Counterexample::Step& of : c.steps) {
    const evidence::Step& step = of.told;
    std::string text = shortened(one_line(step.text), kLongestStatement);
    std::string seen = robust_seen(step);
    if (columns(seen) <= 16) {
      std::replace(seen.begin(), seen.end(), ' ', kHardSpace);
    }
    switch (step.kind) {
      case Kind::Begin:
      case Kind::Action:
      case Kind::Commit:
      case Kind::Rollback: break;
      case Kind::Statement:
        if (!seen.empty()) text += std::string(" ->") + kHardSpace + seen;
        break;
      case Kind::Wait: text += " ... " + seen; break;
      case Kind::Error: text += " ERROR " + seen; break;
    }
    rows.push_back({step.lane, static_cast<std::uint32_t>(step.place.line),
                    std::move(text)});
  }
  return draw_lanes(c.sessions, rows);
}

std::string refutation_text(const RobustResult& r) {
  const robust::Counterexample& c = *r.counterexample;
  std::string out = "\n";
  if (c.transactions.size() < c.all_transactions) {
    out += counted(c.transactions.size(), "transaction") + " of " +
           std::to_string(c.all_transactions) +
           (c.transactions.size() == 1 ? " is" : " are") + " enough:\n\n";
  }
  out += lanes_of(c) + "\n";
  if (!c.new_error.empty()) {
    out += lines("", "No serial order has this error: " + c.new_error + ".");
  }
  if (!c.cycle.empty()) {
    out += "The cycle:\n";
    for (const auto& edge : c.cycle) {
      out += lines("  ", edge.from + " -" + edge.kind + "-> " + edge.to + ": " +
                             edge.reason);
    }
  }
  if (!c.delayed.empty()) {
    out += lines("", c.delayed +
                         " is the delayed one: it reads before the others and "
                         "commits after them.");
  }
  for (std::size_t i = 0; i < c.finals.size(); ++i) {
    out += lines(i == 0 ? "In the end: " : "            ", c.finals[i]);
  }
  if (!c.anomaly.empty()) {
    out += lines("", "check calls it " + c.anomaly + ".");
  } else if (!c.is_refused && c.new_error.empty()) {
    out += lines("",
                 "The reads alone do not show it: the history is serializable, "
                 "but the order of its writes is not.");
  }
  if (c.problem) {
    out += lines("", "This schedule could not be replayed (" + *c.problem +
                         "); that is a bug in txscope, please report it.");
  }
  return out;
}

std::string repairs_text(const RobustResult& r) {
  if (r.repairs.empty()) {
    return r.has_tried_repairs
               ? "\nNo change of one to three reads was found that makes it "
                 "robust.\n"
               : "";
  }
  std::string out =
      "\nWhat makes it robust (each was tried on the changed program):\n";
  for (const Repair& repair : r.repairs) {
    out += lines("  * ", joined(repair.changes, ", and "));
    out += indented(repair.diff, "      ");
  }
  return out;
}

/// Safe pairs, or the others if those are fewer.
std::string pairs_text(const RobustResult& r) {
  if (r.all_pairs < 2) return "";
  if (r.safe_pairs.size() == r.all_pairs)
    return "Any two are safe together; it takes three.\n";
  std::string out = std::to_string(r.safe_pairs.size()) + " of " +
                    counted(r.all_pairs, "pair") +
                    " of transactions are safe together";
  if (r.safe_pairs.empty() || r.safe_pairs.size() > kMostPairs)
    return lines("", out + ".");
  std::vector<std::string> pairs;
  for (const auto& [a, b] : r.safe_pairs)
    pairs.push_back(a + " with " + (a == b ? "itself" : b));
  return lines("", out + ": " + joined(pairs, ", ") + ".");
}

std::string proof_text(const RobustResult& r) {
  std::string out;
  if (r.obligations > 0) {
    out += lines("", counted(r.obligations, "obligation") +
                         " asked of the "
                         "solver, for any number of sessions, instances and "
                         "arguments.");
  }
  if (!r.open_cycles.empty()) {
    out += "Cycles that could not be excluded:\n";
    // Several paths through the same transactions read alike.
    std::vector<std::string> cycles;
    for (const std::string& cycle : r.open_cycles) {
      if (std::find(cycles.begin(), cycles.end(), cycle) == cycles.end())
        cycles.push_back(cycle);
    }
    const std::size_t shown = std::min(cycles.size(), kMostOpenCycles);
    for (std::size_t i = 0; i < shown; ++i) out += lines("  * ", cycles[i]);
    if (shown < cycles.size()) {
      out += "  and " + counted(cycles.size() - shown, "other") + "\n";
    }
  }
  if (!r.safe_together.empty()) {
    out += "Robust together:\n";
    for (const std::string& set : r.safe_together) out += lines("  * ", set);
  }
  return out + pairs_text(r);
}

/// Of a proof: which types of transactions it is about.
std::string considered_text(const robust::RobustReport& report) {
  if (!report.are_types || report.considered.empty()) return "";
  std::string out =
      lines("", "Considered: " + joined(report.considered, ", ") + ".");
  if (!report.inside.empty())
    out += lines("", "Only within these: " + joined(report.inside, ", ") + ".");
  return out;
}

}  // namespace

std::string why_not_robust(Notion notion) {
  switch (notion) {
    case Notion::Trace:
      return "an execution has a cycle of dependencies that no serial one "
             "has";
    case Notion::View:
      return "an execution reads from, or ends with, other transactions than "
             "any serial one";
    case Notion::History:
      return "an execution reads from other transactions than any serial one";
    case Notion::Outcome:
      return "values can be read, or a final state reached, that no serial "
             "order produces";
    case Notion::State:
      return "a final state is reached that no serial order produces";
  }
  return "";
}

std::string robust_seen(const evidence::Step& step) {
  if (!step.waits_for.empty())
    return "waits for " + joined(step.waits_for, " ");
  return step.code.empty() ? step.seen : step.code + " " + step.seen;
}

std::string robust_text(const robust::RobustReport& report) {
  std::string out;
  for (const RobustResult& r : report.results) {
    if (!out.empty()) out += "\n";
    out += verdict_text(report.input, r);
    if (&r == &report.results.front()) out += considered_text(report);
    out += proof_text(r);
    out += repairs_text(r);
    // Later results say what the first one means; one drawing is enough.
    if (r.counterexample && &r == &report.results.front()) {
      out += refutation_text(r);
    }
  }
  if (report.allocation.empty()) return out;
  if (!out.empty()) out += "\n";
  if (!report.vacuous_allocation.empty())
    out += report.input +
           ": VACUOUS, nothing was checked: " + report.vacuous_allocation +
           "\n";
  out +=
      "The weakest level of each transaction such that every mix is "
      "serializable:\n";
  std::size_t width = 0;
  std::size_t level = 0;
  for (const auto& row : report.allocation) {
    width = std::max(width, columns(row.transaction));
    level = std::max(level, columns(row.level));
  }
  for (const auto& row : report.allocation) {
    const std::string first = "  " + padded(row.transaction, width + 2) +
                              padded(row.level, level + 2);
    out += row.reason.empty() ? trimmed(first) : lines(first, row.reason);
  }
  if (!report.allocation_problem.empty())
    out += lines("", "Not every mix is: " + report.allocation_problem + ".");
  if (report.is_allocation_cut) {
    out += lines("",
                 "Time or memory ran out: what was not asked counts as "
                 "possible, so some levels may be higher than needed.");
  }
  return out;
}

}  // namespace txscope::report
