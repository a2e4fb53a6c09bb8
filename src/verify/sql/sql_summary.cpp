#include "verify/sql/sql_summary.h"

#include <algorithm>
#include <map>

#include "verify/sql/symbolic_foreign_keys.h"
#include "verify/sql/symbolic_tables.h"
#include "verify/sql/symbolic_writer.h"

namespace txscope::sql {

using smt::Term;

namespace {

/// Runs a routine's statements once, all paths side by side.  `path_.alive`
/// says when the statement at hand runs; variables and rows change under it.
class CallRun {
 public:
  CallRun(SqlTerms& terms, const Application& application,
          const KeyUniverse& universe, const SqlSummaryOptions& options,
          std::vector<std::pair<TableId, Row>>& wanted, const Budget& budget)
      : q_(terms),
        t_(terms.t),
        application_(application),
        options_(options),
        budget_(budget),
        path_(terms),
        tables_(path_, application.schema, universe, options),
        writer_(path_, tables_, options, wanted),
        foreign_keys_(path_, tables_, writer_) {}

  SqlSummary run(const Call& call, std::span<const SqlTerm> arguments) {
    row_count_ = t_.integer(0);
    result_ = q_.null_of(Kind::Null);
    path_.slots = frame_of(application_.at(call.routine), arguments);
    routine(application_.at(call.routine));
    foreign_keys_.check_deferred();
    SqlSummary out;
    out.committed = path_.alive;
    out.aborted = path_.aborted;
    out.cut = path_.cut;
    out.beyond = path_.beyond;
    out.open_tables = path_.open_tables;
    out.slots = path_.slots;
    out.is_covered = is_covered_;
    tables_.finish(out);
    return out;
  }

 private:
  SqlTerm local(const Expr& e) {
    return path_.evaluated([&] {
      SymbolicQueries queries(q_, path_.slots, no_rows());
      return queries.evaluate(e, {});
    });
  }

  void set(std::uint32_t slot, const SqlTerm& value) {
    path_.slots[slot] = q_.choose(path_.alive, value, path_.slots[slot]);
  }
  /// As an assignment to a variable converts it.
  void assign(const Routine& in, std::uint32_t slot, const SqlTerm& value,
              Span at) {
    const Variable& variable = in.variables[slot];
    const SqlTerm converted = path_.evaluated([&] {
      const SqlTerm v = q_.cast(value, variable.type, true, at);
      if (variable.is_not_null) q_.fail_if(v.null);
      return v;
    });
    set(slot, converted);
  }

  std::vector<SqlTerm> frame_of(const Routine& routine,
                                std::span<const SqlTerm> arguments) {
    std::vector<SqlTerm> slots;
    for (const Variable& v : routine.variables) {
      slots.push_back(q_.null_of(kind_of(v.type.name)));
    }
    slots[kFoundSlot] = q_.constant(Value::boolean(false));
    std::copy(arguments.begin(), arguments.end(), slots.begin() + 1);
    return slots;
  }

  void routine(const Routine& routine) {
    const Routine* const outer = routine_;
    const Term returned = returned_;
    routine_ = &routine;
    returned_ = t_.boolean(false);
    if (!routine.cursors.empty()) {
      throw Unsupported{routine.at, "a cursor"};
    }
    block(routine.body);
    path_.alive = t_.any_of({path_.alive, returned_});
    returned_ = returned;
    routine_ = outer;
  }

  // Depth: that of the user's text.
  void block(const PlBlock& statements) {
    for (const PlStatement& s : statements) {
      if (path_.is_dead()) return;
      if (budget_.spent_now()) {
        path_.stop(t_.boolean(true), path_.cut);
        return;
      }
      path_.at = s.at;
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  void statement(const PlAssign& s) {
    const Span at = path_.at;
    const SqlTerm value = local(s.value);
    assign(*routine_, s.slot, value, at);
  }

  void statement(const PlIf& s) {
    const Term before = path_.alive;
    Term after = t_.boolean(false);
    Term rest = before;
    for (const PlIf::Arm& arm : s.arms) {
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
      path_.stop(t_.boolean(true), path_.aborted);
    } else if (!path_.is_dead()) {
      block(s.otherwise);
    }
    path_.alive = t_.any_of({after, path_.alive});
  }

  /// Runs a loop's rounds; `round` says whether there is another one.
  template <class Round>
  void loop(LabelId label, Round&& round) {
    const std::pair<const Routine*, std::uint32_t> key(routine_, label.index);
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
  void leave_if(LabelId label, Term over) {
    Term& exits = exits_[{routine_, label.index}];
    exits = t_.any_of({exits, t_.all_of({path_.alive, over})});
    path_.alive = t_.all_of({path_.alive, t_.negation(over)});
  }

  void statement(const PlLoop& s) {
    loop(s.label, [&](std::uint64_t n) {
      block(s.before);
      if (path_.is_dead()) return true;
      if (s.condition) {
        leave_if(s.label, t_.negation(q_.is_true(local(*s.condition))));
      }
      if (path_.is_dead()) return true;
      if (n >= options_.rounds) {
        path_.stop(t_.boolean(true), path_.cut);
        return false;
      }
      block(s.body);
      return true;
    });
  }

  void statement(const PlForRange& s) {
    SqlTerm now = local(s.from);
    const SqlTerm last = local(s.to);
    SqlTerm step = q_.integer(t_.integer(1));
    if (s.step) step = local(*s.step);
    path_.stop(t_.any_of({now.null, last.null, step.null,
                          t_.less_equal(step.value, t_.integer(0))}),
               path_.aborted);
    Term any = t_.boolean(false);
    loop(s.label, [&](std::uint64_t n) {
      leave_if(s.label, s.is_reverse ? t_.less(now.value, last.value)
                                     : t_.less(last.value, now.value));
      if (path_.is_dead()) return true;
      const bool is_known = t_.value(now.value) && t_.value(last.value);
      if (!is_known && n >= options_.rounds) {
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
    set(kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  void statement(const PlForRows& s) {
    const Span at = path_.at;
    if (s.cursor) throw Unsupported{at, "a cursor"};
    const auto* select = std::get_if<Select>(&s.query.what);
    if (select == nullptr) throw Unsupported{at, "FOR over RETURNING"};
    std::vector<ResultRow> rows = query(**select);
    sort_known(path_, **select, rows);
    Term any = t_.boolean(false);
    std::size_t next = 0;
    std::vector<Term> none;
    none.reserve(rows.size());
    for (const ResultRow& row : rows) none.push_back(row.guard);
    const Term is_empty = t_.negation(t_.any_of(none));
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm null =
          q_.null_of(kind_of(routine_->variables[s.into[i]].type.name));
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
          assign(*routine_, s.into[i], row.values[i], at);
        }
        block(s.body);
      }
      path_.alive = t_.any_of({path_.alive, skips});
      return true;
    });
    set(kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  void statement(const PlExit& s) {
    const std::pair<const Routine*, std::uint32_t> key(routine_, s.label.index);
    Term& to = s.is_continue ? continues_[key] : exits_[key];
    path_.stop(t_.boolean(true), to);
  }
  void statement(const PlLabelled& s) {
    bool is_first = true;
    loop(s.label, [&](std::uint64_t) {
      if (!is_first) return false;
      is_first = false;
      block(s.body);
      return true;
    });
  }
  void statement(const PlReturn& s) {
    if (s.value) result_ = q_.choose(path_.alive, local(*s.value), result_);
    path_.stop(t_.boolean(true), returned_);
  }
  void statement(const PlRaise&) {
    path_.stop(t_.boolean(true), path_.aborted);
  }
  void statement(const PlTry& s) {
    if (!s.raises_again)
      throw Unsupported{path_.at, "an EXCEPTION handler that goes on"};
    block(s.body);
  }
  void statement(const PlSavepoint&) {
    throw Unsupported{path_.at, "a savepoint"};
  }
  void statement(const PlEnd&) {
    throw Unsupported{path_.at, "COMMIT or ROLLBACK in a procedure"};
  }
  void statement(const PlOpen&) { throw Unsupported{path_.at, "a cursor"}; }
  void statement(const PlFetch&) { throw Unsupported{path_.at, "a cursor"}; }
  void statement(const PlClose&) { throw Unsupported{path_.at, "a cursor"}; }
  void statement(const PlRowCount& s) {
    assign(*routine_, s.slot, q_.integer(row_count_), path_.at);
  }

  void statement(const PlCall& s) {
    const Span at = path_.at;
    if (++depth_ > 20) throw Unsupported{at, "recursion"};
    std::vector<SqlTerm> arguments;
    for (const Expr& e : s.arguments) arguments.push_back(local(e));
    const Routine& callee = application_.at(s.routine);
    std::vector<SqlTerm> outer = frame_of(callee, arguments);
    std::swap(outer, path_.slots);
    const SqlTerm outer_result = result_;
    result_ = q_.null_of(kind_of(callee.result.name));
    const Term count = row_count_;
    routine(callee);
    std::swap(outer, path_.slots);
    row_count_ = count;
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm value =
          callee.is_function ? result_ : outer[callee.out_slots[i]];
      assign(*routine_, s.into[i], value, at);
    }
    if (s.sets_found) {
      set(kFoundSlot, q_.constant(Value::boolean(true)));
      row_count_ = t_.choose(path_.alive, t_.integer(1), row_count_);
    }
    result_ = outer_result;
    --depth_;
  }

  // --- statements for the database

  void statement(const PlExecute& s) {
    const Span at = path_.at;
    tables_.begin_statement();
    if (const auto* select = std::get_if<Select>(&s.statement.what)) {
      const std::vector<ResultRow> rows = query(**select);
      take_rows(s, **select, rows, at);
      return;
    }
    const Term count = writer_.execute(s.statement);
    foreign_keys_.check();
    note_count(s, count);
    if (s.into.empty()) return;
    Query shape;  // only its targets are looked at
    shape.targets = s.statement.returning;
    SymbolicQueries queries(q_, path_.slots, no_rows());
    const Term several = queries.has_several(writer_.returned());
    std::vector<Term> any;
    for (const ResultRow& row : writer_.returned()) any.push_back(row.guard);
    path_.stop(several, path_.aborted);
    if (s.is_strict) path_.stop(t_.negation(t_.any_of(any)), path_.aborted);
    into(s, queries.first_row(shape, writer_.returned()), at);
  }

  void take_rows(const PlExecute& s, const Query& select,
                 const std::vector<ResultRow>& rows, Span at) {
    Term count = t_.integer(0);
    std::vector<Term> any;
    for (const ResultRow& row : rows) {
      count = t_.add(count, t_.as_integer(row.guard));
      any.push_back(row.guard);
    }
    SymbolicQueries queries(q_, path_.slots, no_rows());
    if (s.is_strict && !s.into.empty()) {
      path_.stop(t_.negation(t_.any_of(any)), path_.aborted);
      path_.stop(queries.has_several(rows), path_.aborted);
    }
    const Term is_any = t_.any_of(any);
    if (!s.into.empty()) count = t_.as_integer(is_any);
    note_count(s, count);
    if (s.into.empty()) return;
    into(s, path_.evaluated([&] { return queries.first_row(select, rows); }),
         at);
  }

  void note_count(const PlExecute& s, Term count) {
    row_count_ = t_.choose(path_.alive, count, row_count_);
    if (s.is_expression) return;
    set(kFoundSlot,
        q_.boolean(t_.less(t_.integer(0), count), t_.boolean(false)));
  }

  void into(const PlExecute& s, const TermRow& row, Span at) {
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm value = i < row.size() ? row[i] : q_.null_of(Kind::Null);
      assign(*routine_, s.into[i], value, at);
    }
  }

  std::vector<ResultRow> query(const Query& select) {
    tables_.begin_statement();
    auto rows = path_.evaluated([&] {
      SymbolicQueries queries(q_, path_.slots, tables_.rows());
      return queries.select(select, nullptr);
    });
    if (select.lock > LockStrength::KeyShare) lock(select);
    return rows;
  }

  /// Rows that a locking SELECT gives stay as they are until the end.  Said
  /// where it is plain which they are.
  void lock(const Query& select) {
    const bool is_plain = select.relations.size() == 1 &&
                          select.relations[0].query == nullptr &&
                          select.set == SetKind::None && !select.skips_locked;
    const bool has_query = select.where && has_subquery(*select.where);
    if (!is_plain || has_query || (select.limit && !select.order_by.empty())) {
      is_covered_ = false;
    }
    if (!is_plain || has_query || select.limit || select.offset) return;
    const TableId table = select.relations[0].table;
    SymbolicQueries queries(q_, path_.slots, tables_.rows());
    const auto& there = tables_.view(table);
    for (std::size_t r = 0; r < there.size(); ++r) {
      const TermRow* names[] = {&there[r].columns};
      q_.path = there[r].present;
      Term matches = there[r].present;
      if (select.where) {
        matches = t_.all_of(
            {matches, q_.is_true(queries.evaluate(*select.where,
                                                  {names, nullptr, nullptr}))});
      }
      tables_.pin(table, r, matches);
    }
    q_.error = t_.boolean(false);  // it was noted by the query itself
  }

  static bool has_subquery(const Expr& e) {
    return e.query != nullptr ||
           std::any_of(e.args.begin(), e.args.end(), has_subquery);
  }

  SqlTerms& q_;
  smt::Terms& t_;
  const Application& application_;
  const SqlSummaryOptions& options_;
  const Budget& budget_;
  SymbolicPath path_;
  SymbolicTables tables_;
  SymbolicWriter writer_;
  SymbolicForeignKeys foreign_keys_;
  Term returned_;
  const Routine* routine_ = nullptr;
  SqlTerm result_;
  Term row_count_;
  int depth_ = 0;
  bool is_covered_ = true;
  std::map<std::pair<const Routine*, std::uint32_t>, Term> exits_;
  std::map<std::pair<const Routine*, std::uint32_t>, Term> continues_;
};

}  // namespace

SqlSummary summarize_call(SqlTerms& terms, const Application& application,
                          const KeyUniverse& universe, const Call& call,
                          std::span<const SqlTerm> arguments,
                          const SqlSummaryOptions& options,
                          std::vector<std::pair<TableId, Row>>& wanted,
                          const Budget& budget) {
  return CallRun(terms, application, universe, options, wanted, budget)
      .run(call, arguments);
}

}  // namespace txscope::sql
