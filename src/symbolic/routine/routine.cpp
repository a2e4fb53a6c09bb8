#include "symbolic/routine/routine.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "exec/sql/query/fold.h"
#include "exec/sql/routine/handlers.h"
#include "symbolic/routine/known_order.h"
#include "symbolic/routine/savepoints.h"

namespace txscope::symbolic {

using smt::Term;

namespace {

constexpr unsigned kDeepestCall = 20;

class RoutineRun {
 public:
  RoutineRun(RoutineContext& context, SymbolicPath& path, RoutineDatabase& on,
             const sql::Routine& routine)
      : context_(context),
        path_(path),
        q_(path.q),
        t_(path.t),
        on_(on),
        routine_(routine),
        ends_(routine.body, context.behind),
        savepoints_(path, on),
        returned_(t_.boolean(false)),
        result_(q_.null_of(sql::Kind::Null)),
        row_count_(t_.integer(0)) {}

  SqlTerm run() {
    if (!routine_.cursors.empty()) throw Unsupported{routine_.at, "a cursor"};
    block(routine_.body);
    savepoints_.release_all();
    path_.alive = t_.any_of({path_.alive, returned_});
    return result_;
  }

 private:
  SqlTerm local(const sql::Expr& e) {
    return path_.evaluated([&] {
      SymbolicQueries queries(q_, path_.slots, no_rows());
      return queries.evaluate(e, {});
    });
  }

  void set(std::uint32_t slot, const SqlTerm& value) {
    path_.slots[slot] = q_.choose(path_.alive, value, path_.slots[slot]);
  }
  /// As an assignment to a variable converts it.
  void assign(const sql::Routine& in, std::uint32_t slot, const SqlTerm& value,
              Span at) {
    const sql::Variable& variable = in.variables[slot];
    const SqlTerm converted = path_.evaluated([&] {
      const SqlTerm v = q_.cast(value, variable.type, true, at);
      if (variable.is_not_null) q_.fail_if(v.null, "22004");
      return v;
    });
    set(slot, converted);
  }

  // Depth: that of the user's text.
  void block(const sql::PlBlock& statements) {
    for (const sql::PlStatement& s : statements) {
      if (path_.is_dead()) {
        // Who has failed may go on at a ROLLBACK TO.
        if (!savepoints_.is_any_open()) return;
        if (!std::holds_alternative<sql::PlSavepoint>(s.what)) continue;
      }
      if (context_.budget.spent_now()) {
        path_.stop(t_.boolean(true), path_.cut);
        return;
      }
      path_.at = s.at;
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  void statement(const sql::PlAssign& s) {
    const Span at = path_.at;
    const SqlTerm value = local(s.value);
    assign(routine_, s.slot, value, at);
  }

  void statement(const sql::PlIf& s) {
    const Term before = path_.alive;
    Term after = t_.boolean(false);
    Term rest = before;
    for (const sql::PlIf::Arm& arm : s.arms) {
      path_.alive = rest;
      if (path_.is_dead()) break;
      block(arm.before);
      const Term holds = q_.is_true(local(arm.condition));
      rest = t_.all_of({path_.alive, t_.negation(holds)});
      path_.alive = t_.all_of({path_.alive, holds});
      if (!path_.is_dead()) block(arm.body);
      after = t_.any_of({after, path_.alive});
    }
    path_.alive = rest;
    if (s.must_match) {
      path_.fail(t_.boolean(true), "20000");
    } else if (!path_.is_dead()) {
      block(s.otherwise);
    }
    path_.alive = t_.any_of({after, path_.alive});
  }

  /// Runs a loop's rounds; `round` says whether there is another one.
  template <class Round>
  void loop(sql::LabelId label, Round&& round) {
    const std::uint32_t key = label.index;
    exits_[key] = t_.boolean(false);
    for (std::uint64_t n = 0; !path_.is_dead(); ++n) {
      continues_[key] = t_.boolean(false);
      if (!round(n)) break;
      path_.alive = t_.any_of({path_.alive, continues_[key]});
    }
    path_.alive = t_.any_of({path_.alive, exits_[key]});
    exits_.erase(key);
  }

  /// Paths for which `over` holds leave the loop.
  void leave_if(sql::LabelId label, Term over) {
    Term& exits = exits_[label.index];
    exits = t_.any_of({exits, t_.all_of({path_.alive, over})});
    path_.alive = t_.all_of({path_.alive, t_.negation(over)});
  }

  void statement(const sql::PlLoop& s) {
    loop(s.label, [&](std::uint64_t n) {
      block(s.before);
      if (path_.is_dead()) return true;
      if (s.condition) {
        leave_if(s.label, t_.negation(q_.is_true(local(*s.condition))));
      }
      if (path_.is_dead()) return true;
      if (n >= context_.rounds) {
        path_.stop(t_.boolean(true), path_.cut);
        return false;
      }
      block(s.body);
      return true;
    });
  }

  void statement(const sql::PlForRange& s) {
    SqlTerm now = local(s.from);
    const SqlTerm last = local(s.to);
    SqlTerm step = q_.integer(t_.integer(1));
    if (s.step) step = local(*s.step);
    path_.fail(t_.any_of({now.null, last.null, step.null}), "22004");
    path_.fail(t_.less_equal(step.value, t_.integer(0)), "22023");
    Term any = t_.boolean(false);
    loop(s.label, [&](std::uint64_t n) {
      leave_if(s.label, s.is_reverse ? t_.less(now.value, last.value)
                                     : t_.less(last.value, now.value));
      if (path_.is_dead()) return true;
      const bool is_known = t_.value(now.value) && t_.value(last.value);
      if (!is_known && n >= context_.rounds) {
        path_.stop(t_.boolean(true), path_.cut);
        return false;
      }
      if (n > 1000) {
        path_.stop(t_.boolean(true), path_.cut);
        return false;
      }
      any = t_.any_of({any, path_.alive});
      set(s.slot, now);
      now.value = s.is_reverse ? t_.subtract(now.value, step.value)
                               : t_.add(now.value, step.value);
      block(s.body);
      return true;
    });
    set(sql::kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  void statement(const sql::PlForRows& s) {
    const Span at = path_.at;
    if (s.cursor) throw Unsupported{at, "a cursor"};
    const auto* select = std::get_if<sql::Select>(&s.query.what);
    if (select == nullptr) throw Unsupported{at, "FOR over RETURNING"};
    plan(s.query);
    std::vector<ResultRow> rows = on_.query(**select);
    sort_known(path_, **select, rows);
    Term any = t_.boolean(false);
    std::size_t next = 0;
    std::vector<Term> none;
    none.reserve(rows.size());
    for (const ResultRow& row : rows) none.push_back(row.guard);
    const Term is_empty = t_.negation(t_.any_of(none));
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm null =
          q_.null_of(kind_of(routine_.variables[s.into[i]].type.name));
      path_.slots[s.into[i]] = q_.choose(t_.all_of({path_.alive, is_empty}),
                                         null, path_.slots[s.into[i]]);
    }
    loop(s.label, [&](std::uint64_t) {
      if (next == rows.size()) return false;
      const ResultRow& row = rows[next++];
      const Term skips = t_.all_of({path_.alive, t_.negation(row.guard)});
      path_.alive = t_.all_of({path_.alive, row.guard});
      any = t_.any_of({any, path_.alive});
      if (!path_.is_dead()) {
        for (std::size_t i = 0; i < s.into.size(); ++i) {
          assign(routine_, s.into[i], row.values[i], at);
        }
        block(s.body);
      }
      path_.alive = t_.any_of({path_.alive, skips});
      return true;
    });
    set(sql::kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  void statement(const sql::PlExit& s) {
    const std::uint32_t key = s.label.index;
    Term& to = s.is_continue ? continues_[key] : exits_[key];
    path_.stop(t_.boolean(true), to);
  }
  void statement(const sql::PlLabelled& s) {
    bool is_first = true;
    loop(s.label, [&](std::uint64_t) {
      if (!is_first) return false;
      is_first = false;
      block(s.body);
      return true;
    });
  }
  void statement(const sql::PlReturn& s) {
    if (s.value) result_ = q_.choose(path_.alive, local(*s.value), result_);
    path_.stop(t_.boolean(true), returned_);
  }
  void statement(const sql::PlRaise& s) {
    if (s.again) {
      for (const auto& [code, when] : handled_.back()) path_.fail(when, code);
      path_.stop(t_.boolean(true), path_.aborted);
      return;
    }
    path_.fail(t_.boolean(true), s.sqlstate);
  }

  /// Paths on which the body fails go on in a handler, with what it wrote
  /// undone and its variables as they are.
  void statement(const sql::PlTry& s) {
    if (s.raises_again && !s.handlers.empty()) {
      block(s.body);
      return;
    }
    const Span at = path_.at;
    const std::size_t known = path_.failures.size();
    const Term aborted = path_.aborted;
    path_.aborted = t_.boolean(false);
    if (!s.keeps_work) on_.begin_block();
    block(s.body);
    std::vector<SymbolicPath::Failure> failures(
        path_.failures.begin() + static_cast<std::ptrdiff_t>(known),
        path_.failures.end());
    path_.failures.resize(known);
    const Term failed = path_.aborted;
    path_.aborted = aborted;
    if (!s.keeps_work) on_.end_block(failed);
    const Term done = path_.alive;
    Term after = done;
    for (const sql::PlTry::Handler& handler : s.handlers) {
      std::vector<SymbolicPath::Failure> own;
      std::vector<Term> any;
      for (const auto& failure : failures) {
        if (failure.code == sql::kRollBack || !is_named(handler, failure.code))
          continue;
        own.push_back(failure);
        any.push_back(failure.when);
      }
      std::erase_if(failures, [&](const auto& f) {
        return f.code != sql::kRollBack && is_named(handler, f.code);
      });
      path_.alive = t_.any_of(any);
      if (path_.is_dead()) continue;
      path_.at = at;
      handle(s, handler, own);
      after = t_.any_of({after, path_.alive});
    }
    for (auto& failure : failures) {  // nobody's
      path_.aborted = t_.any_of({path_.aborted, failure.when});
      path_.failures.push_back(failure);
    }
    path_.alive = after;
  }

  void handle(const sql::PlTry& s, const sql::PlTry::Handler& handler,
              const std::vector<SymbolicPath::Failure>& failures) {
    SqlTerm& message = path_.slots[s.message_slot];  // any text
    message = q_.choose(path_.alive, q_.any_text("SQLERRM"), message);
    for (const auto& [code, when] : failures) {
      path_.slots[s.state_slot] = q_.choose(
          when, q_.constant(sql::Value::text(code)), path_.slots[s.state_slot]);
    }
    handled_.push_back(failures);
    block(handler.body);
    handled_.pop_back();
  }

  void statement(const sql::PlSavepoint& s) { savepoints_.run(s); }
  void statement(const sql::PlSetConstraints&) {
    throw Unsupported{path_.at, "SET CONSTRAINTS"};
  }
  /// Who comes to a last one is done.
  void statement(const sql::PlEnd& s) {
    if (!ends_.has(s))
      throw Unsupported{path_.at, "several transactions in one call"};
    if (!s.is_commit) path_.fail(t_.boolean(true), std::string(sql::kRollBack));
  }
  void statement(const sql::PlOpen&) {
    throw Unsupported{path_.at, "a cursor"};
  }
  void statement(const sql::PlFetch&) {
    throw Unsupported{path_.at, "a cursor"};
  }
  void statement(const sql::PlClose&) {
    throw Unsupported{path_.at, "a cursor"};
  }
  void statement(const sql::PlRowCount& s) {
    assign(routine_, s.slot, q_.integer(row_count_), path_.at);
  }

  void statement(const sql::PlCall& s) {
    const Span at = path_.at;
    std::vector<SqlTerm> arguments;
    for (const sql::Expr& e : s.arguments) arguments.push_back(local(e));
    const sql::Routine& callee = context_.application.at(s.routine);
    const auto outer = std::exchange(context_.behind, ends_.behind(s));
    const RoutineEnd end = run_routine(context_, path_, on_, callee,
                                       slots_of(q_, callee, arguments));
    context_.behind = outer;
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm& value =
          callee.is_function ? end.result : end.slots[callee.out_slots[i]];
      assign(routine_, s.into[i], value, at);
    }
    if (s.sets_found) {
      set(sql::kFoundSlot, q_.constant(sql::Value::boolean(true)));
      row_count_ = t_.choose(path_.alive, t_.integer(1), row_count_);
    }
  }

  // --- statements for the database

  /// Planning evaluates what variables alone decide, whether a row needs it or
  /// not.
  void plan(const sql::DbStatement& statement) {
    if (!statement.parts.empty())
      throw Unsupported{statement.at, "a statement inside another one"};
    for (const sql::Expr* e : foldable(statement)) (void)local(*e);
  }

  void statement(const sql::PlExecute& s) {
    const Span at = path_.at;
    plan(s.statement);
    if (const auto* select = std::get_if<sql::Select>(&s.statement.what)) {
      const std::vector<ResultRow> rows = on_.query(**select);
      take_rows(s, **select, rows, at);
      return;
    }
    note_count(s, on_.execute(s.statement));
    if (s.into.empty()) return;
    sql::Query shape;  // only its targets are looked at
    shape.targets = s.statement.returning;
    SymbolicQueries queries(q_, path_.slots, no_rows());
    const Term several = queries.has_several(on_.returned());
    std::vector<Term> any;
    for (const ResultRow& row : on_.returned()) any.push_back(row.guard);
    path_.fail(several, "P0003");
    if (s.is_strict) path_.fail(t_.negation(t_.any_of(any)), "P0002");
    into(s, queries.first_row(shape, on_.returned()), at);
  }

  void take_rows(const sql::PlExecute& s, const sql::Query& select,
                 const std::vector<ResultRow>& rows, Span at) {
    Term count = t_.integer(0);
    std::vector<Term> any;
    for (const ResultRow& row : rows) {
      count = t_.add(count, t_.as_integer(row.guard));
      any.push_back(row.guard);
    }
    SymbolicQueries queries(q_, path_.slots, no_rows());
    if (s.is_strict && !s.into.empty()) {
      if (!s.allows_none) path_.fail(t_.negation(t_.any_of(any)), "P0002");
      path_.fail(queries.has_several(rows), "P0003");
    }
    const Term is_any = t_.any_of(any);
    if (!s.into.empty()) count = t_.as_integer(is_any);
    note_count(s, count);
    if (s.into.empty()) return;
    into(s, path_.evaluated([&] { return queries.first_row(select, rows); }),
         at);
  }

  void note_count(const sql::PlExecute& s, Term count) {
    const bool is_less = s.counts_changes &&
                         std::holds_alternative<sql::Update>(s.statement.what);
    row_count_ = t_.choose(
        path_.alive, is_less ? t_.subtract(count, on_.unchanged()) : count,
        row_count_);
    if (s.is_expression) return;
    set(sql::kFoundSlot,
        q_.boolean(t_.less(t_.integer(0), count), t_.boolean(false)));
  }

  void into(const sql::PlExecute& s, const TermRow& row, Span at) {
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm value =
          i < row.size() ? row[i] : q_.null_of(sql::Kind::Null);
      assign(routine_, s.into[i], value, at);
    }
  }

  RoutineContext& context_;
  SymbolicPath& path_;
  SqlTerms& q_;
  smt::Terms& t_;
  RoutineDatabase& on_;
  const sql::Routine& routine_;
  const analysis::LastEnds ends_;
  Savepoints savepoints_;
  Term returned_;
  SqlTerm result_;
  Term row_count_;
  std::map<std::uint32_t, Term> exits_;      // by label
  std::map<std::uint32_t, Term> continues_;  // by label
  /// What the handlers that run have caught, innermost last.
  std::vector<std::vector<SymbolicPath::Failure>> handled_;
};

}  // namespace

std::vector<SqlTerm> slots_of(SqlTerms& terms, const sql::Routine& routine,
                              std::span<const SqlTerm> arguments) {
  std::vector<SqlTerm> slots;
  for (const sql::Variable& v : routine.variables) {
    slots.push_back(terms.null_of(kind_of(v.type.name)));
  }
  slots[sql::kFoundSlot] = terms.constant(sql::Value::boolean(false));
  std::copy(arguments.begin(), arguments.end(), slots.begin() + 1);
  return slots;
}

RoutineEnd run_routine(RoutineContext& context, SymbolicPath& path,
                       RoutineDatabase& on, const sql::Routine& routine,
                       std::vector<SqlTerm> slots) {
  if (context.depth == kDeepestCall) throw Unsupported{path.at, "recursion"};
  if (routine.problem != nullptr)
    throw Unsupported{routine.at, "'" + routine.name + "'"};
  ++context.depth;
  std::swap(slots, path.slots);
  const Span at = path.at;
  RoutineEnd end;
  end.result = RoutineRun(context, path, on, routine).run();
  path.at = at;
  std::swap(slots, path.slots);
  end.slots = std::move(slots);
  --context.depth;
  return end;
}

}  // namespace txscope::symbolic
