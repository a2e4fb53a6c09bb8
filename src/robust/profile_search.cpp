#include "robust/profile_search.h"

#include <set>

#include "model/sql/walk.h"
#include "robust/result.h"

namespace txscope::robust {
namespace {

using Told = txscope::Counterexample;
using Happened = txscope::Step;

/// A run of the engine in the words of this folder.
class Telling {
 public:
  Telling(const sql::Application& application, const Told& run)
      : application_(application),
        workload_(sql::workload_of(application)),
        run_(run) {}

  [[nodiscard]] Counterexample told() {
    out_.workload = workload_;
    for (const Workload::Session& session : workload_.sessions) {
      out_.sessions.push_back(session.name);
    }
    for (const CallRef call : run_.calls) {
      out_.transactions.push_back(workload_.name(call));
    }
    out_.all_transactions = run_.all_calls;
    for (const Happened& step : run_.steps) add(step);
    for (const FinalTable& table : run_.finals) {
      std::string rows = table.name;
      for (const RowUse& use : table.rows) rows += " " + row_text(*use.row);
      out_.finals.push_back(std::move(rows));
    }
    out_.serial = run_.serial;
    if (run_.refused_by) {
      out_.anomaly = run_.anomaly.words.empty()
                         ? run_.anomaly.id
                         : run_.anomaly.words + " (" + run_.anomaly.id + ")";
    }
    out_.is_of_level = true;  // the engine itself ran it
    out_.is_refused = true;   // no serial order gives it
    out_.problem = run_.replay_problem;
    return std::move(out_);
  }

 private:
  void add(const Happened& step) {
    using Kind = evidence::Step::Kind;
    const std::string name = workload_.name(step.call);
    out_.run.push_back(step);
    if (begun_.insert({step.call, step.attempt}).second) {
      std::string text = workload_.at(step.call).text;
      if (step.attempt > 0) text += " (again)";
      put(Kind::Begin, step, 0, text);
    }
    switch (step.kind) {
      case Happened::Kind::Wait:
        put(Kind::Wait, step, step.at.line, step.text);
        for (const std::uint32_t s : step.waits_for)
          out_.steps.back().told.waits_for.push_back(
              workload_.sessions[s].name);
        return;
      case Happened::Kind::Error:
        put(Kind::Error, step, step.at.line, step.text, step.seen);
        out_.steps.back().told.code = step.code;
        return;
      case Happened::Kind::Commit:
        out_.commit_order.push_back(name);
        return put(Kind::Commit, step, 0, "COMMIT");
      case Happened::Kind::Rollback:
        return put(Kind::Rollback, step, 0, "ROLLBACK");
      default: break;
    }
    put(Kind::Statement, step, step.at.line, step.text, step.seen);
    out_.steps.back().at = step.at;
    out_.steps.back().is_read = is_select(step.at);
  }

  void put(evidence::Step::Kind kind, const Happened& step, std::uint32_t line,
           std::string text, std::string seen = {}) {
    evidence::Step told;
    told.kind = kind;
    told.lane = step.call.session;
    told.transaction = workload_.name(step.call);
    told.text = std::move(text);
    told.seen = std::move(seen);
    told.place.line = line;
    out_.steps.push_back({std::move(told)});
    if (kind != evidence::Step::Kind::Begin)
      out_.steps.back().of_run = out_.run.size() - 1;
  }

  [[nodiscard]] bool is_select(Span at) const {
    bool found = false;
    for (const sql::Routine& routine : application_.routines) {
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
        found |= s.at.offset == at.offset && s.is_select();
      });
    }
    return found;
  }

  const sql::Application& application_;
  const Workload workload_;
  const Told& run_;
  std::set<std::pair<CallRef, std::uint32_t>> begun_;
  Counterexample out_;
};

}  // namespace

Result<ProfileAnswer> search_profile(const sql::Application& application,
                                     const Profile& profile, Notion notion,
                                     std::uint64_t loop_bound,
                                     const Budget& budget) {
  sql::Application without_rules = application;
  without_rules.properties.clear();
  engine::ProfileOptions how;
  how.loop_bound = loop_bound;
  how.builtins = notion == Notion::State ? engine::SerialSense::State
                                         : engine::SerialSense::Outcome;
  how.stop_at = engine::Question::about(Builtin::OneAfterTheOther);
  const auto found =
      engine::explore_profile(without_rules, profile, how, budget);
  if (!found) return found.error();
  ProfileAnswer out;
  out.outcomes = found->counts.histories;
  const auto verdict = found->builtins.empty()
                           ? Outcome::Undecided
                           : found->builtins.front().verdict;
  switch (verdict) {
    case Outcome::Holds: out.answer = Outcome::Holds; break;
    case Outcome::Violated:
      out.answer = Outcome::Violated;
      for (const Told& run : found->counterexamples) {
        if (run.builtin != Builtin::OneAfterTheOther) continue;
        out.counterexample = Telling(without_rules, run).told();
      }
      break;
    case Outcome::Undecided:
      out.why = found->spent != Spent::Nothing ? why_undecided(found->spent)
                : found->counts.cut > 0        ? found->cut_reason
                                        : "there are too many serial orders";
  }
  return out;
}

}  // namespace txscope::robust
