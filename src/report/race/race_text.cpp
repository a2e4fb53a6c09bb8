#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/lanes.h"
#include "report/page/wrap.h"
#include "report/race/brief.h"
#include "report/race/race_report.h"

namespace txscope::report {
namespace {

constexpr std::size_t kMostStates = 4;  // told of one kind

std::string number(std::size_t request) { return std::to_string(request + 1); }

std::string one_line(std::string text) {
  std::string result;
  bool was_space = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) result += c;
    if (is_space && !was_space) result += ' ';
    was_space = is_space;
  }
  return result;
}

std::string result_of(const race::RequestEnd& end) {
  std::string text =
      end.printed.empty() ? "prints nothing" : one_line(end.printed);
  if (!end.has_ended) return text + ", does not end";
  if (end.status != 0) text += ", exit " + std::to_string(end.status);
  return text;
}

/// A lane per request, and what each of them printed.
std::string lanes_of(const race::Plan& plan, const race::RunTrace& trace) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.requests.size(); ++i) {
    const std::string& name = plan.requests[i].name;
    names.push_back(name == number(i) ? "request " + name
                                      : number(i) + " " + name);
  }
  std::vector<LaneRow> rows;
  const auto add = [&](std::size_t request, std::string text) {
    rows.push_back({request, 0, std::move(text)});
  };
  for (const race::Event& event : trace.events) {
    if (event.choice.kind == race::Choice::Kind::Victim)
      add(event.choice.request, "(the deadlock ends here)");
    for (const race::Statement& statement : event.statements)
      add(event.choice.request,
          brief_statement(one_line(race::shown(statement))));
    if (event.waits && !event.statements.empty())
      rows.back().text += " ... waits";
    for (const auto& [request, code] : event.errors)
      add(request, "... ERROR " + code);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    add(i, "= " + result_of(trace.requests[i]));
  return draw_lanes(names, rows);
}

/// Only what is not as at the beginning.
std::string changes(const race::State& state, const race::State& initial) {
  std::vector<std::string> parts;
  for (const auto& [table, rows] : state.items()) {
    if (initial.contains(table) && initial[table] == rows) continue;
    const race::State before =
        initial.contains(table) ? initial[table] : race::State::array();
    parts.push_back(table + ": " + brief_rows(rows, before));
  }
  return parts.empty() ? "nothing changed" : joined(parts, "; ");
}

std::vector<std::string> with_first(std::string first,
                                    std::vector<std::string> others) {
  others.insert(others.begin(), std::move(first));
  return others;
}

std::string order_name(const race::Order& order) {
  std::vector<std::string> names;
  for (const std::size_t request : order) names.push_back(number(request));
  return joined(names, " then ");
}

class Page {
 public:
  explicit Page(const RaceReport& report)
      : found_(*report.findings), report_(report) {}

  std::string run() {
    headline();
    repairs(true, "What to do (each was tried on the copy):");
    for (std::size_t i = 0; i < found_.outcomes.size(); ++i)
      if (is_finding(found_.outcomes[i])) finding(found_.outcomes[i], name(i));
    for (const race::RunTrace& one : found_.hung) hang(one);
    serial();
    repairs(false, "Tried on the copy, and does not help:");
    scope();
    return text_;
  }

 private:
  static bool is_uncaught(const race::Outcome& one) {
    return std::any_of(one.requests.begin(), one.requests.end(),
                       [](const race::RequestEnd& end) {
                         return end.status != 0 && !end.last_error.empty();
                       });
  }
  static bool is_finding(const race::Outcome& one) {
    return one.kind == race::Outcome::Class::Anomaly ||
           !one.broken_rules.empty() || is_uncaught(one);
  }

  void headline() {
    std::vector<std::string> parts;
    std::size_t anomalies = 0;
    for (const race::Outcome& one : found_.outcomes)
      anomalies += one.kind == race::Outcome::Class::Anomaly ? 1 : 0;
    if (anomalies > 0)
      parts.push_back(counted(anomalies, "outcome") +
                      " that no serial order has");
    for (const std::string& rule : found_.broken_rules())
      parts.push_back("rule '" + rule + "' breaks");
    for (const std::string& code : found_.uncaught)
      parts.push_back("error " + code + " ends a request");
    if (!found_.hung.empty()) parts.push_back("requests hang");
    // What fails alone is no race.
    if (!report_.vacuous_because.empty())
      text_ += lines("VACUOUS, nothing was checked: ", report_.vacuous_because);
    else if (!parts.empty())
      text_ += lines("RACE: ", joined(parts, "; "));
    else if (found_.is_complete)
      text_ += lines("", joined(with_first("no race", report_.partly), "; "));
    else
      text_ += lines("undecided: ", found_.why_incomplete);
  }

  /// ": lost update (G-single)", or nothing.
  [[nodiscard]] std::string name(std::size_t outcome) const {
    if (report_.names == nullptr || outcome >= report_.names->size()) return "";
    const Anomaly& anomaly = (*report_.names)[outcome];
    if (anomaly.id.empty()) return "";
    return anomaly.words.empty()
               ? ": " + anomaly.id
               : ": " + anomaly.words + " (" + anomaly.id + ")";
  }

  void finding(const race::Outcome& one, const std::string& anomaly) {
    std::vector<std::string> what;
    if (one.kind == race::Outcome::Class::Anomaly)
      what.push_back((one.state_is_serial
                          ? "what was printed has no serial order"
                          : "no serial order has this outcome") +
                     anomaly);
    for (const auto& [rule, broken] : one.broken_rules)
      what.push_back("breaks '" + rule + "'" +
                     (broken.numbers.empty() ? "" : ": " + broken.sentence()));
    for (std::size_t i = 0; i < one.requests.size(); ++i)
      if (one.requests[i].status != 0 && !one.requests[i].last_error.empty())
        what.push_back("request " + number(i) + " ends with error " +
                       one.requests[i].last_error);
    text_ += "\n" + lines("", joined(what, "; ") + " (in " +
                                  counted(one.schedules, "schedule") + ")");
    text_ += lanes_of(*report_.plan, one.example);
    text_ += lines("  in the end  ", changes(one.state, found_.initial));
  }

  void hang(const race::RunTrace& trace) {
    text_ += "\n" + lines("", "hangs: " + trace.problem);
    text_ += lanes_of(*report_.plan, trace);
  }

  void serial() {
    text_ += "\none after the other:\n";
    std::size_t told = 0;
    for (const race::Outcome& one : found_.serial) {
      if (++told > kMostStates) {
        text_ += "  and " +
                 counted(found_.serial.size() - kMostStates, "more order") +
                 "\n";
        break;
      }
      std::vector<std::string> results;
      for (const race::RequestEnd& end : one.requests)
        results.push_back(result_of(end));
      text_ += lines(
          "  " + order_name(one.orders.front()) + "  ",
          joined(results, " | ") + "; " + changes(one.state, found_.initial));
    }
  }

  /// Those that were tried and hold, or those that do not.
  void repairs(bool hold, const std::string& title) {
    if (report_.repairs == nullptr) return;
    std::string text;
    for (const race::TriedRepair& one : *report_.repairs)
      if (one.holds == hold) text += lines("  ", told(one));
    if (!text.empty()) text_ += "\n" + title + "\n" + text;
  }

  static std::string told(const race::TriedRepair& one) {
    const std::string what = one_line(one.repair.what);
    if (!one.holds) return what + ": " + one.remains;
    std::string text =
        "no race left in " + counted(one.schedules, "schedule") + ": " + what;
    if (!one.uncaught.empty())
      text += " (error " + joined(one.uncaught, ", ") +
              " then ends a request, which has to handle it)";
    return text;
  }

  void scope() {
    text_ +=
        "\n" +
        lines("", counted(found_.schedules, "schedule") + ", " +
                      (found_.is_complete ? "complete" : "not complete") +
                      ", at statement granularity, on " + report_.database);
    if (!found_.is_complete) text_ += lines("  ", found_.why_incomplete);
    if (!found_.ignored.empty())
      text_ +=
          lines("not compared: ", joined(brief_columns(found_.ignored), ", "));
    if (!found_.caught.empty())
      text_ += lines("errors that the requests handled: ",
                     joined(found_.caught, ", "));
  }

  const race::Findings& found_;
  const RaceReport& report_;
  std::string text_;
};

}  // namespace

std::vector<std::string> schedule_lines(const race::RunTrace& trace) {
  std::vector<std::string> result;
  for (const race::Event& event : trace.events) {
    const std::string prefix = number(event.choice.request) + ": ";
    if (event.choice.kind == race::Choice::Kind::Victim)
      result.push_back(prefix + "is the deadlock's victim");
    for (const race::Statement& statement : event.statements)
      result.push_back(prefix + race::shown(statement));
    if (event.waits) result.push_back(prefix + "waits");
    for (const auto& [request, code] : event.errors)
      result.push_back(number(request) + ": error " + code);
  }
  return result;
}

std::string race_text(const RaceReport& report) { return Page(report).run(); }

const char* replay_word(const ReplayReport& report) {
  if (report.times == 0) return "undecided";
  if (report.reproduced > 0) return "reproduced";
  return report.prevented > 0 && report.prevented == report.times ? "prevented"
                                                                  : "diverged";
}

std::string replay_text(const ReplayReport& report) {
  std::string text = replay_word(report);
  text += report.reproduced > 0 ? " " + std::to_string(report.reproduced) +
                                      " of " + counted(report.times, "time")
                                : "";
  text += report.times == 0 ? ": time ran out before it ran\n" : "\n";
  if (report.times == 0) return text;
  if (!report.difference.empty())
    text += lines("  first difference: ", report.difference);
  return text + "\n" + lanes_of(*report.plan, *report.trace);
}

}  // namespace txscope::report
