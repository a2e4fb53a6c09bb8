// A run of `explore`, `verify` and `analyze`.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "model/product/profile.h"
#include "report/answer_report.h"
#include "report/dictionary/dictionary.h"
#include "report/document/from_engines.h"
#include "report/document/known_tables.h"
#include "report/page/wrap.h"

namespace txscope::report::document {
namespace {

using Happened = txscope::Step;

constexpr std::size_t kMostStates = 400;  // steps that have their tables
constexpr std::size_t kMostSerialShown = 24;

/// Whether transactions at a level of a product read from one snapshot.
bool has_one_snapshot(const std::string& level) {
  const auto profile = parse_profile(level);
  if (!profile) return false;
  return (*profile)->isolation == Isolation::RepeatableRead ||
         (*profile)->isolation == Isolation::RepeatableReadSnapshot ||
         (*profile)->isolation == Isolation::Serializable;
}

Step::Kind kind_of(Happened::Kind kind) {
  switch (kind) {
    case Happened::Kind::Wait: return Step::Kind::Wait;
    case Happened::Kind::Error:
    case Happened::Kind::AssertFailed: return Step::Kind::Error;
    case Happened::Kind::Commit: return Step::Kind::Commit;
    case Happened::Kind::Rollback: return Step::Kind::Rollback;
    case Happened::Kind::Read:
    case Happened::Kind::Write:
    case Happened::Kind::Statement: break;
  }
  return Step::Kind::Statement;
}

class RunDocument {
 public:
  RunDocument(const Workload& workload, const Counterexample& example)
      : workload_(workload),
        example_(example),
        is_sql_(workload.language == Workload::Language::Sql) {}

  Finding build() {
    out_.level = example_.level;
    out_.answers = {{example_.level, example_.name}};
    out_.kind = kind();
    out_.title = capitalised(counterexample_title(example_));
    if (!example_.anomaly.words.empty() && !example_.builtin)
      out_.title += ": " + example_.anomaly.words;
    if (example_.builtin == Builtin::OneAfterTheOther)
      out_.title +=
          example_.anomaly.words.empty() ? "" : ": " + example_.anomaly.words;
    add_steps();
    add_rule();
    add_end();
    add_facts();
    if (example_.kind != Counterexample::Kind::Witness) {
      add_serial();
      add_repairs();
    }
    out_.cycle = cycle_of(workload_, example_);
    std::vector<Place> places;
    for (const Step& step : out_.steps) places.push_back(step.place);
    if (out_.rule) places.push_back(out_.rule->place);
    out_.sources = sources_of(workload_, places);
    out_.place = place_to_show();
    out_.word = word();
    out_.id = out_.kind + "-" + fingerprint(texts());
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string kind() const {
    if (example_.builtin == Builtin::NoDeadlock) return "deadlock";
    if (example_.refused_by)
      return kind_of_anomaly(example_.anomaly.words, example_.anomaly.id);
    if (example_.builtin) return "race";
    if (example_.kind == Counterexample::Kind::Assert) return "failed-assert";
    if (example_.kind == Counterexample::Kind::Error) return "program-error";
    return "broken-rule";
  }

  [[nodiscard]] std::string word() const {
    if (example_.builtin == Builtin::NoDeadlock) return "deadlock";
    if (!example_.refused_by) return "";
    const auto* entry = dictionary::find(example_.anomaly.words);
    if (entry == nullptr) entry = dictionary::find(example_.anomaly.id);
    return entry == nullptr ? "" : std::string(entry->name);
  }

  /// What makes it this finding and no other: not where the lines stand.
  [[nodiscard]] std::vector<std::string> texts() const {
    std::set<std::string> statements;
    for (const Happened& step : example_.steps)
      if (step.kind != Happened::Kind::Commit &&
          step.kind != Happened::Kind::Rollback)
        statements.insert(one_line(workload_.text(step.at)));
    std::vector<std::string> all = {example_.level, example_.name};
    all.insert(all.end(), statements.begin(), statements.end());
    return all;
  }

  std::size_t lane(std::uint32_t session) {
    const auto [entry, is_new] = lane_of_.emplace(session, out_.lanes.size());
    if (is_new) out_.lanes.push_back(workload_.sessions[session].name);
    return entry->second;
  }

  void add_steps() {
    std::set<std::uint32_t> sessions;
    for (const Happened& step : example_.steps)
      sessions.insert(step.call.session);
    for (const std::uint32_t session : sessions) lane(session);
    KnownTables tables(workload_, example_);
    const bool has_states =
        !tables.is_empty() && example_.steps.size() <= kMostStates;
    const bool one_snapshot = has_one_snapshot(example_.level);
    std::vector<std::optional<std::size_t>> numbers;
    std::set<std::pair<CallRef, std::uint32_t>> begun;
    for (const Happened& step : example_.steps) {
      if (begun.insert({step.call, step.attempt}).second) {
        add_begin(step);
        if (has_states && !out_.steps.empty())
          out_.steps.back().state = tables.now();
        snapshot_due_ = one_snapshot;
      }
      tables.take(workload_, step);
      numbers.emplace_back(out_.steps.size());
      out_.steps.push_back(told(step));
      if (has_states) out_.steps.back().state = tables.now();
    }
    out_.arrows = arrows_of(example_.steps, numbers);
  }

  void add_begin(const Happened& step) {
    std::string text = workload_.at(step.call).text;
    // A statement by itself is told once.
    if (text == step.text && step.attempt == 0) return;
    Step begin;
    begin.kind = Step::Kind::Begin;
    begin.lane = lane(step.call.session);
    begin.transaction = workload_.name(step.call);
    begin.text = std::move(text);
    begin.place = workload_.place(workload_.at(step.call).at);
    if (step.attempt > 0)
      begin.notes.push_back("attempt " + std::to_string(step.attempt + 1));
    out_.steps.push_back(std::move(begin));
  }

  Step told(const Happened& step) {
    Step out;
    out.kind = kind_of(step.kind);
    out.lane = lane(step.call.session);
    out.transaction = workload_.name(step.call);
    out.text = step.text;
    out.seen = step.seen;
    out.code = step.code;
    if (step.kind != Happened::Kind::Commit || !is_sql_)
      out.place = workload_.place(step.at);
    if (out.kind == Step::Kind::Commit && !is_sql_)
      out.text = "commit " + workload_.at(step.call).label;
    if (out.kind == Step::Kind::Rollback && !is_sql_)
      out.text = "abort " + workload_.at(step.call).label;
    if (step.kind == Happened::Kind::Read && !step.reads.empty())
      tell_read(step.reads.front(), out);
    if (step.kind == Happened::Kind::Write && !step.writes.empty())
      out.seen = value_text(step.writes.front());
    if (step.kind == Happened::Kind::AssertFailed) out.seen = "fails";
    for (const std::uint32_t other : step.waits_for)
      out.waits_for.push_back(workload_.sessions[other].name);
    for (const CallRef call : step.misses)
      out.notes.push_back("does not see " + workload_.name(call));
    if (snapshot_due_ && (out.kind == Step::Kind::Statement)) {
      out.takes_snapshot = true;
      snapshot_due_ = false;
    }
    return out;
  }

  void tell_read(const RowUse& read, Step& out) const {
    out.seen = value_text(read);
    if (read.is_own)
      out.notes.emplace_back("own write");
    else
      out.notes.push_back(read.writer ? "from " + workload_.name(*read.writer)
                                      : "initial");
    if (read.is_stale) out.notes.emplace_back("stale");
  }

  void add_rule() {
    add_broken_rules();
    if (!example_.property) return;
    Rule rule;
    rule.title = property_title(workload_.properties[example_.property->index]);
    rule.text = one_line(workload_.text(example_.at));
    rule.value = example_.value;
    rule.numbers = example_.numbers;
    if (rule.numbers.empty() && !is_sql_) rule.numbers = with_values(rule.text);
    rule.place = workload_.place(example_.at);
    out_.rule = std::move(rule);
  }

  /// What the run breaks besides what it is shown for.
  void add_broken_rules() {
    for (const BrokenRule& broken : example_.broken) {
      const Property& property = workload_.properties[broken.property.index];
      if (!out_.rule) {
        out_.rule = Rule{property_title(property),
                         one_line(workload_.text(property.at)), broken.value,
                         broken.numbers, workload_.place(property.at)};
        continue;
      }
      out_.facts.push_back(
          {"also breaks",
           property_title(property) +
               (broken.numbers.empty() ? "" : ": " + broken.numbers)});
    }
  }

  /// A condition of a `.txn` program with values for names.
  [[nodiscard]] std::string with_values(const std::string& text) const {
    std::map<std::string, std::string> values;
    for (const FinalTable& table : example_.finals)
      for (const RowUse& use : table.rows) values[use.key] = value_text(use);
    for (const NamedValue& v : example_.variables)
      values[v.name] = to_string(v.value);
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
             c == '.';
    };
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (!is_part(text[at])) {
        out += text[at++];
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_part(text[end])) ++end;
      std::string word = text.substr(at, end - at);
      if (end < text.size() && text[end] == '[') {
        const std::size_t close = text.find(']', end);
        const std::string element =
            close == std::string::npos ? "" : text.substr(at, close + 1 - at);
        if (values.contains(element)) {
          word = element;
          end = close + 1;
        }
      }
      const auto known = values.find(word);
      out += known == values.end() ? word : known->second;
      at = end;
    }
    return out == text ? "" : out;
  }

  void add_end() {
    if (!out_.steps.empty() && !out_.steps.back().state.empty()) {
      out_.end = out_.steps.back().state;
      for (Table& table : out_.end) {
        std::erase_if(table.rows,
                      [](const TableRow& row) { return row.is_gone; });
        for (TableRow& row : table.rows) row.changed.clear();
      }
    }
    for (const NamedValue& v : example_.variables)
      out_.facts.push_back({v.name, to_string(v.value)});
  }

  void add_facts() {
    if (example_.calls.size() < example_.all_calls && !example_.calls.empty())
      out_.facts.push_back(
          {"enough", counted(example_.calls.size(), "transaction") + " of " +
                         std::to_string(example_.all_calls)});
    for (const NamedValue& v : example_.inputs)
      out_.facts.push_back({"with " + v.name, to_string(v.value)});
    if (example_.violating > 0)
      out_.facts.push_back(
          {"shown by", grouped(example_.violating) + " of the histories"});
    if (example_.refused_by) {
      const Anomaly& anomaly = example_.anomaly;
      out_.facts.push_back(
          {"name", anomaly.words.empty()
                       ? anomaly.id
                       : anomaly.words + " (" + anomaly.id + ")"});
      out_.facts.push_back({"weakest level that forbids it",
                            std::string(txscope::name(*example_.refused_by))});
    }
    if (example_.replay_problem)
      out_.facts.push_back(
          {"could not be replayed",
           *example_.replay_problem +
               "; that is a bug in txscope, please report it"});
  }

  void add_serial() {
    std::size_t breaking = 0;
    for (const SerialRun& run : example_.serial) {
      breaking += run.is_violated ? 1 : 0;
      if (out_.serial.size() == kMostSerialShown) continue;
      std::vector<std::string> names;
      for (const CallRef call : run.order)
        names.push_back(workload_.name(call));
      out_.serial.push_back({joined(names, ", then "),
                             serial_result(workload_, example_, run),
                             run.is_violated});
    }
    if (example_.serial.empty()) return;
    out_.serial_says = breaking == 0 ? "No serial order produces this."
                       : breaking == example_.serial.size()
                           ? "In serial order it breaks, too; no level "
                             "prevents that."
                           : "In some serial orders it breaks, too; no level "
                             "prevents that.";
  }

  void add_repairs() {
    for (const txscope::Repair& repair : example_.repairs)
      out_.repairs.push_back(
          tried_repair(workload_, repair_text(example_, repair), repair));
    if (out_.repairs.empty() && example_.builtin == Builtin::NoDeadlock)
      out_.repairs.push_back(
          {"Take the rows in one order everywhere (ORDER BY .. FOR UPDATE "
           "first), or run the transaction again after the error",
           "",
           false,
           {}});
    if (!out_.repairs.empty() || !example_.refused_by) return;
    const auto* entry = dictionary::find(example_.anomaly.words);
    if (entry == nullptr) entry = dictionary::find(example_.anomaly.id);
    if (entry != nullptr && !entry->practice.empty())
      out_.repairs.push_back({std::string(entry->practice), "", false, {}});
  }

  /// The first statement that reads what is overwritten; else the first at all.
  [[nodiscard]] Place place_to_show() const {
    for (const Arrow& arrow : out_.arrows)
      if (arrow.kind == Arrow::Kind::Overwritten &&
          out_.steps[arrow.from].place.line != 0)
        return out_.steps[arrow.from].place;
    for (const Step& step : out_.steps)
      if (step.kind == Step::Kind::Wait && step.place.line != 0)
        return step.place;
    if (out_.rule && example_.property) return out_.rule->place;
    for (const Step& step : out_.steps)
      if (step.kind == Step::Kind::Statement && step.place.line != 0)
        return step.place;
    return workload_.place(example_.at);
  }

  const Workload& workload_;
  const Counterexample& example_;
  const bool is_sql_;
  std::map<std::uint32_t, std::size_t> lane_of_;
  bool snapshot_due_ = false;
  Finding out_;
};

}  // namespace

Finding finding_of(const Workload& workload, const Counterexample& example) {
  return RunDocument(workload, example).build();
}

}  // namespace txscope::report::document
