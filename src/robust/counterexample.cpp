#include "robust/counterexample.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "check/anomaly.h"
#include "check/check.h"
#include "explore/schedule.h"
#include "explore/witness.h"

namespace txscope::robust {
namespace {

constexpr std::size_t kMostAttempts = 400;    // selections of transactions
constexpr std::size_t kMostTransactions = 5;  // in a selection
constexpr std::chrono::seconds kReduceTime{2};

std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::string call_text(const sql::Application& application,
                      const sql::Call& call) {
  std::string text = on_one_line(application.text(call.at));
  while (text.ends_with(';')) text.pop_back();
  if (call.at.offset != application.at(call.routine).at.offset) return text;
  // A client of our own has no text in the file.
  text = "CALL " + application.at(call.routine).name + "(";
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    text += (i > 0 ? ", " : "") + to_literal(call.arguments[i]);
  }
  return text + ")";
}

namespace {

/// An execution as something to run again: sources precede readers.
WorkItem item_of(const Execution& execution) {
  WorkItem item;
  for (const InstanceId t : execution.commit_order) {
    for (const auto& txn : execution.history.txns) {
      if (txn.instance != t) continue;
      WorkItem::Txn out;
      out.instance = static_cast<std::uint16_t>(t.index);
      for (const auto& event : txn.events) {
        if (event.kind != ExploredHistory::Event::Kind::Read) continue;
        out.sources.push_back(static_cast<std::uint16_t>(event.source.index));
      }
      item.txns.push_back(std::move(out));
    }
  }
  return item;
}

HistoryWitness witness_of(const Code& code, const Execution& execution) {
  HistoryWitness out;
  const std::size_t n = code.instances.size();
  out.precedes.assign(n, std::vector<bool>(n));
  const auto& order = execution.commit_order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      out.precedes[order[i].index][order[j].index] = true;
    }
  }
  return out;
}

class Teller {
 public:
  Teller(const Program& program, const Code& code,
         const SearchQuestion& question, const sql::SqlExploration* exploration,
         const sql::Application* application, const Budget& budget)
      : program_(program),
        code_(code),
        question_(question),
        exploration_(exploration),
        application_(application),
        budget_(budget) {}

  Counterexample tell(const SearchAnswer& found) {
    const auto small = reduced(found);
    WorkItem item;
    std::optional<HistoryWitness> witness;
    if (small.odd) {
      item = item_of(*small.odd);
      witness = witness_of(code_, *small.odd);
    } else {
      item = small.fault_history;
      std::vector<InstanceId> active;
      for (const auto& txn : item.txns) active.emplace_back(txn.instance);
      witness = find_witness(program_, code_, item, active, question_.against,
                             std::nullopt, question_.loop_bound, budget_);
    }
    if (!witness) return std::move(out_);
    const auto execution =
        run_history(program_, code_, item, question_.loop_bound, budget_);
    Timeline timeline = make_timeline(code_, execution, *witness);
    violation_.level = question_.against;
    violation_.schedule = std::move(timeline.steps);
    for (const auto& txn : item.txns) {
      violation_.instances.emplace_back(txn.instance);
    }
    std::sort(violation_.instances.begin(), violation_.instances.end());
    tell_steps();
    for (const InstanceId i : violation_.instances) {
      out_.transactions.push_back(name_of(i));
    }
    out_.all_transactions = code_.instances.size() - 1;
    for (const InstanceId i : timeline.commit_order) {
      out_.commit_order.push_back(name_of(i));
    }
    if (small.odd) tell_cycle(*small.odd);
    confirm();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string name_of(InstanceId i) const {
    return i == kInit ? "the initial state" : instance_name(program_, code_, i);
  }

  SearchAnswer reduced(const SearchAnswer& found) {
    SearchQuestion asked = question_;
    SearchAnswer best = found;
    const auto all = active_of(code_, question_);
    const Budget effort({kReduceTime, std::nullopt});
    (void)smallest_selection(
        all,
        [&](const std::vector<InstanceId>& selection) {
          asked.active = selection;
          SearchAnswer answer = search(program_, code_, asked, effort);
          if (answer.answer != Answer::NotRobust) return false;
          best = std::move(answer);
          return true;
        },
        effort);
    return best;
  }

  std::size_t lane_of(std::uint32_t session) {
    const auto [at, is_new] = lanes_.try_emplace(session, out_.sessions.size());
    if (is_new) out_.sessions.push_back(program_.sessions[session].name);
    return at->second;
  }

  void tell_steps() {
    for (const InstanceId i : violation_.instances) {
      (void)lane_of(code_.instances[i.index].session);
    }
    if (exploration_ != nullptr) {
      tell_statements();
    } else {
      tell_events();
    }
  }

  void begin(InstanceId i) {
    const bool is_begun =
        std::find(begun_.begin(), begun_.end(), i) != begun_.end();
    if (is_begun) return;
    begun_.push_back(i);
    std::string text = "begin " + call_of(program_, code_, i).label;
    if (application_ != nullptr) {
      const Code::Instance& instance = code_.instances[i.index];
      const sql::Call& call =
          application_->sessions[instance.session].calls[instance.call];
      text = call_text(*application_, call);
      if (text.starts_with("BEGIN") || text.starts_with("begin")) {
        text = "BEGIN";
      }
    }
    add(Counterexample::Step::Kind::Begin, i, 0, text, "");
  }

  void add(Counterexample::Step::Kind kind, InstanceId i, std::uint32_t line,
           std::string statement, std::string seen) {
    out_.steps.push_back({kind, lane_of(code_.instances[i.index].session),
                          name_of(i), line, std::move(statement),
                          std::move(seen)});
  }

  /// The step just told is one that a repair may change.
  void mark_read(Span at) {
    out_.steps.back().at = at;
    out_.steps.back().is_read = true;
  }

  void tell_events() {
    using Kind = ScheduleStep::Kind;
    using Shown = Counterexample::Step::Kind;
    for (const ScheduleStep& step : violation_.schedule) {
      begin(step.instance);
      const std::string label = call_of(program_, code_, step.instance).label;
      const std::string statement = on_one_line(program_.text(step.at));
      switch (step.kind) {
        case Kind::Read: {
          std::string from = step.is_own ? "own write"
                             : step.source == kInit
                                 ? "initial"
                                 : "from " + name_of(step.source);
          if (step.is_stale) from += ", stale";
          add(Shown::Statement, step.instance, step.at.line, statement,
              std::to_string(step.value) + " (" + from + ")");
          if (!step.is_own) mark_read(step.at);
          break;
        }
        case Kind::Write:
          add(Shown::Statement, step.instance, step.at.line, statement,
              std::to_string(step.value));
          break;
        case Kind::AssertFailed: break;
        case Kind::Commit:
          add(Shown::End, step.instance, 0, "commit " + label, "");
          break;
        case Kind::Abort:
          add(Shown::End, step.instance, step.at.line, "abort " + label, "");
          break;
        case Kind::Fault:
          out_.new_error = std::string(describe(step.fault)) + " at line " +
                           std::to_string(step.at.line);
          add(Shown::Error, step.instance, step.at.line, statement,
              std::string(describe(step.fault)));
          break;
      }
    }
  }

  static std::string seen_of(const sql::TracedStatement& s) {
    if (s.statement == nullptr) return "";
    const auto& rows = s.result.rows;
    const bool gives_rows =
        s.statement->is_select() || !s.statement->returning.empty();
    if (!gives_rows || (rows.empty() && s.result.count > 0)) {
      return std::to_string(s.result.count) +
             (s.result.count == 1 ? " row" : " rows");
    }
    if (rows.empty()) return "no row";
    std::string out;
    for (std::size_t r = 0; r < std::min<std::size_t>(rows.size(), 3); ++r) {
      if (r > 0) out += ", ";
      std::string row;
      for (std::size_t c = 0; c < rows[r].size(); ++c) {
        row += (c > 0 ? ", " : "") + to_string(rows[r][c]);
      }
      out += rows[r].size() == 1 ? row : "(" + row + ")";
    }
    return rows.size() > 3 ? out + ", .." : out;
  }

  void tell_statements() {
    using Kind = sql::TracedStatement::Kind;
    using Shown = Counterexample::Step::Kind;
    for (const auto& s : exploration_->trace(violation_)) {
      begin(s.instance);
      const std::string text = s.statement == nullptr
                                   ? on_one_line(application_->text(s.at))
                                   : on_one_line(sql::text_with_values(
                                         *application_, *s.statement, s.slots));
      switch (s.kind) {
        case Kind::Executed: {
          std::string seen = seen_of(s);
          for (std::size_t m = 0; m < s.misses.size(); ++m) {
            seen += (m == 0 ? " (without " : ", ") + name_of(s.misses[m]);
          }
          if (!s.misses.empty()) seen += ")";
          add(Shown::Statement, s.instance, s.at.line, text, seen);
          if (s.statement != nullptr && s.statement->is_select()) {
            mark_read(s.at);
          }
          break;
        }
        case Kind::Failed:
          add(Shown::Error, s.instance, s.at.line, text, s.error.message);
          break;
        case Kind::Committed:
          add(Shown::End, s.instance, 0, "COMMIT", "");
          break;
      }
    }
  }

  void tell_cycle(const Execution& odd) {
    const auto cycle = find_cycle(code_, odd);
    for (const DependencyEdge& edge : cycle) {
      Counterexample::Edge out;
      out.from = name_of(edge.from);
      out.to = name_of(edge.to);
      out.kind = name(edge.kind);
      if (edge.key) out.key = key_name(program_, code_, *edge.key);
      switch (edge.kind) {
        case Dependency::Session:
          out.reason = out.to + " follows in the same session";
          break;
        case Dependency::Reads:
          out.reason =
              out.to + " reads " + out.key + " as " + out.from + " wrote it";
          break;
        case Dependency::Follows:
          out.reason = out.to + " overwrites " + out.key + " of " + out.from;
          break;
        case Dependency::Misses:
          out.reason = out.from + " reads " + out.key + " as it was before " +
                       out.to + " wrote it";
          break;
      }
      out_.cycle.push_back(std::move(out));
    }
    if (const auto pivot = delayed_transaction(cycle)) {
      out_.delayed = name_of(*pivot);
    }
  }

  void confirm() {
    out_.problem =
        replay_error(code_, violation_.schedule, question_.loop_bound);
    const History history = history_of(program_, code_, violation_.schedule);
    out_.is_of_level = check(history, {question_.against}, budget_).outcome() ==
                       Outcome::Holds;
    const Verdict serial = check(history, {Base::Serializable}, budget_);
    if (serial.outcome() != Outcome::Violated) return;
    out_.is_refused = true;
    const Anomaly anomaly =
        anomaly_of(history, {Base::Serializable}, serial.refutation());
    out_.anomaly = anomaly.words.empty()
                       ? anomaly.id
                       : anomaly.words + " (" + anomaly.id + ")";
  }

  const Program& program_;
  const Code& code_;
  const SearchQuestion& question_;
  const sql::SqlExploration* exploration_;
  const sql::Application* application_;
  const Budget& budget_;
  Violation violation_;
  std::map<std::uint32_t, std::size_t> lanes_;
  std::vector<InstanceId> begun_;
  Counterexample out_;
};

}  // namespace

std::vector<InstanceId> smallest_selection(
    const std::vector<InstanceId>& all,
    const std::function<bool(const std::vector<InstanceId>&)>& breaks,
    const Budget& budget) {
  std::size_t attempts = 0;
  for (std::size_t size = 1; size < all.size() && size <= kMostTransactions;
       ++size) {
    std::vector<bool> chosen(all.size());
    std::fill(chosen.begin(), chosen.begin() + static_cast<long>(size), true);
    do {
      if (++attempts > kMostAttempts || budget.spent_now()) return all;
      std::vector<InstanceId> selection;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (chosen[i]) selection.push_back(all[i]);
      }
      if (breaks(selection)) return selection;
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
  }
  return all;
}

Counterexample explain(const Program& program, const Code& code,
                       const SearchQuestion& question,
                       const SearchAnswer& answer,
                       const sql::SqlExploration* exploration,
                       const sql::Application* application,
                       const Budget& budget) {
  return Teller(program, code, question, exploration, application, budget)
      .tell(answer);
}

}  // namespace txscope::robust
