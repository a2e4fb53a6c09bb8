#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "model/product/profile.h"
#include "report/answer_report.h"
#include "report/broken_where.h"
#include "report/page/verdict_table.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

bool is_profile(const Answer& answer) { return !answer.base.has_value(); }

const Profile* profile_of(const Answer& answer) {
  if (answer.base) return nullptr;
  const auto profile = parse_profile(answer.level);
  return profile ? *profile : nullptr;
}

std::string histories(std::uint64_t n) {
  return grouped(n) + (n == 1 ? " history" : " histories");
}

std::string final_states(std::uint64_t n) { return counted(n, "final state"); }

class AnswerText {
 public:
  explicit AnswerText(const AnswerReport& report)
      : report_(report),
        workload_(*report.workload),
        answers_(*report.answers),
        is_sql_(workload_.language == Workload::Language::Sql) {}

  std::string text() const {
    std::string out = answers_.size() == 1 ? one() : many();
    out += without_rules();
    out += few_outcomes();
    for (const Answer& answer : answers_) out += ends(answer);
    out += notes();
    for (const Counterexample* example : to_draw()) {
      out += "\n" + counterexample_text(workload_, *example);
    }
    for (const Counterexample* witness : one_of_each(&Answer::witnesses)) {
      out += "\n" + counterexample_text(workload_, *witness);
    }
    const std::string last = answers_.size() > 1 ? advice() : "";
    if (!last.empty()) out += "\n" + last;
    return out + certified();
  }

 private:
  // --- verdicts

  [[nodiscard]] std::string one() const {
    const Answer& answer = answers_.front();
    std::string out = report_.input + ": " + answer.level +
                      (is_sql_ ? " " : " (session order) ") + headline(answer) +
                      "\n";
    out += lines("", counts_sentence(answer) + ".");
    for (const PropertyAnswer& row : answer.properties) {
      out += "  " + padded(verdict(answer, row.verdict), kVerdictWidth) +
             property_title(workload_.properties[row.property.index]);
      if (report_.all && row.violating > 0) {
        out += " (in " +
               (is_profile(answer) ? final_states(row.violating)
                                   : histories(row.violating)) +
               ")";
      }
      out += "\n";
    }
    for (const BuiltinAnswer& row : answer.builtins) {
      out += "  " + padded(verdict(answer, row.verdict), kVerdictWidth) +
             std::string(name(row.which)) + "\n";
    }
    return out;
  }

  /// What the rows come to: whatever is violated in one of them is so here.
  [[nodiscard]] std::string headline(const Answer& answer) const {
    if (report_.counts_only) return "counted";
    const std::string why = vacuous(answer);
    if (!why.empty()) return "is VACUOUS, nothing was checked: " + why;
    std::vector<std::string> broken;
    for (const BuiltinAnswer& row : answer.builtins) {
      if (row.verdict != Outcome::Violated) continue;
      broken.push_back(row.which == Builtin::NoDeadlock
                           ? "a deadlock"
                           : "not " + std::string(name(row.which)));
    }
    const bool is_violated = answer.outcome == Outcome::Violated;
    if (!is_violated && !broken.empty())
      return "is VIOLATED: " + joined(broken, ", ") + "; the rules hold";
    return (is_violated ? "is VIOLATED" : std::string(name(answer.outcome))) +
           parts("; ");
  }

  [[nodiscard]] std::string vacuous(const Answer& answer) const {
    const auto index = static_cast<std::size_t>(&answer - answers_.data());
    return index < report_.vacuous.size() ? report_.vacuous[index] : "";
  }

  [[nodiscard]] std::string parts(const std::string& before) const {
    return report_.partly.empty() ? "" : before + joined(report_.partly, "; ");
  }

  [[nodiscard]] std::string many() const {
    const std::string what = counted(workload_.sessions.size(), "session") +
                             ", " +
                             counted(workload_.call_count(), "transaction") +
                             (is_sql_ ? "" : " (session order)");
    const std::string verdict = verdict_of_all();
    if (verdict.empty())
      return report_.input + ": " + what + parts("; ") + "\n\n" + table();
    return lines("", report_.input + ": " + verdict + parts("; ")) +
           lines("  ", what) + "\n" + table();
  }

  /// What the table comes to; empty: nothing was asked.
  [[nodiscard]] std::string verdict_of_all() const {
    const bool all_vacuous =
        !report_.vacuous.empty() &&
        std::none_of(report_.vacuous.begin(), report_.vacuous.end(),
                     [](const std::string& why) { return why.empty(); });
    if (all_vacuous)
      return "VACUOUS, nothing was checked: " + report_.vacuous.front();
    const std::vector<RuleAtLevel> rules = rules_at_levels(report_);
    return rules.empty() || report_.counts_only ? "" : verdict_line(rules);
  }

  /// Where nothing was asked, "holds" would say more than is known.
  [[nodiscard]] std::string without_rules() const {
    const bool any_asked =
        std::any_of(answers_.begin(), answers_.end(), [](const Answer& answer) {
          return !answer.properties.empty() || !answer.builtins.empty();
        });
    if (any_asked || report_.counts_only) return "";
    return lines("",
                 "The file has no rule, so none could break; say what must "
                 "hold with " +
                     std::string(is_sql_ ? "--@ invariant NAME: CONDITION."
                                         : "invariant, assert or exists."));
  }

  /// A reader may wonder how one outcome can be wrong.
  [[nodiscard]] std::string few_outcomes() const {
    const bool is_odd =
        std::any_of(answers_.begin(), answers_.end(), [](const Answer& a) {
          return is_profile(a) && a.is_complete && a.counts.histories == 1 &&
                 a.outcome == Outcome::Violated;
        });
    if (!is_odd) return "";
    return "\n" + lines("",
                        "1 outcome and VIOLATED: every order of the steps ends "
                        "this way.");
  }

  /// As litmus tools list them: how many, then the values.
  [[nodiscard]] static std::string ends(const Answer& answer) {
    if (answer.ends.empty()) return "";
    std::string out = "\n" + answer.level + ": " +
                      counted(answer.ends.size(), "outcome") +
                      ", each with the number of histories that can end so\n";
    for (const SeenEnd& end : answer.ends) {
      out += padded(grouped(end.histories), 8) + ":>";
      for (std::size_t i = 0; i < end.values.size(); ++i) {
        const NamedValue& v = end.values[i];
        out += (i > 0 ? " " : "") + v.name + "=" +
               (v.value.is_null() ? "unassigned" : to_string(v.value)) + ";";
      }
      out += "\n";
    }
    return out;
  }

  /// What the search of one level came to, in a sentence.
  [[nodiscard]] static std::string counts_sentence(const Answer& answer) {
    const Counts& c = answer.counts;
    std::string text;
    if (is_profile(answer)) {
      text = counted(c.histories, "different outcome") + ", " +
             final_states(c.final_states) + aborts(c);
      if (c.cut > 0) text += "; " + grouped(c.cut) + " cut";
    } else {
      text = histories(c.histories);
      if (*answer.base > Base::Causal) {
        text += " (of " + grouped(c.end_states) + " causal ones)";
      }
      if (c.discarded > 0) {
        text += ", " + grouped(c.discarded) + " discarded by assume";
      }
      if (c.faulted > 0) {
        text += ", " + grouped(c.faulted) + " ended by an error";
      }
      if (c.cut > 0) text += ", " + grouped(c.cut) + " cut by a bound";
      if (c.duplicates > 0) {
        text += ", " + grouped(c.duplicates) + " found again";
      }
    }
    return text + (answer.is_complete ? "; the search is complete" : "");
  }

  static std::string aborts(const Counts& counts) {
    std::vector<std::string> codes;
    for (const auto& [code, n] : counts.aborts) {
      codes.push_back(code == "raised" ? "RAISE" : code);
    }
    if (codes.empty()) return "";
    return "; some abort with " + joined(codes, ", ");
  }

  /// One thing that is asked at every level, or at those of engines.
  struct Column {
    std::string title;
    std::optional<std::size_t> property;
    Builtin builtin = Builtin::OneAfterTheOther;
  };

  [[nodiscard]] std::vector<Column> all_columns() const {
    std::vector<Column> out;
    for (std::size_t p = 0; p < workload_.properties.size(); ++p) {
      const Property& property = workload_.properties[p];
      out.push_back({property_title(property) + ", line " +
                         std::to_string(property.at.line),
                     p});
    }
    const auto asked =
        std::find_if(answers_.begin(), answers_.end(),
                     [](const Answer& a) { return !a.builtins.empty(); });
    if (asked == answers_.end()) return out;
    for (const BuiltinAnswer& row : asked->builtins) {
      out.push_back({std::string(name(row.which)), std::nullopt, row.which});
    }
    return out;
  }

  [[nodiscard]] std::string cell(const Answer& answer,
                                 const Column& column) const {
    if (column.property)
      return verdict(answer, answer.properties[*column.property].verdict);
    for (const BuiltinAnswer& row : answer.builtins) {
      if (row.which == column.builtin) return verdict(answer, row.verdict);
    }
    return "-";
  }

  /// "holds" only of something.
  [[nodiscard]] std::string verdict(const Answer& answer,
                                    Outcome outcome) const {
    if (outcome == Outcome::Holds && !vacuous(answer).empty()) return "vacuous";
    return std::string(shown(outcome));
  }

  /// Columns of verdicts, a few properties at a time.
  [[nodiscard]] std::string table() const {
    const std::vector<Column> columns = all_columns();
    const std::size_t n = columns.size();
    std::string out;
    for (std::size_t p = 0; p < n; ++p) {
      out += lines(padded("  [" + std::to_string(p + 1) + "] ", 6),
                   columns[p].title);
    }
    if (n > 0) out += "\n";
    const bool has_errors =
        std::any_of(answers_.begin(), answers_.end(),
                    [](const Answer& a) { return a.counts.faulted > 0; });
    std::size_t width = columns_of("level");
    for (const Answer& answer : answers_)
      width = std::max(width, columns_of(answer.level));
    width += 2;
    const std::size_t beside = columns_beside(width);
    std::size_t first = 0;
    do {
      const std::size_t last = std::min(first + beside, n);
      std::string head = padded("level", width) + padded(runs(), kCountWidth);
      for (std::size_t p = first; p < last; ++p) {
        head += padded("[" + std::to_string(p + 1) + "]", kVerdictWidth);
      }
      if (n == 0 && !has_errors && !report_.counts_only) head += "verdict";
      if (has_errors) head += "errors";
      out += trimmed(head);
      for (const Answer& answer : answers_) {
        std::string row = padded(answer.level, width) +
                          padded(grouped(answer.counts.histories) +
                                     (answer.is_complete ? "" : "+"),
                                 kCountWidth);
        for (std::size_t p = first; p < last; ++p) {
          row += padded(cell(answer, columns[p]), kVerdictWidth);
        }
        if (n == 0 && !has_errors && !report_.counts_only)
          row += verdict(answer, answer.outcome);
        if (has_errors) row += answer.counts.faulted > 0 ? "yes" : "no";
        out += trimmed(row);
      }
      first = last;
      if (first < n) out += "\n";
    } while (first < n);
    return out;
  }

  static std::size_t columns_of(std::string_view text) {
    return report::columns(text);
  }

  /// How many properties fit beside levels that are so wide; the last one needs
  /// no room behind it.
  static std::size_t columns_beside(std::size_t width) {
    constexpr std::size_t kLastWidth = 9;  // undecided
    const std::size_t used = width + kCountWidth + kLastWidth;
    if (used >= text_width()) return 1;
    return 1 + (text_width() - used) / kVerdictWidth;
  }

  /// What is counted.
  [[nodiscard]] std::string runs() const {
    const bool any_profile =
        std::any_of(answers_.begin(), answers_.end(), is_profile);
    const bool all_profiles =
        std::all_of(answers_.begin(), answers_.end(), is_profile);
    if (all_profiles && !answers_.empty()) return "outcomes";
    return any_profile ? "runs" : "histories";
  }

  // --- what has to be known with the verdicts

  [[nodiscard]] std::string notes() const {
    std::string out = report_.application == nullptr
                          ? ""
                          : dialect_notes(*report_.application, answers_);
    out += reasons();
    std::set<std::string_view> sources;
    for (const Answer& answer : answers_) {
      const Profile* profile = profile_of(answer);
      if (profile == nullptr || !sources.insert(profile->source).second) {
        continue;
      }
      if (!profile->caveat.empty()) {
        out +=
            lines("", "Known to differ: " + std::string(profile->caveat) + ".");
      }
      if (profile->is_observed) continue;
      const auto product = profile->name.substr(0, profile->name.find(':'));
      out +=
          lines("", std::string(product) + " is " +
                        std::string(profile->source) + " on a running server.");
    }
    return out.empty() ? "" : "\n" + out;
  }

  /// Why some levels were not finished; levels with the same reason together.
  [[nodiscard]] std::string reasons() const {
    std::vector<std::pair<std::string, std::string>> all;  // reason, levels
    for (const Answer& answer : answers_) {
      if (answer.is_complete) continue;
      const std::string why = why_undecided(answer);
      if (why.empty()) continue;
      const auto known =
          std::find_if(all.begin(), all.end(),
                       [&](const auto& line) { return line.first == why; });
      if (known == all.end()) {
        all.emplace_back(why, answer.level);
      } else {
        known->second += ", " + answer.level;
      }
    }
    std::string out;
    for (const auto& [why, levels] : all) {
      out += lines("", levels + ": " + why + ".");
    }
    return out;
  }

  [[nodiscard]] std::string why_undecided(const Answer& answer) const {
    switch (answer.spent) {
      case Spent::Nothing:
      case Spent::Proof: break;
      case Spent::Time: return "time ran out before the search was complete";
      case Spent::Memory:
        return "memory ran out before the search was complete";
      case Spent::Steps:
        return "the effort was spent before the search was complete";
      case Spent::Cancelled:
        return "the search was stopped before it was complete";
    }
    if (answer.counts.cut == 0) return "";
    if (!answer.cut_reason.empty()) return answer.cut_reason;
    if (is_sql_) {
      return "a loop reached its bound of " + grouped(report_.loop_bound) +
             " rounds (--loop-bound raises it), or a number its limit";
    }
    return "a while loop reached its bound of " + grouped(report_.loop_bound) +
           " rounds, or a transaction 16 million events, in " +
           counted(answer.counts.cut, "execution") +
           "; --loop-bound raises the former";
  }

  // --- what to draw, and what to do

  /// Levels as they are looked at for something to draw: engines in their order
  /// (PostgreSQL first), then theory; the strongest of each first.
  [[nodiscard]] std::vector<const Answer*> by_interest() const {
    std::vector<const Answer*> out;
    for (std::size_t i = answers_.size(); i-- > 0;) {
      out.push_back(&answers_[i]);
    }
    const auto rank = [](const Answer* answer) {
      const Profile* profile = profile_of(*answer);
      return profile == nullptr ? 1000 : static_cast<int>(profile->product);
    };
    std::stable_sort(
        out.begin(), out.end(),
        [&](const Answer* a, const Answer* b) { return rank(a) < rank(b); });
    return out;
  }

  using Runs = std::vector<const Counterexample*>;

  /// Of each property, each built-in row and each error the first one.
  [[nodiscard]] Runs one_of_each(
      std::vector<Counterexample> Answer::*runs) const {
    Runs out;
    for (const Answer* answer : by_interest()) {
      for (const Counterexample& run : answer->*runs) {
        const bool is_drawn = std::any_of(
            out.begin(), out.end(), [&](const Counterexample* other) {
              return other->property == run.property &&
                     other->builtin == run.builtin &&
                     (run.property || other->at.offset == run.at.offset);
            });
        if (!is_drawn) out.push_back(&run);
      }
    }
    return out;
  }

  /// Built-in rows only where nothing else is wrong, or where everything was
  /// asked for.
  [[nodiscard]] Runs to_draw() const {
    Runs out = one_of_each(&Answer::counterexamples);
    const auto is_builtin = [](const Counterexample* e) {
      return e->builtin.has_value();
    };
    if (!report_.all && !std::all_of(out.begin(), out.end(), is_builtin)) {
      std::erase_if(out, is_builtin);
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const Counterexample* a, const Counterexample* b) {
                       const auto key = [](const Counterexample* e) {
                         return std::tuple(
                             e->builtin, !e->property,
                             e->property ? e->property->index : 0);
                       };
                       return key(a) < key(b);
                     });
    return out;
  }

  /// The weakest of the levels asked about at which everything holds.
  [[nodiscard]] std::string advice() const {
    bool any_violated = false;
    std::vector<std::string> holds;
    std::string product;  // one level of each product, and of theory
    for (const Answer& answer : answers_) {
      any_violated |= answer.outcome == Outcome::Violated;
      if (answer.outcome != Outcome::Holds) continue;
      const std::string its =
          answer.level.substr(0, answer.level.find(':') + 1);
      if (!holds.empty() && its == product) continue;
      product = its;
      holds.push_back(answer.level);
    }
    if (!any_violated || holds.empty()) return "";
    return lines("", "Everything holds at " + joined(holds, ", at ") + ".");
  }

  [[nodiscard]] std::string certified() const {
    std::string out;
    for (const Answer& answer : answers_) {
      for (const std::string& what : answer.certified) {
        out += lines("", answer.level + ": " + what + ".");
      }
    }
    return out.empty() ? "" : "\n" + out;
  }

  const AnswerReport& report_;
  const Workload& workload_;
  const std::vector<Answer>& answers_;
  const bool is_sql_;
};

}  // namespace

std::string property_title(const Property& property) {
  return std::string(name(property.kind)) + " \"" + property.name + "\"";
}

std::string answer_text(const AnswerReport& report) {
  return AnswerText(report).text();
}

}  // namespace txscope::report
