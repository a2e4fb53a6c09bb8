#include <algorithm>
#include <map>
#include <set>

#include "report/answer_report.h"
#include "report/dictionary/dictionary.h"
#include "report/page/lanes.h"
#include "report/page/verdict_table.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kMaxRows = 8;         // of a table
constexpr std::size_t kMaxStatement = 150;  // columns of a lane's statement

/// Statements that are too long lose their end.
std::string fitting(const std::string& text) {
  return columns(text) <= kMaxStatement ? text : shortened(text, kMaxStatement);
}

/// Short results stay on one line.
std::string unbroken(std::string text) {
  if (columns(text) <= 16)
    std::replace(text.begin(), text.end(), ' ', kHardSpace);
  return text;
}

/// The schedule with a lane per session.
class Lanes {
 public:
  Lanes(const Workload& workload, const Counterexample& example)
      : workload_(workload), example_(example) {}

  std::string text() {
    std::set<std::uint32_t> sessions;
    for (const Step& step : example_.steps) sessions.insert(step.call.session);
    std::vector<std::string> names;
    std::map<std::uint32_t, std::size_t> lane;
    for (const std::uint32_t s : sessions) {
      lane[s] = names.size();
      names.push_back(workload_.sessions[s].name);
    }
    std::vector<LaneRow> rows;
    std::set<std::pair<CallRef, std::uint32_t>> begun;
    for (const Step& step : example_.steps) {
      const std::size_t own = lane[step.call.session];
      // A statement by itself is told once.
      const bool is_alone =
          step.attempt == 0 && workload_.at(step.call).text == step.text;
      if (begun.insert({step.call, step.attempt}).second && !is_alone)
        rows.push_back({own, 0, begin_text(step)});
      rows.push_back({own, has_line(step) ? step.at.line : 0, text_of(step)});
    }
    return draw_lanes(names, rows);
  }

 private:
  [[nodiscard]] bool is_sql() const {
    return workload_.language == Workload::Language::Sql;
  }

  [[nodiscard]] bool has_line(const Step& step) const {
    if (step.kind == Step::Kind::Commit) return false;
    return step.kind != Step::Kind::Rollback || !is_sql();
  }

  [[nodiscard]] std::string begin_text(const Step& step) const {
    std::string text = workload_.at(step.call).text;
    if (step.attempt > 0) text += " (again)";
    return is_sql() ? shortened(text, 60) : text;
  }

  std::string text_of(const Step& step) {
    const std::string& label = workload_.at(step.call).label;
    switch (step.kind) {
      case Step::Kind::Commit: return is_sql() ? "COMMIT" : "commit " + label;
      case Step::Kind::Rollback:
        return is_sql() ? "ROLLBACK" : "abort " + label;
      case Step::Kind::Read: return read_text(step);
      case Step::Kind::Write:
        return step.text + " -> " + value_text(step.writes.front());
      case Step::Kind::AssertFailed: return step.text + " FAILS";
      case Step::Kind::Wait: return wait_text(step);
      case Step::Kind::Error: return error_text(step);
      case Step::Kind::Statement: break;
    }
    const bool has_waited = waiting_.erase(step.call.session) > 0;
    std::string text = has_waited ? "..." : fitting(step.text);
    if (!step.seen.empty()) text += " " + unbroken("-> " + step.seen);
    if (!step.misses.empty()) {
      std::vector<std::string> names;
      for (const CallRef call : step.misses) {
        names.push_back(workload_.name(call));
      }
      text += " (without " + joined(names, ", ") + ")";
    }
    return text;
  }

  [[nodiscard]] std::string read_text(const Step& step) const {
    const RowUse& read = step.reads.front();
    std::string from = "initial";
    if (read.is_own) {
      from = "own write";
    } else if (read.writer) {
      from = "from " + workload_.name(*read.writer);
    }
    if (read.is_stale) from += ", stale";
    return step.text + " -> " + value_text(read) + " (" + from + ")";
  }

  std::string wait_text(const Step& step) {
    std::vector<std::string> others;
    for (const std::uint32_t s : step.waits_for) {
      others.push_back(workload_.sessions[s].name);
    }
    waiting_.insert(step.call.session);
    return fitting(step.text) + " ... waits for " + joined(others, " and ");
  }

  std::string error_text(const Step& step) {
    if (!is_sql()) return step.text + " ERROR: " + step.seen;
    const bool has_waited = waiting_.erase(step.call.session) > 0;
    return (has_waited ? "..." : fitting(step.text)) + " ERROR " +
           (step.code == "raised" ? "" : step.code + " ") + step.seen;
  }

  const Workload& workload_;
  const Counterexample& example_;
  std::set<std::uint32_t> waiting_;  // sessions
};

class ExampleText {
 public:
  ExampleText(const Workload& workload, const Counterexample& example)
      : workload_(workload),
        example_(example),
        is_sql_(workload.language == Workload::Language::Sql) {}

  std::string text() {
    std::string out = lines(
        "", "At " + example_.level + " " + counterexample_title(example_) +
                (example_.builtin
                     ? "."
                     : " (" + to_string(workload_.place(example_.at)) + ")."));
    if (example_.violating > 0) {
      const bool is_one = example_.violating == 1;
      out += grouped(example_.violating) +
             (is_one ? " history shows it.\n" : " histories show it.\n");
    }
    const bool is_wanted = example_.kind == Counterexample::Kind::Witness;
    const std::string advice = is_wanted ? "" : repairs() + practice();
    const std::string who = enough() + inputs();
    out += advice + (advice.empty() || who.empty() ? "" : "\n") + who;
    out += "\n" + Lanes(workload_, example_).text() + "\n";
    out += finals();
    if (example_.property) {
      out += lines(
          "",
          "Line " + std::to_string(example_.at.line) + ", " +
              one_line(workload_.text(example_.at)) + ", is " + example_.value +
              (example_.numbers.empty() ? "." : ": " + example_.numbers + "."));
    }
    if (example_.replay_problem) {
      out += lines("", "This schedule could not be replayed (" +
                           *example_.replay_problem +
                           "); that is a bug in txscope, please report it.");
    }
    if (is_wanted) return out + anomaly();
    return out + serial() + anomaly() + more();
  }

  /// What a serial order leads to.
  [[nodiscard]] std::string result_text(const SerialRun& run) const {
    if (!run.difference.empty()) return run.difference;
    std::vector<std::string> parts;
    for (const FinalTable& table : run.finals) {
      const std::string text = table.name.empty()
                                   ? registers_text(table, false)
                                   : table.name + " " + rows_text(table);
      if (!text.empty()) parts.push_back(text);
    }
    if (!run.variables.empty()) parts.push_back(assignments(run.variables));
    for (const CallRef call : run.aborted) {
      if (is_sql_) parts.push_back(workload_.name(call) + " fails");
    }
    if (!example_.builtin)
      parts.emplace_back(run.is_violated ? "VIOLATED" : "fine");
    if (parts.empty()) parts.emplace_back("nothing changes");
    return joined(parts, is_sql_ ? "; " : ", ");
  }

 private:
  [[nodiscard]] std::string enough() const {
    const std::size_t n = example_.calls.size();
    if (n == 0)
      return "No transaction is needed: the initial state is enough.\n";
    if (n >= example_.all_calls) return "";
    return counted(n, "transaction") + " of " +
           std::to_string(example_.all_calls) + (n == 1 ? " is" : " are") +
           " enough:\n";
  }

  [[nodiscard]] std::string inputs() const {
    return example_.inputs.empty()
               ? ""
               : lines("With ", assignments(example_.inputs));
  }

  static std::string assignments(const std::vector<NamedValue>& all) {
    std::vector<std::string> parts;
    parts.reserve(all.size());
    for (const NamedValue& v : all) {
      parts.push_back(v.name + " = " + to_string(v.value));
    }
    return joined(parts, ", ");
  }

  [[nodiscard]] static std::string rows_text(const FinalTable& table) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < std::min(table.rows.size(), kMaxRows); ++i) {
      rows.push_back(row_text(*table.rows[i].row));
    }
    if (rows.empty()) return "no rows";
    std::string text = joined(rows, " ");
    if (table.rows.size() > kMaxRows) {
      text += " and " + counted(table.rows.size() - kMaxRows, "other");
    }
    return text;
  }

  /// x = 1 (a.t), y = 0 (initial)
  [[nodiscard]] std::string registers_text(const FinalTable& table,
                                           bool with_writers) const {
    std::vector<std::string> parts;
    for (const RowUse& use : table.rows) {
      std::string text = use.key + " = " + value_text(use);
      if (with_writers) {
        text += use.writer ? " (" + workload_.name(*use.writer) + ")"
                           : " (initial)";
      }
      parts.push_back(std::move(text));
    }
    return joined(parts, ", ");
  }

  [[nodiscard]] std::string finals() const {
    if (is_sql_) return tables();
    std::string out;
    for (const FinalTable& table : example_.finals) {
      if (table.rows.empty()) continue;
      out += lines("Final state: ", registers_text(table, true));
    }
    if (!example_.variables.empty()) {
      out += lines("Locals: ", assignments(example_.variables));
    }
    return out;
  }

  [[nodiscard]] std::string tables() const {
    if (example_.finals.empty() && example_.variables.empty()) return "";
    std::string out = "In the end:\n";
    for (const FinalTable& table : example_.finals) {
      out += lines("  " + table.name + " ", rows_text(table));
    }
    for (const NamedValue& v : example_.variables) {
      out += "  " + v.name + " = " + to_string(v.value) + "\n";
    }
    return out;
  }

  [[nodiscard]] std::string order_text(
      const std::vector<CallRef>& order) const {
    std::vector<std::string> names;
    names.reserve(order.size());
    for (const CallRef call : order) names.push_back(workload_.name(call));
    return joined(names, ", ");
  }

  /// The same transactions one after the other; equal results together.
  [[nodiscard]] std::string serial() const {
    if (example_.serial.empty()) return "";
    if (example_.calls.size() < 2 && !is_sql_) {
      return "One transaction alone shows it; no level avoids that.\n";
    }
    const auto breaking =
        std::count_if(example_.serial.begin(), example_.serial.end(),
                      [](const SerialRun& run) { return run.is_violated; });
    const bool all =
        static_cast<std::size_t>(breaking) == example_.serial.size();
    std::string out =
        breaking == 0 ? "No serial order produces this:\n"
        : all ? "In serial order it breaks, too; no level prevents that:\n"
              : "In some serial orders it breaks, too; no level "
                "prevents that:\n";
    std::vector<std::pair<std::string, std::size_t>> groups;  // order, more
    std::vector<std::string> results;
    for (const SerialRun& run : example_.serial) {
      const std::string result = result_text(run);
      const auto same = std::find(results.begin(), results.end(), result);
      if (same != results.end()) {
        ++groups[static_cast<std::size_t>(same - results.begin())].second;
        continue;
      }
      results.push_back(result);
      groups.emplace_back(order_text(run.order), 0);
    }
    for (std::size_t i = 0; i < std::min(groups.size(), kMaxSerial); ++i) {
      std::string text = groups[i].first;
      if (groups[i].second > 0) {
        text += " (and " + counted(groups[i].second, "other order") + ")";
      }
      out += lines("  ", text + ": " + results[i]);
    }
    if (groups.size() > kMaxSerial) {
      out +=
          "  and " + counted(groups.size() - kMaxSerial, "other result") + "\n";
    }
    return out;
  }

  [[nodiscard]] const dictionary::Entry* entry() const {
    if (!example_.refused_by) return nullptr;
    const auto* found = dictionary::find(example_.anomaly.words);
    return found != nullptr ? found : dictionary::find(example_.anomaly.id);
  }

  /// What the history is called, by the first level that refuses it.
  [[nodiscard]] std::string anomaly() const {
    if (!example_.refused_by) return "";
    const Anomaly& anomaly = example_.anomaly;
    const bool has_words = !anomaly.words.empty();
    return lines("", "It is called " +
                         (has_words ? anomaly.words + " (" + anomaly.id + ")"
                                    : anomaly.id) +
                         "; the weakest level that forbids it is " +
                         std::string(name(*example_.refused_by)) + ".");
  }

  /// What to do about such things, unless something was tried.
  [[nodiscard]] std::string practice() const {
    const auto* known = entry();
    if (known == nullptr || known->practice.empty() ||
        !example_.repairs.empty())
      return "";
    return "\nWhat to do:\n" + lines("  ", known->practice);
  }

  [[nodiscard]] std::string repairs() const {
    if (example_.repairs.empty()) return "";
    std::string out = "\nWhat to do (each was tried):\n";
    for (const Repair& repair : example_.repairs) {
      out += lines("  - ", repair_text(example_, repair));
      out += indented(repair.diff, "      ");
    }
    return out;
  }

  [[nodiscard]] std::string more() const {
    const auto* known = entry();
    if (known == nullptr) return "";
    return "\nMore: txscope explain " + std::string(known->name) + "\n";
  }

  const Workload& workload_;
  const Counterexample& example_;
  const bool is_sql_;
};

}  // namespace

std::string counterexample_title(const Counterexample& example) {
  switch (example.kind) {
    case Counterexample::Kind::Invariant:
      return "the invariant \"" + example.name + "\" breaks";
    case Counterexample::Kind::Assert:
      return "the assert \"" + example.name + "\" fails";
    case Counterexample::Kind::Builtin:
      return example.builtin == Builtin::NoDeadlock
                 ? "there is a deadlock"
                 : "no serial order produces this outcome";
    case Counterexample::Kind::Witness:
      return "\"" + example.name + "\" happens";
    case Counterexample::Kind::Error: break;
  }
  return "an error of the program: " + example.name;
}

std::string repair_text(const Counterexample& example, const Repair& repair) {
  std::string text = repair.edits.empty()
                         ? "run at " + repair.level
                         : repair.what() + ", stay at " + repair.level;
  if (!repair.retried.empty())
    text += ", and retry on error " + joined(repair.retried, " or ");
  return text + (example.builtin == Builtin::NoDeadlock ? ": no deadlock"
                 : example.builtin ? ": every outcome is a serial one"
                 : repair.all_hold ? ": everything holds"
                                   : ": this property holds");
}

std::string serial_result(const Workload& workload,
                          const Counterexample& example, const SerialRun& run) {
  return ExampleText(workload, example).result_text(run);
}

std::string lanes_text(const Workload& workload,
                       const Counterexample& example) {
  return Lanes(workload, example).text();
}

std::string counterexample_text(const Workload& workload,
                                const Counterexample& example) {
  return ExampleText(workload, example).text();
}

}  // namespace txscope::report
