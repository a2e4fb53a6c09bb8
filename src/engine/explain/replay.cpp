#include "engine/explain/replay.h"

#include <algorithm>

#include "engine/explain/row_log.h"
#include "engine/search/rule_judge.h"
#include "engine/server/server.h"
#include "model/sql/value/shown.h"

namespace txscope::engine {
namespace {

using Happened = txscope::Step;

/// One way through the moves.
class Replayer {
 public:
  Replayer(const sql::Application& application, const Profile& profile,
           const Selection& selection, const Question& what,
           std::uint64_t loop_bound, const Budget& budget)
      : application_(application),
        what_(what),
        budget_(budget),
        routines_(application, loop_bound),
        around_{routines_, rows_, budget_},
        server_(around_, profile, selection),
        judge_(routines_, selection, budget_) {}

  /// Tells reads of `wanted`; afterwards written() is known.
  Replayed run(const sql::MemoryDatabase& initial, std::span<const Move> moves,
               std::set<RowLog::Key> wanted) {
    State state = server_.initial(initial);
    RowLog log(application_.schema, state, std::move(wanted));
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const std::vector<Move> possible = server_.moves(state);
      if (std::find(possible.begin(), possible.end(), moves[i]) ==
          possible.end()) {
        return fail("move " + std::to_string(i + 1) + " is impossible");
      }
      if (!apply(state, moves[i], log)) return fail("it cannot be followed");
    }
    written_ = log.written();
    if (!server_.moves(state).empty()) return fail("it never ends");
    finish(state, log);
    return std::move(out_);
  }

  [[nodiscard]] const std::set<RowLog::Key>& written() const {
    return written_;
  }

 private:
  Replayed fail(std::string why) {
    // A budget that ends in the middle proves nothing.
    if (!budget_.spent()) out_.problem = std::move(why);
    return std::move(out_);
  }

  bool apply(State& state, Move move, RowLog& log) {
    const SessionState& session = state.sessions[move.session];
    const CallRef call{move.session,
                       server_.selection().calls[move.session][session.call]};
    const bool is_statement =
        session.request.kind == sql::Request::Kind::Statement;
    log.begin(move.session, call,
              is_statement ? session.request.statement : nullptr);
    std::vector<TraceStep> trace;
    Happenings happenings;
    routines_.watch(&log);
    server_.apply(state, move, &trace, happenings);
    routines_.watch(nullptr);
    for (const TraceStep& step : trace) {
      out_.steps.push_back(told(step));
      if (step.kind == TraceStep::Kind::Executed) log.tell(out_.steps.back());
      if (step.kind == TraceStep::Kind::Committed) log.committed();
      if (step.kind == TraceStep::Kind::RolledBack) log.rolled_back();
      if (step.kind == TraceStep::Kind::Committed) note_variables(step);
    }
    return happenings.undecided.empty();
  }

  void finish(const State& state, const RowLog& log) {
    if (what_.builtin) {
      note_broken(state);
    } else {
      const auto value = judge_.value(what_.property, state);
      out_.value = word_of(value);
      out_.numbers = judge_.numbers(what_.property, state);
      if (value && value->is_true()) out_.problem = "the property holds then";
    }
    if (what_.builtin == Builtin::NoDeadlock && !state.had_deadlock)
      out_.problem = "there is no deadlock then";
    out_.ends = server_.ends(state);
    for (std::size_t t = 0; t < application_.schema.tables.size(); ++t) {
      const TableId table(t);
      out_.final.push_back(committed_rows(state, application_.schema, table));
      auto& uses = out_.final_uses.emplace_back();
      for (const sql::Row& row : out_.final.back())
        uses.push_back(log.final_row(table, row));
    }
  }

  /// What the run breaks besides.
  void note_broken(const State& state) {
    for (std::size_t p = 0; p < application_.properties.size(); ++p) {
      if (application_.properties[p].kind == PropertyKind::Exists) continue;
      const auto value = judge_.value(p, state);
      if (value && !value->is_true())
        out_.broken.push_back(
            {PropertyId(p), word_of(value), judge_.numbers(p, state)});
    }
  }

  static std::string word_of(const std::optional<sql::Value>& value) {
    if (!value) return "";
    return value->is_null() ? "NULL" : value->is_true() ? "true" : "false";
  }

  [[nodiscard]] Happened told(const TraceStep& step) const {
    Happened out;
    out.call = {step.session, step.call};
    out.attempt = step.attempt;
    out.at = step.at;
    out.text =
        step.statement == nullptr
            ? one_line(application_.text(step.at))
            : sql::shown_statement(application_, *step.statement, step.slots);
    switch (step.kind) {
      case TraceStep::Kind::Executed:
        out.kind = Happened::Kind::Statement;
        out.seen = sql::shown_result(*step.statement, step.rows, step.count);
        break;
      case TraceStep::Kind::Waits:
        out.kind = Happened::Kind::Wait;
        out.waits_for = step.waits_for;
        break;
      case TraceStep::Kind::Failed:
        out.kind = Happened::Kind::Error;
        out.seen = step.message;
        out.code = step.code;
        break;
      case TraceStep::Kind::Committed:
        out.kind = Happened::Kind::Commit;
        out.text = "COMMIT";
        break;
      case TraceStep::Kind::RolledBack:
        out.kind = Happened::Kind::Rollback;
        out.text = "ROLLBACK";
        break;
    }
    return out;
  }

  /// The values of variables that the property mentions.
  void note_variables(const TraceStep& step) {
    if (what_.builtin) return;
    const sql::Call& call =
        application_.sessions[step.session].calls[step.call];
    for (const sql::VariableRef& ref :
         application_.properties[what_.property].variables) {
      if (ref.session != step.session || ref.call != step.call ||
          ref.slot >= step.slots.size()) {
        continue;
      }
      NamedValue shown{
          application_.sessions[step.session].name + "." + call.label + "." +
              application_.at(call.routine).variables[ref.slot].name,
          step.slots[ref.slot]};
      if (std::find(out_.variables.begin(), out_.variables.end(), shown) ==
          out_.variables.end()) {
        out_.variables.push_back(std::move(shown));
      }
    }
  }

  const sql::Application& application_;
  const Question what_;
  const Budget& budget_;
  sql::Routines routines_;
  RowPool rows_;
  const Surroundings around_;
  Server server_;
  RuleJudge judge_;
  Replayed out_;
  std::set<RowLog::Key> written_;
};

}  // namespace

// Twice: which rows somebody writes is known only afterwards.
Replayed replay(const sql::Application& application, const Profile& profile,
                const Selection& selection, const Question& what,
                std::span<const Move> moves, std::uint64_t loop_bound,
                const Budget& budget) {
  const sql::Routines routines(application, loop_bound);
  const auto set_up = sql::MemoryDatabase::after_setup(routines, budget);
  const auto* initial = std::get_if<sql::MemoryDatabase>(&set_up);
  if (initial == nullptr) {
    Replayed failed;
    if (!budget.spent()) failed.problem = "its setup fails";
    return failed;
  }
  Replayer first(application, profile, selection, what, loop_bound, budget);
  Replayed alone = first.run(*initial, moves, {});
  if (alone.problem) return alone;
  Replayer second(application, profile, selection, what, loop_bound, budget);
  return second.run(*initial, moves, first.written());
}

}  // namespace txscope::engine
