// What `race` says: an outcome that no serial order has, with a schedule.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "model/workload.h"
#include "race/name/name_race.h"
#include "report/document/documents.h"
#include "report/document/from_engines.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

std::string request_name(const race::Plan& plan, std::size_t i) {
  const std::string number = std::to_string(i + 1);
  const std::string& given = plan.requests[i].name;
  return given == number ? "request " + number : given;
}

std::string result_text(const race::RequestEnd& end) {
  std::string text =
      end.printed.empty() ? "prints nothing" : one_line(end.printed);
  if (!end.has_ended) return text + ", does not end";
  if (end.status != 0) text += ", exit " + std::to_string(end.status);
  return text;
}

bool ends_with_error(const race::RequestEnd& end) {
  return end.status != 0 && !end.last_error.empty();
}

std::string cell_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What a row was in the beginning: the same, or, of those that are gone, the
/// one that has most in common with it; nothing in common: null.
nlohmann::json earlier(const nlohmann::json& row, const nlohmann::json& now,
                       const nlohmann::json& before) {
  nlohmann::json best;
  std::size_t most = 0;
  for (const nlohmann::json& old : before) {
    if (old == row) return old;
    if (std::find(now.begin(), now.end(), old) != now.end()) continue;
    std::size_t common = 0;
    for (const auto& [column, value] : row.items())
      common += old.contains(column) && old[column] == value ? 1 : 0;
    if (common <= most) continue;
    most = common;
    best = old;
  }
  return best;
}

/// The tables in the end; rows that were not there before are marked.
std::vector<Table> tables_of(const race::State& state,
                             const race::State& initial) {
  std::vector<Table> tables;
  for (const auto& [name_of, rows] : state.items()) {
    Table table;
    table.name = name_of;
    for (const auto& row : rows)
      if (row.is_object() && table.columns.empty())
        for (const auto& [column, value] : row.items())
          table.columns.push_back(column);
    const nlohmann::json before =
        initial.value(name_of, nlohmann::json::array());
    for (const auto& row : rows) {
      TableRow& out = table.rows.emplace_back();
      const nlohmann::json was = earlier(row, rows, before);
      for (const std::string& column : table.columns) {
        const nlohmann::json now = row.value(column, nlohmann::json(""));
        out.cells.push_back(cell_text(now));
        out.changed.push_back(!was.contains(column) || was[column] != now);
      }
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

/// The step that shows a statement, by its event and its number there.
using StepOf = std::map<std::pair<std::size_t, std::size_t>, std::size_t>;

/// Who read what another wrote, and what was overwritten after it was read.
std::vector<Arrow> arrows_of(const race::RunTrace& trace,
                             const race::Catalog& catalog,
                             const StepOf& step_of) {
  const auto touches = race::row_touches(trace, catalog);
  ArrowList arrows;
  if (!touches) return {};
  const auto step = [&](const race::RowTouch& touch) {
    return step_of.at({touch.event, touch.statement});
  };
  for (const race::RowTouch& read : *touches) {
    if (read.is_write) continue;
    const race::RowTouch* next = nullptr;  // the version that came after it
    for (const race::RowTouch& write : *touches) {
      if (!write.is_write || write.row != read.row) continue;
      if (write.version == read.version && write.request != read.request)
        arrows.add(Arrow::Kind::ReadsFrom, step(write), step(read), read.row);
      const bool is_later = write.version > read.version && write.is_committed;
      if (is_later && (next == nullptr || write.version < next->version))
        next = &write;
    }
    if (next != nullptr && next->request != read.request)
      arrows.add(Arrow::Kind::Overwritten, step(read), step(*next), read.row);
  }
  return arrows.done();
}

StepOf add_trace(const race::Plan& plan, const race::RunTrace& trace,
                 Finding& out) {
  StepOf step_of;
  for (std::size_t i = 0; i < plan.requests.size(); ++i)
    out.lanes.push_back(request_name(plan, i));
  for (std::size_t at = 0; at < trace.events.size(); ++at) {
    const race::Event& event = trace.events[at];
    const std::size_t lane = event.choice.request;
    const auto add = [&](Step::Kind kind, std::size_t whose,
                         std::string text) -> Step& {
      Step& step = out.steps.emplace_back();
      step.kind = kind;
      step.lane = whose;
      step.text = std::move(text);
      return step;
    };
    if (event.choice.kind == race::Choice::Kind::Victim)
      add(Step::Kind::Error, lane, "").seen = "the deadlock ends here";
    for (std::size_t i = 0; i < event.statements.size(); ++i) {
      const std::string text = one_line(race::shown(event.statements[i]));
      const bool waits = event.waits && i + 1 == event.statements.size();
      Step& step =
          add(waits ? Step::Kind::Wait : Step::Kind::Statement, lane, text);
      if (waits) step.waits_for = {"a lock"};
      step_of[{at, i}] = out.steps.size() - 1;
    }
    for (const auto& [request, code] : event.errors) {
      Step& step = add(Step::Kind::Error, request, "");
      step.code = code;
    }
  }
  for (std::size_t i = 0; i < trace.requests.size() && i < out.lanes.size();
       ++i) {
    Step& step = out.steps.emplace_back();
    step.kind = trace.requests[i].status == 0 ? Step::Kind::Commit
                                              : Step::Kind::Rollback;
    step.lane = i;
    step.text = "ends";
    step.seen = result_text(trace.requests[i]);
  }
  return step_of;
}

/// What was tried and helps; what does not is told in the notes.
std::vector<Repair> repairs_of(const RaceReport& report) {
  std::vector<Repair> repairs;
  if (report.repairs == nullptr) return repairs;
  for (const race::TriedRepair& one : *report.repairs) {
    if (!one.holds) continue;
    std::string cost = "no race left in " + counted(one.schedules, "schedule");
    if (!one.uncaught.empty())
      cost += "; error " + joined(one.uncaught, ", ") +
              " then ends a request, which has to handle it";
    repairs.push_back({one_line(one.repair.what), cost, true, {}});
  }
  return repairs;
}

/// "a (1, 2) (2, 0); b nothing": the tables that are not as in the beginning.
std::string changes(const race::State& state, const race::State& initial) {
  std::vector<std::string> tables;
  for (const Table& table : tables_of(state, initial)) {
    if (initial.contains(table.name) &&
        state[table.name] == initial[table.name])
      continue;
    std::string text = table.name + (table.rows.empty() ? " nothing" : "");
    for (const TableRow& row : table.rows)
      text += " (" + joined(row.cells, ", ") + ")";
    tables.push_back(text);
  }
  return tables.empty() ? "nothing changes" : joined(tables, "; ");
}

/// "lost update", or its name in theory; empty: the rows do not show it.
std::string anomaly_name(const RaceReport& report, const race::Outcome& one) {
  const auto at =
      static_cast<std::size_t>(&one - &report.findings->outcomes[0]);
  if (report.names == nullptr || at >= report.names->size()) return "";
  const Anomaly& anomaly = (*report.names)[at];
  return anomaly.words.empty() ? anomaly.id : anomaly.words;
}

Rule rule_of(const race::Plan& plan, const std::string& name_of,
             const race::BrokenRule& broken) {
  Rule rule{"rule \"" + name_of + "\"", "", broken.value, broken.numbers, {}};
  for (const auto& [name, condition] : plan.rules)
    if (name == name_of) rule.text = one_line(condition);
  return rule;
}

/// `one` is of the report's.
Finding told(const RaceReport& report, const race::Outcome& one) {
  Finding out;
  const race::Findings& found = *report.findings;
  std::vector<std::string> what;
  out.kind = "race";
  if (one.kind == race::Outcome::Class::Anomaly) {
    what.emplace_back(one.state_is_serial
                          ? "what was printed has no serial order"
                          : "no serial order has this outcome");
    out.answers.push_back({"", "serializable"});
  }
  for (const auto& [rule, broken] : one.broken_rules) {
    what.push_back("breaks '" + rule + "'");
    if (!out.rule)
      out.rule = rule_of(*report.plan, rule, broken);
    else
      out.facts.push_back(
          {"also breaks",
           rule + (broken.numbers.empty() ? "" : ": " + broken.sentence())});
    out.answers.push_back({"", rule});
    if (one.kind != race::Outcome::Class::Anomaly) out.kind = "broken-rule";
  }
  for (std::size_t i = 0; i < one.requests.size(); ++i)
    if (ends_with_error(one.requests[i])) {
      what.push_back(request_name(*report.plan, i) + " ends with error " +
                     one.requests[i].last_error);
      out.answers.push_back({"", "no error ends a request"});
    }
  if (one.kind != race::Outcome::Class::Anomaly && one.broken_rules.empty()) {
    out.kind = "error";
    out.is_aside = true;
  }
  out.title = capitalised(joined(what, "; "));
  out.facts.push_back({"in", counted(one.schedules, "schedule")});
  const StepOf step_of = add_trace(*report.plan, one.example, out);
  out.arrows = arrows_of(one.example, found.catalog, step_of);
  out.repairs = repairs_of(report);
  out.end = tables_of(one.state, found.initial);
  for (const race::Outcome& serial : found.serial) {
    std::vector<std::string> names, results;
    for (const std::size_t i : serial.orders.front())
      names.push_back(request_name(*report.plan, i));
    for (const race::RequestEnd& end : serial.requests)
      results.push_back(result_text(end));
    out.serial.push_back(
        {joined(names, ", then "),
         joined(results, " | ") + "; " + changes(serial.state, found.initial),
         !serial.broken_rules.empty()});
  }
  out.serial_says = "What the same requests do one after the other:";
  out.place.file = report.input;
  out.word = kind_info(out.kind).word;
  std::vector<std::string> texts = {out.title};
  for (const Step& step : out.steps) texts.push_back(step.text);
  out.id = out.kind + "-" + fingerprint(texts);
  const std::string name = anomaly_name(report, one);
  if (!name.empty()) out.title += ": " + name;
  if (out.rule && !out.rule->numbers.empty())
    out.title += " (" + one.broken_rules.begin()->second.sentence() + ")";
  return out;
}

bool is_finding(const race::Outcome& one) {
  return one.kind == race::Outcome::Class::Anomaly ||
         !one.broken_rules.empty() ||
         std::any_of(one.requests.begin(), one.requests.end(), ends_with_error);
}

}  // namespace

void add_race(const RaceReport& report, Document& out) {
  const race::Findings& found = *report.findings;
  for (const race::Outcome& one : found.outcomes)
    if (is_finding(one)) out.findings.push_back(told(report, one));
  for (const race::RunTrace& hung : found.hung) {
    Finding finding;
    finding.kind = "hang";
    finding.title = "Hangs: " + hung.problem;
    finding.answers = {{"", "every request ends"}};
    add_trace(*report.plan, hung, finding);
    finding.place.file = report.input;
    finding.id = "hang-" + fingerprint({hung.problem});
    out.findings.push_back(std::move(finding));
  }
  Grid grid;
  grid.title = "Outcomes";
  grid.corner = "outcome";
  grid.columns = {"schedules", "as a serial order"};
  for (std::size_t i = 0; i < report.plan->requests.size(); ++i)
    grid.columns.push_back(request_name(*report.plan, i));
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    const race::Outcome& one = found.outcomes[i];
    const bool is_bad = is_finding(one);
    Grid::Row row{std::to_string(i + 1), {{grouped(one.schedules)}}};
    row.cells.push_back({race::name_of(one.kind),
                         is_bad ? Tone::Bad : Tone::Good,
                         is_bad ? out.findings[next].id : "", ""});
    next += is_bad ? 1 : 0;
    for (const race::RequestEnd& end : one.requests)
      row.cells.push_back({result_text(end)});
    grid.rows.push_back(std::move(row));
  }
  out.grids.push_back(std::move(grid));
  out.checked.push_back({"database", report.database});
  out.checked.push_back({"schedules", grouped(found.schedules)});
  out.checked.push_back({"granularity", "statement"});
  if (!found.ignored.empty())
    out.not_checked.push_back("columns that were not compared: " +
                              joined(found.ignored, ", "));
  if (report.repairs != nullptr)
    for (const race::TriedRepair& one : *report.repairs)
      if (!one.holds)
        out.notes.push_back("does not help: " + one_line(one.repair.what) +
                            ": " + one.remains);
  if (!found.caught.empty())
    out.notes.push_back("errors that the requests handled: " +
                        joined(found.caught, ", "));
}

}  // namespace txscope::report::document
