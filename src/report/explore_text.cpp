#include <algorithm>
#include <map>

#include "report/dictionary.h"
#include "report/explore_report.h"
#include "report/verdict_table.h"
#include "report/wrap.h"

namespace txscope {
namespace {

constexpr std::size_t kLevelWidth = 29;

std::string histories(std::uint64_t n) {
  return grouped(n) + (n == 1 ? " history" : " histories");
}

std::string with_newline(std::string text) {
  if (!text.ends_with('\n')) text += "\n";
  return text;
}

std::string title_of(const Property& property) {
  return std::string(name(property.kind)) + " \"" + property.name + "\"";
}

/// What the search of one level came to, in a sentence.
std::string counts_sentence(const LevelResult& level) {
  std::string text = histories(level.histories);
  if (level.level > Base::Causal) {
    text += " (of " + grouped(level.end_states) + " causal ones)";
  }
  if (level.discarded > 0) {
    text += ", " + grouped(level.discarded) + " discarded by assume";
  }
  if (level.faulted > 0) {
    text += ", " + grouped(level.faulted) + " ended by an error";
  }
  if (level.cut > 0) text += ", " + grouped(level.cut) + " cut by a bound";
  if (level.duplicates > 0) {
    text += ", " + grouped(level.duplicates) + " found again";
  }
  text += level.is_complete ? "; that is all of them" : "";
  return text;
}

std::string why_undecided(const ExploreReport& report,
                          const LevelResult& level) {
  switch (level.spent) {
    case Spent::Nothing:
    case Spent::Proof: break;
    case Spent::Time: return "the time was up before all histories were seen";
    case Spent::Memory:
      return "the memory was used up before all histories were seen";
    case Spent::Cancelled:
      return "the search was stopped before all histories were seen";
  }
  if (level.cut > 0) {
    return "a while loop reached its bound of " + grouped(report.loop_bound) +
           " rounds, or a transaction 16 million events, in " +
           counted(level.cut, "execution") + "; --loop-bound raises the former";
  }
  return "";
}

/// Why some levels were not finished; levels with the same reason together.
std::string reasons(const ExploreReport& report) {
  std::vector<std::pair<std::string, std::string>> lines;  // reason, levels
  for (const LevelResult& level : report.result->levels) {
    const std::string why = why_undecided(report, level);
    if (why.empty()) continue;
    const auto known =
        std::find_if(lines.begin(), lines.end(),
                     [&](const auto& line) { return line.first == why; });
    if (known == lines.end()) {
      lines.emplace_back(why, name(level.level));
    } else {
      known->second += ", " + std::string(name(level.level));
    }
  }
  std::string out;
  for (const auto& [why, levels] : lines) {
    out += "\n" + with_newline(wrapped("", levels + ": " + why + "."));
  }
  return out;
}

/// Columns of verdicts, a few properties at a time.
std::string table(const ExploreReport& report) {
  const Program& program = *report.program;
  const auto& levels = report.result->levels;
  const bool has_errors =
      std::any_of(levels.begin(), levels.end(),
                  [](const LevelResult& l) { return l.faulted > 0; });
  std::string out;
  const std::size_t n = program.properties.size();
  for (std::size_t p = 0; p < n; ++p) {
    out += wrapped(padded("  [" + std::to_string(p + 1) + "] ", 6),
                   title_of(program.properties[p]) + ", line " +
                       std::to_string(program.properties[p].at.line));
    if (!out.ends_with('\n')) out += "\n";
  }
  if (n > 0) out += "\n";
  std::size_t first = 0;
  do {
    const std::size_t last = std::min(first + kColumns, n);
    std::string head =
        padded("level", kLevelWidth) + padded("histories", kCountWidth);
    for (std::size_t p = first; p < last; ++p) {
      head += padded("[" + std::to_string(p + 1) + "]", kVerdictWidth);
    }
    if (n == 0 && !has_errors) head += "verdict";
    if (has_errors) head += "errors";
    out += trimmed(head);
    for (const LevelResult& level : levels) {
      const std::string count =
          grouped(level.histories) + (level.is_complete ? "" : "+");
      std::string row = padded(name(level.level), kLevelWidth);
      row += padded(count, kCountWidth);
      for (std::size_t p = first; p < last; ++p) {
        row += padded(shown(level.properties[p].verdict), kVerdictWidth);
      }
      if (n == 0 && !has_errors) row += shown(level.verdict);
      if (has_errors) row += level.faulted > 0 ? "yes" : "no";
      out += trimmed(row);
    }
    first = last;
    if (first < n) out += "\n";
  } while (first < n);
  return out;
}

std::string value_list(const Program& program, const Code& code,
                       const std::vector<FinalValue>& finals,
                       const std::vector<LocalValue>& locals,
                       bool with_writers) {
  std::string text;
  for (const FinalValue& value : finals) {
    if (!text.empty()) text += ", ";
    text += key_name(program, code, value.key) + " = " +
            std::to_string(value.value);
    if (!with_writers) continue;
    text += value.writer == kInit
                ? " (initial)"
                : " (" + instance_name(program, code, value.writer) + ")";
  }
  for (const LocalValue& local : locals) {
    if (!text.empty()) text += ", ";
    text += local.name + " = " + std::to_string(local.value);
  }
  return text;
}

std::string order_text(const ExploreReport& report,
                       const std::vector<InstanceId>& order) {
  std::string text;
  for (const InstanceId i : order) {
    if (!text.empty()) text += ", ";
    text += instance_name(*report.program, *report.code, i);
  }
  return text;
}

bool same_result(const SerialRun& a, const SerialRun& b) {
  const auto same = [](const auto& x, const auto& y, auto&& value) {
    return std::equal(
        x.begin(), x.end(), y.begin(), y.end(),
        [&](const auto& p, const auto& q) { return value(p) == value(q); });
  };
  return a.is_violated == b.is_violated &&
         same(a.finals, b.finals,
              [](const FinalValue& v) { return std::pair(v.key, v.value); }) &&
         same(a.locals, b.locals,
              [](const LocalValue& v) { return std::pair(v.name, v.value); });
}

std::string serial_text(const ExploreReport& report,
                        const Violation& violation) {
  if (violation.serial.empty()) return "";
  if (violation.instances.size() < 2) {
    return "One transaction alone shows it; no level avoids that.\n";
  }
  std::string out;
  if (violation.is_avoided_serially) {
    out += "One after the other, in any order, this cannot happen:\n";
  } else {
    out += "It can also happen one after the other:\n";
  }
  // Orders with the same result share a line.
  std::vector<std::pair<const SerialRun*, std::size_t>> groups;
  for (const SerialRun& run : violation.serial) {
    if (!violation.is_avoided_serially && !run.is_violated) continue;
    const auto same = std::find_if(
        groups.begin(), groups.end(),
        [&](const auto& group) { return same_result(*group.first, run); });
    if (same == groups.end()) {
      groups.emplace_back(&run, 0);
    } else {
      ++same->second;
    }
  }
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxSerial); ++i) {
    const auto& [run, more] = groups[i];
    const std::string values = value_list(*report.program, *report.code,
                                          run->finals, run->locals, false);
    std::string line = order_text(report, run->order);
    if (more > 0) line += " (and " + counted(more, "other order") + ")";
    line += ": ";
    if (!values.empty()) line += values + ", ";
    line += run->is_violated ? "VIOLATED" : "fine";
    out += with_newline(wrapped("  ", line));
  }
  if (groups.size() > kMaxSerial) {
    out +=
        "  and " + counted(groups.size() - kMaxSerial, "other result") + "\n";
  }
  return out;
}

std::string title(const Violation& violation) {
  switch (violation.kind) {
    case Violation::Kind::Invariant:
      return "the invariant \"" + violation.name + "\" breaks";
    case Violation::Kind::Assert:
      return "the assert \"" + violation.name + "\" fails";
    case Violation::Kind::Fault:
      return "an error of the program: " + violation.name;
  }
  return "";
}

/// Which violations to draw: of each property the one at the strongest level.
std::vector<const Violation*> to_draw(const ExploreReport& report) {
  std::vector<const Violation*> out;
  const auto& levels = report.result->levels;
  for (std::size_t i = levels.size(); i-- > 0;) {
    for (const Violation& violation : levels[i].violations) {
      const bool is_drawn =
          std::any_of(out.begin(), out.end(), [&](const Violation* other) {
            return !report.all || (other->kind == violation.kind &&
                                   other->name == violation.name &&
                                   other->at.offset == violation.at.offset);
          });
      if (!is_drawn) out.push_back(&violation);
    }
  }
  return out;
}

/// The weakest of the levels asked about at which everything holds.
std::string advice(const ExploreReport& report) {
  const auto& levels = report.result->levels;
  const auto holds = std::find_if(
      levels.begin(), levels.end(),
      [](const LevelResult& l) { return l.verdict == Outcome::Holds; });
  const bool any_violated = std::any_of(
      levels.begin(), levels.end(),
      [](const LevelResult& l) { return l.verdict == Outcome::Violated; });
  if (!any_violated || holds == levels.end()) return "";
  return "Everything holds at " + std::string(name(holds->level)) + ".\n";
}

/// What the history is called, by the first level that refuses it.
std::string anomaly_text(const Violation& violation) {
  if (!violation.refused_by) return "";
  const Anomaly& anomaly = violation.anomaly;
  const bool has_words = !anomaly.words.empty();
  std::string text =
      "The first level that refuses this history is " +
      std::string(name(*violation.refused_by)) + ": " +
      (has_words ? anomaly.words + " (" + anomaly.id + ")" : anomaly.id) + ".";
  const auto* entry = dictionary::find(anomaly.words);
  if (entry == nullptr) entry = dictionary::find(anomaly.id);
  std::string out = with_newline(wrapped("", text));
  if (entry == nullptr) return out;
  if (!entry->practice.empty()) {
    out += "\nWhat to do:\n" + with_newline(wrapped("  ", entry->practice));
  }
  return out + "\nMore: txscope explain " + std::string(entry->name) + "\n";
}

}  // namespace

std::string violation_text(const ExploreReport& report,
                           const Violation& violation) {
  const Program& program = *report.program;
  const Code& code = *report.code;
  std::string out = with_newline(wrapped(
      "", "At " + std::string(name(violation.level)) + " " + title(violation) +
              " (" + to_string(program.place(violation.at)) + ")."));
  if (violation.violating > 0) {
    out += histories(violation.violating) +
           (violation.violating == 1 ? " shows it.\n" : " show it.\n");
  }
  if (violation.instances.size() < violation.all_instances) {
    out += counted(violation.instances.size(), "transaction") + " of " +
           std::to_string(violation.all_instances) + " are enough:\n";
  }
  out += "\n" + lanes_text(program, code, violation) + "\n";
  const std::string values =
      value_list(program, code, violation.finals, violation.locals, true);
  if (violation.kind == Violation::Kind::Invariant && !values.empty()) {
    out += with_newline(wrapped("Final state: ", values));
  }
  if (violation.kind == Violation::Kind::Assert && !values.empty()) {
    out += with_newline(wrapped("Locals: ", values));
  }
  if (violation.kind != Violation::Kind::Fault) {
    std::string condition(program.text(violation.at));
    std::replace(condition.begin(), condition.end(), '\n', ' ');
    out +=
        with_newline(wrapped("", "Line " + std::to_string(violation.at.line) +
                                     ", " + condition + ", is false."));
  }
  if (violation.replay_problem) {
    out += with_newline(
        wrapped("", "This schedule could not be replayed (" +
                        *violation.replay_problem +
                        "); that is a mistake of txscope, please report it."));
  }
  out += serial_text(report, violation);
  out += anomaly_text(violation);
  return out;
}

std::string explore_text(const ExploreReport& report) {
  const Program& program = *report.program;
  const auto& levels = report.result->levels;
  std::string out;
  if (levels.size() == 1) {
    const LevelResult& level = levels.front();
    const std::string verdict = level.verdict == Outcome::Violated
                                    ? "is VIOLATED"
                                    : std::string(name(level.verdict));
    out += with_newline(wrapped("", report.input + ": " +
                                        std::string(name(level.level)) +
                                        " (session order) " + verdict));
    out += with_newline(wrapped("", counts_sentence(level) + "."));
    if (level.verdict == Outcome::Undecided || !level.is_complete) {
      const std::string why = why_undecided(report, level);
      if (!why.empty()) out += with_newline(wrapped("", why + "."));
    }
    for (const PropertyResult& row : level.properties) {
      std::string line = padded(shown(row.verdict), kVerdictWidth) +
                         title_of(program.at(row.property));
      if (report.all && row.violating > 0) {
        line += " (in " + histories(row.violating) + ")";
      }
      out += "  " + line + "\n";
    }
  } else {
    out += report.input + ": " + counted(program.sessions.size(), "session") +
           ", " + counted(report.code->instances.size() - 1, "transaction") +
           " (session order)\n\n";
    out += table(report);
    out += reasons(report);
  }
  for (const Violation* violation : to_draw(report)) {
    out += "\n" + violation_text(report, *violation);
  }
  const std::string last = levels.size() > 1 ? advice(report) : "";
  if (!last.empty()) out += "\n" + last;
  return out;
}

}  // namespace txscope
