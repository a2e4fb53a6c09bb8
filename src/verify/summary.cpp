#include "verify/summary.h"

#include "verify/symbolic_expr.h"

namespace txscope::verify {
namespace {

using smt::Term;

/// Runs a transaction's statements once, all paths side by side.
class Summarizer {
 public:
  Summarizer(smt::Terms& terms, const Program& program,
             const Transaction& transaction, const SummaryOptions& options,
             const Budget& budget)
      : t_(terms),
        program_(program),
        transaction_(transaction),
        options_(options),
        budget_(budget),
        expressions_(terms, program) {
    names_.local = [this](std::uint32_t local) {
      return SymbolicValue{state_.locals[local],
                           t_.negation(state_.assigned[local])};
    };
  }

  Summary run(std::span<const Term> arguments) {
    const Term never = t_.boolean(false);
    state_.alive = t_.boolean(true);
    state_.locals.assign(transaction_.locals.size(), t_.integer(0));
    state_.assigned.assign(transaction_.locals.size(), never);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      state_.locals[i] = arguments[i];
      state_.assigned[i] = t_.boolean(true);
    }
    out_.aborted = out_.faulted = out_.discarded = out_.cut = never;
    block(transaction_.body);
    out_.committed = state_.alive;
    out_.locals = std::move(state_.locals);
    out_.assigned = std::move(state_.assigned);
    return std::move(out_);
  }

 private:
  /// Where all paths that are still running stand.
  struct State {
    Term alive;
    std::vector<Term> locals;
    std::vector<Term> assigned;
  };

  [[nodiscard]] bool is_dead() const { return t_.is_false(state_.alive); }

  /// The paths of `when` end in `end`.
  void stop(Term when, Term& end) {
    end = t_.any_of({end, t_.all_of({state_.alive, when})});
    state_.alive = t_.all_of({state_.alive, t_.negation(when)});
  }

  Term value(ExprId id) {
    const SymbolicValue v = expressions_.evaluate(id, names_);
    stop(v.fault, out_.faulted);
    return v.value;
  }
  Term condition(ExprId id) { return t_.as_truth(value(id)); }

  void set(LocalId local, Term value) {
    state_.locals[local.index] = value;
    state_.assigned[local.index] = t_.boolean(true);
  }

  // Depth: Program::kMaxNesting.
  void block(const Block& statements) {
    for (const Statement& s : statements) {
      if (is_dead()) return;
      if (out_.events.size() > options_.max_events || budget_.spent_now()) {
        stop(t_.boolean(true), out_.cut);
        return;
      }
      at_ = s.at;
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  Term index_of(const RowRef& row) {
    if (row.key.empty()) return t_.integer(0);
    const Term index = value(row.key[0]);
    stop(expressions_.is_outside(row.table, index), out_.faulted);
    return index;
  }

  void statement(const ReadRow& s) {
    const Span at = at_;
    const Term index = index_of(s.row);
    if (is_dead()) return;
    std::vector<std::pair<Term, Term>> own;  // when, and the value
    std::vector<Term> not_own = {state_.alive};
    for (const SymbolicEvent& e : out_.events) {
      if (e.kind != SymbolicEvent::Kind::Write || e.table != s.row.table) {
        continue;
      }
      const Term same = t_.all_of({e.guard, t_.equal(e.index, index)});
      if (t_.is_false(same)) continue;
      own.emplace_back(same, e.value);
      not_own.push_back(t_.negation(same));
    }
    const Term external = t_.all_of(not_own);
    Term read = t_.integer(0);
    if (!t_.is_false(external)) {
      std::optional<Term> known;
      if (options_.fixed) known = options_.fixed(s.row.table, index);
      read = known ? *known
                   : t_.unknown(program_.at(s.row.table).name, smt::Bounds{});
      out_.events.push_back(
          {SymbolicEvent::Kind::Read, s.row.table, at, external, index, read});
    }
    for (const auto& [same, written] : own) {
      read = t_.choose(same, written, read);
    }
    set(s.to, read);
  }

  void statement(const WriteRow& s) {
    const Span at = at_;
    const Term index = index_of(s.row);
    const Term written = value(s.values.at(0));
    if (is_dead()) return;
    out_.events.push_back({SymbolicEvent::Kind::Write, s.row.table, at,
                           state_.alive, index, written});
  }

  void statement(const Assign& s) {
    const Term v = value(s.value);
    set(s.to, v);
  }

  void statement(const If& s) {
    const Term holds = condition(s.condition);
    if (t_.is_true(holds)) return block(s.then);
    if (t_.is_false(holds)) return block(s.otherwise);
    branch(
        holds, [&] { block(s.then); }, [&] { block(s.otherwise); });
  }

  /// Runs both sides from here and merges what they leave.
  template <class Then, class Otherwise>
  void branch(Term holds, Then&& then, Otherwise&& otherwise) {
    State before = state_;
    state_.alive = t_.all_of({before.alive, holds});
    if (!is_dead()) then();
    State yes = std::move(state_);
    state_ = std::move(before);
    state_.alive = t_.all_of({state_.alive, t_.negation(holds)});
    if (!is_dead()) otherwise();
    for (std::size_t i = 0; i < state_.locals.size(); ++i) {
      state_.locals[i] = t_.choose(holds, yes.locals[i], state_.locals[i]);
      state_.assigned[i] =
          t_.choose(holds, yes.assigned[i], state_.assigned[i]);
    }
    state_.alive = t_.any_of({yes.alive, state_.alive});
  }

  void statement(const For& s) {
    const Term from = value(s.from);
    const Term to = value(s.to);
    const auto first = t_.value(from);
    const auto last = t_.value(to);
    if (first && last) {
      for (std::int64_t i = *first; i < *last && !is_dead(); ++i) {
        set(s.variable, t_.integer(i));
        block(s.body);
      }
      return;
    }
    round(s, from, to, 0);
  }

  /// `now` never overflows: it is used only if it is below `to`.
  void round(const For& s, Term now, Term to, std::uint64_t number) {
    const Term goes_on = t_.less(now, to);
    if (t_.is_false(goes_on) || is_dead()) return;
    if (number >= options_.rounds) return stop(goes_on, out_.cut);
    branch(
        goes_on,
        [&] {
          set(s.variable, now);
          block(s.body);
          round(s, t_.add(now, t_.integer(1)), to, number + 1);
        },
        [] {});
  }

  void statement(const While& s) { round(s, 0, 0); }

  void round(const While& s, std::uint64_t number, std::uint64_t unknown) {
    const Term goes_on = condition(s.condition);
    if (t_.is_false(goes_on) || is_dead()) return;
    if (t_.is_true(goes_on)) {  // as long as that is so, no recursion
      if (number >= options_.constant_rounds) {
        return stop(goes_on, out_.cut);
      }
      block(s.body);
      return round(s, number + 1, unknown);
    }
    if (unknown >= options_.rounds || number >= options_.constant_rounds) {
      return stop(goes_on, out_.cut);
    }
    branch(
        goes_on,
        [&] {
          block(s.body);
          round(s, number + 1, unknown + 1);
        },
        [] {});
  }

  void statement(const Assert& s) {
    const Term holds = condition(s.condition);
    const Term fails = t_.all_of({state_.alive, t_.negation(holds)});
    const auto [entry, is_new] = out_.failures.emplace(s.property, fails);
    if (!is_new) entry->second = t_.any_of({entry->second, fails});
  }
  void statement(const Assume& s) {
    stop(t_.negation(condition(s.condition)), out_.discarded);
  }
  void statement(const Abort&) { stop(t_.boolean(true), out_.aborted); }

  smt::Terms& t_;
  const Program& program_;
  const Transaction& transaction_;
  const SummaryOptions& options_;
  const Budget& budget_;
  SymbolicExpressions expressions_;
  SymbolicNames names_;
  State state_;
  Span at_;
  Summary out_;
};

}  // namespace

Summary summarize(smt::Terms& terms, const Program& program,
                  TransactionId transaction,
                  std::span<const smt::Term> arguments,
                  const SummaryOptions& options, const Budget& budget) {
  return Summarizer(terms, program, program.at(transaction), options, budget)
      .run(arguments);
}

}  // namespace txscope::verify
