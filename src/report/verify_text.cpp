#include <algorithm>

#include "report/answer_report.h"
#include "report/broken_where.h"
#include "report/page/dot.h"
#include "report/page/verdict_table.h"
#include "report/page/wrap.h"
#include "report/verify_report.h"

namespace txscope::report {
namespace {

constexpr std::size_t kRuleLevelWidth = 29;

std::string_view shown_verdict(const verify::VerifyRow& row, bool is_vacuous) {
  if (row.verdict == Outcome::Violated) return "VIOLATED";
  return is_vacuous && verify::holds(row) ? "vacuous"
                                          : verify::verdict_word(row);
}

/// The rows of one rule, weakest level first.
struct RuleRows {
  std::string title;
  std::vector<const verify::VerifyRow*> rows;
};

std::vector<RuleRows> by_rule(const verify::VerifyResult& result) {
  std::vector<RuleRows> out;
  std::size_t rules = 0;
  while (rules < result.rows.size() &&
         result.rows[rules].level == result.rows[0].level) {
    ++rules;
  }
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const verify::VerifyRow& row = result.rows[i];
    if (i < rules) {
      const std::string title = row.kind == "errors"
                                    ? "errors"
                                    : row.kind + " \"" + row.property + "\"";
      out.push_back({title, {}});
    }
    out[i % rules].rows.push_back(&row);
  }
  return out;
}

std::string rules_table(const std::vector<RuleRows>& rules, bool is_vacuous) {
  std::string out;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    out += lines("  [" + std::to_string(r + 1) + "] ", rules[r].title);
  }
  std::size_t width = kRuleLevelWidth;
  for (const verify::VerifyRow* row :
       rules.empty() ? std::vector<const verify::VerifyRow*>()
                     : rules[0].rows) {
    width = std::max(width, row->level.size() + 2);
  }
  // The last one needs no room behind it.
  const std::size_t across = std::max<std::size_t>(
      1, (std::max(text_width() + 2, width) - width) / kVerdictWidth);
  for (std::size_t first = 0; first < rules.size(); first += across) {
    const std::size_t last = std::min(first + across, rules.size());
    std::string head = padded("level", width);
    for (std::size_t r = first; r < last; ++r) {
      head += padded("[" + std::to_string(r + 1) + "]", kVerdictWidth);
    }
    out += "\n" + trimmed(head);
    for (std::size_t i = 0; i < rules[first].rows.size(); ++i) {
      std::string line = padded(rules[first].rows[i]->level, width);
      for (std::size_t r = first; r < last; ++r) {
        line +=
            padded(shown_verdict(*rules[r].rows[i], is_vacuous), kVerdictWidth);
      }
      out += trimmed(line);
    }
  }
  return out;
}

/// Whether a rule that holds at b for that reason holds at a.
bool is_stronger(const verify::VerifyRow& a, const verify::VerifyRow& b) {
  return a.base && b.base && implies({*a.base}, {*b.base});
}

/// The weakest levels of theory, of those asked about, at which a rule holds.
std::string strength(const RuleRows& rule) {
  std::vector<std::string> weakest;
  for (const verify::VerifyRow* row : rule.rows) {
    if (!holds(*row) || !row->base) continue;
    const bool has_weaker = std::any_of(
        rule.rows.begin(), rule.rows.end(),
        [&](const verify::VerifyRow* other) {
          return other != row && holds(*other) && is_stronger(*row, *other);
        });
    if (!has_weaker) weakest.push_back(row->level);
  }
  if (weakest.empty()) return "";
  return "safe from " + joined(weakest, " or ") + " up";
}

std::string strengths(const std::vector<RuleRows>& rules) {
  std::string out;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const std::string text = strength(rules[r]);
    if (text.empty()) continue;
    out += lines("  [" + std::to_string(r + 1) + "] ", text);
  }
  return out.empty() ? "" : "\n" + out;
}

std::string doubts(const std::vector<RuleRows>& rules) {
  std::vector<std::string> said;
  std::string out;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const verify::VerifyRow* row : rules[r].rows) {
      std::string text;
      if (row->is_vacuous) {
        text = row->level +
               ": no execution satisfies the assumptions, so nothing was "
               "verified.";
      } else if (row->verdict == Outcome::Undecided) {
        text = "[" + std::to_string(r + 1) + "] at " + row->level +
               " is undecided: " + row->why + ".";
      }
      if (text.empty() ||
          std::find(said.begin(), said.end(), text) != said.end()) {
        continue;
      }
      said.push_back(text);
      out += lines("", text);
    }
  }
  return out.empty() ? "" : "\n" + out;
}

std::string inputs_text(const std::vector<verify::InputValue>& inputs) {
  if (inputs.empty()) return "";
  std::string text;
  for (const verify::InputValue& input : inputs) {
    if (!text.empty()) text += ", ";
    text += input.name + " = " + input.text;
  }
  return lines("", "It breaks for " + text + ".");
}

std::string example_text(const verify::VerifyRow& row) {
  const verify::VerifiedExample& shown = *row.counterexample;
  Counterexample example = shown.example;
  example.level = row.level;
  return "\n" + inputs_text(shown.inputs) +
         counterexample_text(shown.workload, example);
}

/// Of each rule the counterexample at the strongest level.
std::string counterexamples(const std::vector<RuleRows>& rules) {
  std::string out;
  for (const RuleRows& rule : rules) {
    for (std::size_t i = rule.rows.size(); i-- > 0;) {
      const verify::VerifyRow& row = *rule.rows[i];
      if (!row.counterexample) continue;
      out += example_text(row);
      break;
    }
  }
  return out;
}

}  // namespace

std::string basis(const verify::VerifyBounds& bounds) {
  std::string text =
      counted(bounds.sessions, "session") + ", " +
      counted(bounds.transactions, "transaction") + ", " +
      (bounds.inputs == 0 ? "no open input"
                          : counted(bounds.inputs, "open input"));
  if (bounds.rounds > 0) {
    text += ", loops unrolled " + grouped(bounds.rounds) + " times";
  }
  return text;
}

std::string left_out(const verify::VerifyBounds& bounds) {
  std::string out;
  for (const std::string& keys : bounds.keys) {
    out += lines("", "Keys that inputs choose: " + keys + "; no others.");
  }
  if (const std::string& some = bounds.numerics; !some.empty()) {
    out += lines("", "Numerics without a precision: " + some + "; no others.");
  }
  return out;
}

namespace {

std::string needed_text(const verify::LevelsNeeded& needed) {
  const std::string others(name(needed.others));
  std::string out = "\n";
  if (!needed.is_decided) {
    return out +
           lines("", "Which transactions need serializable is undecided.");
  }
  if (needed.sets.empty()) {
    return out + lines("", "Serializable for all transactions is not enough.");
  }
  if (needed.sets.front().empty()) {
    return out + lines("", "Everything holds with all transactions at " +
                               others + ".");
  }
  out += lines("", "Everything holds with others at " + others +
                       " if these run at serializable:");
  for (const auto& set : needed.sets) {
    out += lines("  ", joined(set, ", "));
  }
  return out;
}

}  // namespace

std::string verify_dot(const VerifyReport& report) {
  std::string out;
  std::size_t number = 0;
  for (const RuleRows& rule : by_rule(*report.result)) {
    for (std::size_t i = rule.rows.size(); i-- > 0;) {
      const verify::VerifiedExample* shown = rule.rows[i]->counterexample.get();
      if (shown == nullptr) continue;
      out += counterexample_dot(shown->workload, shown->example, ++number);
      break;
    }
  }
  return dot_graph(out);
}

std::string verify_text(const VerifyReport& report) {
  const std::vector<RuleRows> rules = by_rule(*report.result);
  const std::string partly =
      report.partly.empty() ? "" : "; " + joined(report.partly, "; ");
  std::string out =
      lines("", report.input + ": " +
                    (report.nothing.empty()
                         ? verdict_line(rules_at_levels(*report.result))
                         : "VACUOUS, nothing was checked: " + report.nothing) +
                    partly);
  out += lines("  ", basis(report.result->bounds) + " (session order)");
  if (report.is_inductive) {
    out += lines("",
                 "From any values that satisfy the invariants; the rows are "
                 "those of the file.");
  }
  if (report.result->is_unbounded) {
    out += lines("", "Integers have no bounds here: nothing overflows.");
  }
  out += left_out(report.result->bounds);
  out += "\n" + rules_table(rules, !report.nothing.empty());
  if (report.nothing.empty()) out += strengths(rules);
  out += doubts(rules);
  if (report.result->needed) out += needed_text(*report.result->needed);
  out += counterexamples(rules);
  return out;
}

}  // namespace txscope::report
