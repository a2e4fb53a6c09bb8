#include "verify/sql/sql_summary.h"

#include <algorithm>
#include <map>

#include "exec/sql/compare.h"

namespace txscope::sql {

using smt::Term;

std::vector<Term> flattened(const GuardedRow& row) {
  std::vector<Term> out = {row.present};
  for (const SqlTerm& c : row.columns) {
    out.push_back(c.null);
    out.push_back(c.value);
  }
  return out;
}

namespace {

/// Runs a routine's statements once, all paths side by side.  `alive_` says
/// when the statement at hand runs; variables and rows change under it.
class CallRun {
 public:
  CallRun(SqlTerms& terms, const Application& application,
          const KeyUniverse& universe, const SqlSummaryOptions& options,
          std::vector<std::pair<TableId, Row>>& wanted, const Budget& budget)
      : q_(terms),
        t_(terms.t),
        application_(application),
        universe_(universe),
        options_(options),
        wanted_(wanted),
        budget_(budget),
        drawn_(application.schema.sequences.size()),
        hidden_(application.schema.tables.size()) {}

  SqlSummary run(const Call& call, std::span<const SqlTerm> arguments) {
    alive_ = t_.boolean(true);
    out_.aborted = out_.cut = t_.boolean(false);
    row_count_ = t_.integer(0);
    result_ = q_.null_of(Kind::Null);
    slots_ = frame_of(application_.at(call.routine), arguments);
    routine(application_.at(call.routine));
    out_.committed = alive_;
    out_.slots = slots_;
    finish_changes();
    drop_unused_reads();
    return std::move(out_);
  }

 private:
  struct OwnRow {
    Term is_written;
    GuardedRow before;
    GuardedRow now;
  };
  using Place = std::pair<TableId, std::size_t>;

  [[nodiscard]] const Schema& schema() const { return application_.schema; }
  [[nodiscard]] bool is_dead() const { return t_.is_false(alive_); }

  void stop(Term when, Term& end) {
    end = t_.any_of({end, t_.all_of({alive_, when})});
    alive_ = t_.all_of({alive_, t_.negation(when)});
  }

  /// What fails aborts the transaction.
  template <class F>
  auto evaluated(F&& evaluate) {
    q_.error = t_.boolean(false);
    q_.path = t_.boolean(true);
    auto value = evaluate();
    const Term error = q_.error;
    q_.error = t_.boolean(false);
    stop(error, out_.aborted);
    return value;
  }

  SqlTerm local(const Expr& e) {
    return evaluated([&] {
      SymbolicQueries queries(q_, slots_, no_rows());
      return queries.evaluate(e, {});
    });
  }
  static SymbolicQueries::Rows no_rows() {
    return [](TableId) -> const std::vector<GuardedRow>& {
      throw Unsupported{{}, "a table in an expression of a routine"};
    };
  }

  void set(std::uint32_t slot, const SqlTerm& value) {
    slots_[slot] = q_.choose(alive_, value, slots_[slot]);
  }
  /// As an assignment to a variable converts it.
  void assign(const Routine& in, std::uint32_t slot, const SqlTerm& value,
              Span at) {
    const Variable& variable = in.variables[slot];
    const SqlTerm converted = evaluated([&] {
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
    alive_ = t_.any_of({alive_, returned_});
    returned_ = returned;
    routine_ = outer;
  }

  // Depth: that of the user's text.
  void block(const PlBlock& statements) {
    for (const PlStatement& s : statements) {
      if (is_dead()) return;
      if (budget_.spent_now()) {
        stop(t_.boolean(true), out_.cut);
        return;
      }
      at_ = s.at;
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  void statement(const PlAssign& s) {
    const Span at = at_;
    const SqlTerm value = local(s.value);
    assign(*routine_, s.slot, value, at);
  }

  void statement(const PlIf& s) {
    const Term before = alive_;
    Term after = t_.boolean(false);
    Term rest = before;
    for (const PlIf::Arm& arm : s.arms) {
      alive_ = rest;
      if (is_dead()) break;
      block(arm.before);
      const Term holds = q_.is_true(local(arm.condition));
      rest = t_.all_of({alive_, t_.negation(holds)});
      alive_ = t_.all_of({alive_, holds});
      if (!is_dead()) block(arm.body);
      after = t_.any_of({after, alive_});
    }
    alive_ = rest;
    if (s.must_match) {
      stop(t_.boolean(true), out_.aborted);
    } else if (!is_dead()) {
      block(s.otherwise);
    }
    alive_ = t_.any_of({after, alive_});
  }

  /// Runs a loop's rounds; `round` says whether there is another one.
  template <class Round>
  void loop(LabelId label, Round&& round) {
    const std::pair<const Routine*, std::uint32_t> key(routine_, label.index);
    exits_[key] = t_.boolean(false);
    for (std::uint64_t n = 0; !is_dead(); ++n) {
      continues_[key] = t_.boolean(false);
      if (!round(n)) break;
      alive_ = t_.any_of({alive_, continues_[key]});
    }
    alive_ = t_.any_of({alive_, exits_[key]});
    exits_.erase(key);
  }

  /// Paths for which `over` holds leave the loop.
  void leave_if(LabelId label, Term over) {
    Term& exits = exits_[{routine_, label.index}];
    exits = t_.any_of({exits, t_.all_of({alive_, over})});
    alive_ = t_.all_of({alive_, t_.negation(over)});
  }

  void statement(const PlLoop& s) {
    loop(s.label, [&](std::uint64_t n) {
      block(s.before);
      if (is_dead()) return true;
      if (s.condition) {
        leave_if(s.label, t_.negation(q_.is_true(local(*s.condition))));
      }
      if (is_dead()) return true;
      if (n >= options_.rounds) {
        stop(t_.boolean(true), out_.cut);
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
    stop(t_.any_of({now.null, last.null, step.null,
                    t_.less_equal(step.value, t_.integer(0))}),
         out_.aborted);
    Term any = t_.boolean(false);
    loop(s.label, [&](std::uint64_t n) {
      leave_if(s.label, s.is_reverse ? t_.less(now.value, last.value)
                                     : t_.less(last.value, now.value));
      if (is_dead()) return true;
      const bool is_known = t_.value(now.value) && t_.value(last.value);
      if (!is_known && n >= options_.rounds) {
        stop(t_.boolean(true), out_.cut);
        return false;
      }
      if (n > 1000) {
        stop(t_.boolean(true), out_.cut);
        return false;
      }
      any = t_.any_of({any, alive_});
      set(s.slot, now);
      now.value = s.is_reverse ? t_.subtract(now.value, step.value)
                               : t_.add(now.value, step.value);
      block(s.body);
      return true;
    });
    set(kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  void statement(const PlForRows& s) {
    const Span at = at_;
    if (s.cursor) throw Unsupported{at, "a cursor"};
    const auto* select = std::get_if<Select>(&s.query.what);
    if (select == nullptr) throw Unsupported{at, "FOR over RETURNING"};
    std::vector<ResultRow> rows = query(**select);
    sort_known(**select, rows, at);
    Term any = t_.boolean(false);
    std::size_t next = 0;
    std::vector<Term> none;
    for (const ResultRow& row : rows) none.push_back(row.guard);
    const Term is_empty = t_.negation(t_.any_of(none));
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm null =
          q_.null_of(kind_of(routine_->variables[s.into[i]].type.name));
      slots_[s.into[i]] =
          q_.choose(t_.all_of({alive_, is_empty}), null, slots_[s.into[i]]);
    }
    loop(s.label, [&](std::uint64_t) {
      if (next == rows.size()) return false;
      const ResultRow& row = rows[next++];
      const Term skips = t_.all_of({alive_, t_.negation(row.guard)});
      alive_ = t_.all_of({alive_, row.guard});
      any = t_.any_of({any, alive_});
      if (!is_dead()) {
        for (std::size_t i = 0; i < s.into.size(); ++i) {
          assign(*routine_, s.into[i], row.values[i], at);
        }
        block(s.body);
      }
      alive_ = t_.any_of({alive_, skips});
      return true;
    });
    set(kFoundSlot, q_.boolean(any, t_.boolean(false)));
  }

  /// Rounds are run in an order that must be known.
  void sort_known(const Query& query, std::vector<ResultRow>& rows, Span at) {
    if (query.order_by.empty()) return;
    SymbolicQueries queries(q_, slots_, no_rows());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t to = order.size();
      while (to > 0) {
        const Term before = queries.is_before(query, rows, i, order[to - 1]);
        if (!t_.is_true(before) && !t_.is_false(before)) {
          throw Unsupported{at, "a FOR loop whose order depends on inputs"};
        }
        if (t_.is_false(before)) break;
        --to;
      }
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), i);
    }
    std::vector<ResultRow> sorted;
    for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
    rows = std::move(sorted);
  }

  void statement(const PlExit& s) {
    const std::pair<const Routine*, std::uint32_t> key(routine_, s.label.index);
    Term& to = s.is_continue ? continues_[key] : exits_[key];
    stop(t_.boolean(true), to);
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
    if (s.value) result_ = q_.choose(alive_, local(*s.value), result_);
    stop(t_.boolean(true), returned_);
  }
  void statement(const PlRaise&) { stop(t_.boolean(true), out_.aborted); }
  void statement(const PlTry& s) {
    if (!s.raises_again)
      throw Unsupported{at_, "an EXCEPTION handler that goes on"};
    block(s.body);
  }
  void statement(const PlSavepoint&) { throw Unsupported{at_, "a savepoint"}; }
  void statement(const PlEnd&) {
    throw Unsupported{at_, "COMMIT or ROLLBACK in a procedure"};
  }
  void statement(const PlOpen&) { throw Unsupported{at_, "a cursor"}; }
  void statement(const PlFetch&) { throw Unsupported{at_, "a cursor"}; }
  void statement(const PlClose&) { throw Unsupported{at_, "a cursor"}; }
  void statement(const PlRowCount& s) {
    assign(*routine_, s.slot, q_.integer(row_count_), at_);
  }

  void statement(const PlCall& s) {
    const Span at = at_;
    if (++depth_ > 20) throw Unsupported{at, "recursion"};
    std::vector<SqlTerm> arguments;
    for (const Expr& e : s.arguments) arguments.push_back(local(e));
    const Routine& callee = application_.at(s.routine);
    std::vector<SqlTerm> outer = frame_of(callee, arguments);
    std::swap(outer, slots_);
    const SqlTerm outer_result = result_;
    result_ = q_.null_of(kind_of(callee.result.name));
    const Term count = row_count_;
    routine(callee);
    std::swap(outer, slots_);
    row_count_ = count;
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const SqlTerm value =
          callee.is_function ? result_ : outer[callee.out_slots[i]];
      assign(*routine_, s.into[i], value, at);
    }
    if (s.sets_found) {
      set(kFoundSlot, q_.constant(Value::boolean(true)));
      row_count_ = t_.choose(alive_, t_.integer(1), row_count_);
    }
    result_ = outer_result;
    --depth_;
  }

  // --- statements for the database

  void statement(const PlExecute& s) {
    const Span at = at_;
    views_.clear();
    returned_rows_.clear();
    if (const auto* select = std::get_if<Select>(&s.statement.what)) {
      const std::vector<ResultRow> rows = query(**select);
      take_rows(s, **select, rows, at);
      return;
    }
    Term count = t_.integer(0);
    if (const auto* insert = std::get_if<Insert>(&s.statement.what)) {
      count = execute(*insert, s.statement);
    } else if (const auto* update = std::get_if<Update>(&s.statement.what)) {
      count = execute(*update, s.statement);
    } else {
      count = execute(std::get<Delete>(s.statement.what), s.statement);
    }
    check_foreign_keys();
    note_count(s, count);
    if (s.into.empty()) return;
    Query shape;  // only its targets are looked at
    shape.targets = s.statement.returning;
    SymbolicQueries queries(q_, slots_, no_rows());
    const Term several = queries.has_several(returned_rows_);
    std::vector<Term> any;
    for (const ResultRow& row : returned_rows_) any.push_back(row.guard);
    stop(several, out_.aborted);
    if (s.is_strict) stop(t_.negation(t_.any_of(any)), out_.aborted);
    into(s, queries.first_row(shape, returned_rows_), at);
  }

  void take_rows(const PlExecute& s, const Query& select,
                 const std::vector<ResultRow>& rows, Span at) {
    Term count = t_.integer(0);
    std::vector<Term> any;
    for (const ResultRow& row : rows) {
      count = t_.add(count, t_.as_integer(row.guard));
      any.push_back(row.guard);
    }
    SymbolicQueries queries(q_, slots_, no_rows());
    if (s.is_strict && !s.into.empty()) {
      stop(t_.negation(t_.any_of(any)), out_.aborted);
      stop(queries.has_several(rows), out_.aborted);
    }
    const Term is_any = t_.any_of(any);
    if (!s.into.empty()) count = t_.as_integer(is_any);
    note_count(s, count);
    if (s.into.empty()) return;
    into(s, evaluated([&] { return queries.first_row(select, rows); }), at);
  }

  void note_count(const PlExecute& s, Term count) {
    row_count_ = t_.choose(alive_, count, row_count_);
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
    views_.clear();
    return evaluated([&] {
      SymbolicQueries queries(q_, slots_, rows());
      return queries.select(select, nullptr);
    });
  }

  SymbolicQueries::Rows rows() {
    return [this](TableId table) -> const std::vector<GuardedRow>& {
      return view(table);
    };
  }

  /// What a statement sees of a table: own rows, and one read of each other.
  const std::vector<GuardedRow>& view(TableId table) {
    const auto [entry, is_new] = views_.try_emplace(table.index);
    if (!is_new) return entry->second;
    const auto keys = universe_.keys(table);
    for (std::size_t r = 0; r < keys.size(); ++r) {
      entry->second.push_back(current(table, r));
    }
    return entry->second;
  }

  GuardedRow current(TableId table, std::size_t r) {
    const auto own = own_.find({table, r});
    const Term is_own =
        own == own_.end() ? t_.boolean(false) : own->second.is_written;
    if (t_.is_true(is_own)) return own->second.now;
    GuardedRow row = read(table, r, t_.negation(is_own));
    if (own == own_.end()) return row;
    return choose(is_own, own->second.now, row);
  }

  GuardedRow choose(Term condition, const GuardedRow& then,
                    const GuardedRow& otherwise) {
    GuardedRow out;
    out.present = t_.choose(condition, then.present, otherwise.present);
    for (std::size_t c = 0; c < then.columns.size(); ++c) {
      out.columns.push_back(
          q_.choose(condition, then.columns[c], otherwise.columns[c]));
    }
    return out;
  }

  GuardedRow read(TableId table, std::size_t r, Term when) {
    if (options_.fixed) {
      if (const GuardedRow* known = options_.fixed(table, r)) return *known;
    }
    const Table& shape = schema().at(table);
    const Row& key = universe_.keys(table)[r].key;
    GuardedRow row;
    row.present = t_.unknown(shape.name + " present");
    for (std::size_t c = 0; c < shape.columns.size(); ++c) {
      row.columns.push_back(read_column(shape, c, key));
    }
    GuardedRead event;
    event.places = {{universe_.id(table, r), t_.all_of({alive_, when})}};
    event.values = flattened(row);
    out_.reads.push_back(std::move(event));
    return row;
  }

  SqlTerm read_column(const Table& shape, std::size_t c, const Row& key) {
    if (shape.has_primary_key) {
      const auto& columns = shape.unique.front().columns;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] == c) return q_.constant(key[k]);
      }
    }
    const Column& column = shape.columns[c];
    const Term null = column.is_nullable ? t_.unknown(column.name + " is null")
                                         : t_.boolean(false);
    if (kind_of(column.type.name) == Kind::Text ||
        kind_of(column.type.name) == Kind::Timestamp) {
      return {null, t_.unknown(column.name, smt::Bounds{}),
              kind_of(column.type.name), 0, longest(column.type)};
    }
    return q_.unknown(column.name, column.type, null, column.at);
  }

  // --- rows that are written

  void write(TableId table, std::size_t r, Term when, const GuardedRow& before,
             const GuardedRow& after) {
    const Term guard = t_.all_of({alive_, when});
    if (t_.is_false(guard)) return;
    out_.writes.push_back({universe_.id(table, r), guard, flattened(after)});
    const auto [entry, is_new] =
        own_.try_emplace({table, r}, OwnRow{guard, before, after});
    if (!is_new) {
      OwnRow& own = entry->second;
      own.before = choose(own.is_written, own.before, before);
      own.now = choose(guard, after, own.now);
      own.is_written = t_.any_of({own.is_written, guard});
    }
    changed_.push_back({table, r, guard, before, after});
  }

  void finish_changes() {
    for (const auto& [place, own] : own_) {
      out_.changes.push_back(
          {place.first, place.second, own.is_written, own.before, own.now});
    }
  }

  /// A statement reads whole tables; most of what it reads decides nothing.
  /// A read that nothing depends on excludes no execution.
  void drop_unused_reads() {
    std::vector<bool> is_used(t_.size());
    std::vector<Term> stack = {out_.committed, out_.aborted, out_.cut};
    const auto add = [&](const std::vector<Term>& terms) {
      stack.insert(stack.end(), terms.begin(), terms.end());
    };
    for (const GuardedWrite& w : out_.writes) {
      stack.push_back(w.guard);
      add(w.values);
    }
    for (const RowChange& change : out_.changes) {
      add(flattened(change.before));
    }
    for (const SqlTerm& slot : out_.slots) add({slot.null, slot.value});
    std::vector<bool> is_kept(out_.reads.size());
    for (bool has_new = true; has_new;) {
      has_new = false;
      spread(stack, is_used);
      for (std::size_t r = 0; r < out_.reads.size(); ++r) {
        const GuardedRead& read = out_.reads[r];
        const bool needed =
            std::any_of(read.values.begin(), read.values.end(), [&](Term v) {
              return t_.op(v) == smt::Op::Variable && is_used[v.index];
            });
        if (!needed || is_kept[r]) continue;
        is_kept[r] = has_new = true;
        stack.push_back(read.places[0].guard);
      }
    }
    std::vector<GuardedRead> kept;
    for (std::size_t r = 0; r < out_.reads.size(); ++r) {
      if (is_kept[r]) kept.push_back(std::move(out_.reads[r]));
    }
    out_.reads = std::move(kept);
  }
  /// Marks everything that the terms on the stack are made of.
  void spread(std::vector<Term>& stack, std::vector<bool>& is_used) const {
    while (!stack.empty()) {
      const Term t = stack.back();
      stack.pop_back();
      if (is_used[t.index]) continue;
      is_used[t.index] = true;
      for (const Term operand : t_.operands(t)) stack.push_back(operand);
    }
  }

  /// NOT NULL and CHECK.
  void check_row(const Table& table, const TermRow& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!table.columns[c].is_nullable) q_.fail_if(row[c].null);
    }
    const TermRow* names[] = {&row};
    SymbolicQueries queries(q_, slots_, no_rows());
    for (const Check& check : table.checks) {
      const SqlTerm v =
          queries.evaluate(check.condition, {names, nullptr, nullptr});
      q_.fail_if(q_.is_false(v));
    }
  }

  /// Another row has the same values in a unique key.
  void check_unique(TableId table, std::size_t self, const TermRow& row) {
    const Table& shape = schema().at(table);
    for (std::size_t k = shape.has_primary_key ? 1 : 0; k < shape.unique.size();
         ++k) {
      const auto keys = universe_.keys(table);
      for (std::size_t r = 0; r < keys.size(); ++r) {
        if (r == self) continue;
        const GuardedRow other = latest(table, r);
        std::vector<Term> same = {other.present};
        for (const std::uint32_t c : shape.unique[k].columns) {
          same.push_back(q_.equal(row[c], other.columns[c], at_));
        }
        q_.fail_if(t_.all_of(same));
      }
    }
  }

  /// What the statement sees there, with what it has changed itself.
  GuardedRow latest(TableId table, std::size_t r) {
    GuardedRow row = view(table)[r];
    const auto own = own_.find({table, r});
    if (own == own_.end()) return row;
    return choose(own->second.is_written, own->second.now, row);
  }

  SqlTerm default_of(const Column& column) {
    if (column.sequence)
      return q_.constant(Value::integer(next(*column.sequence)));
    if (!column.default_value) return q_.null_of(kind_of(column.type.name));
    SymbolicQueries queries(q_, slots_, no_rows());
    return queries.evaluate(*column.default_value, {});
  }

  /// Numbers that no two transactions share.
  std::int64_t next(std::uint32_t sequence) {
    const std::uint64_t n =
        options_.instance - 1 + drawn_[sequence]++ * options_.instances;
    return options_.sequences[sequence] +
           schema().sequences[sequence].increment *
               static_cast<std::int64_t>(n);
  }

  Term execute(const Insert& insert, const DbStatement& statement) {
    const TableId table = insert.target.table;
    const Table& shape = schema().at(table);
    Term count = t_.integer(0);
    std::vector<ResultRow> given;
    if (insert.source != nullptr) {
      given = evaluated([&] {
        SymbolicQueries queries(q_, slots_, rows());
        return queries.select(*insert.source, nullptr);
      });
      sort_known(*insert.source, given, at_);
    }
    const std::size_t n =
        insert.source != nullptr ? given.size() : insert.rows.size();
    for (std::size_t i = 0; i < n && !is_dead(); ++i) {
      const Term when =
          insert.source != nullptr ? given[i].guard : t_.boolean(true);
      const TermRow row = evaluated([&] {
        q_.path = when;
        return row_to_insert(insert, shape, i, given);
      });
      count = t_.add(count, insert_row(insert, statement, shape, row, when));
    }
    return count;
  }

  TermRow row_to_insert(const Insert& insert, const Table& shape, std::size_t i,
                        const std::vector<ResultRow>& given) {
    TermRow row;
    for (std::size_t c = 0; c < shape.columns.size(); ++c) {
      const auto at =
          std::find(insert.columns.begin(), insert.columns.end(), c);
      const auto n = static_cast<std::size_t>(at - insert.columns.begin());
      SqlTerm value;
      if (at == insert.columns.end()) {
        value = default_of(shape.columns[c]);
      } else if (insert.source != nullptr) {
        value = given[i].values[n];
      } else if (!insert.rows[i][n]) {
        value = default_of(shape.columns[c]);
      } else {
        SymbolicQueries queries(q_, slots_, rows());
        value = queries.evaluate(*insert.rows[i][n], {});
      }
      row.push_back(q_.cast(value, shape.columns[c].type, true, at_));
    }
    check_row(shape, row);
    return row;
  }

  Term insert_row(const Insert& insert, const DbStatement& statement,
                  const Table& shape, const TermRow& row, Term when) {
    const TableId table = insert.target.table;
    Row key;
    if (!shape.has_primary_key) {
      const std::uint64_t n =
          options_.instance - 1 + hidden_[table.index]++ * options_.instances;
      key = {Value::integer(universe_.first_hidden(table) +
                            static_cast<std::int64_t>(n))};
    } else {
      for (const std::uint32_t c : shape.unique.front().columns) {
        const auto known = q_.value(row[c]);
        if (!known) {
          throw Unsupported{at_, "an INSERT whose primary key is not known"};
        }
        if (known->is_null()) return t_.integer(0);  // it failed
        key.push_back(canonical(*known));
      }
    }
    const auto r = universe_.find(table, key);
    if (!r) {
      wanted_.emplace_back(table, key);
      return t_.integer(0);
    }
    const GuardedRow there = latest(table, *r);
    const GuardedRow made{t_.boolean(true), row};
    Term conflicts = t_.all_of({when, there.present});
    if (insert.on_conflict) {
      return insert_or(insert, statement, shape, *r, there, made, when);
    }
    stop(conflicts, out_.aborted);
    evaluated([&] {
      q_.path = when;
      check_unique(table, *r, row);
      return 0;
    });
    write(table, *r, when, there, made);
    give_back(statement, made.columns, t_.all_of({alive_, when}));
    return t_.as_integer(when);
  }

  Term insert_or(const Insert& insert, const DbStatement& statement,
                 const Table& shape, std::size_t r, const GuardedRow& there,
                 const GuardedRow& made, Term when) {
    const TableId table = insert.target.table;
    const OnConflict& conflict = *insert.on_conflict;
    if (shape.unique.size() > 1 ||
        (conflict.constraint && *conflict.constraint != 0)) {
      throw Unsupported{at_, "ON CONFLICT with another key than the primary"};
    }
    const Term is_new = t_.all_of({when, t_.negation(there.present)});
    Term changes = t_.boolean(false);
    GuardedRow updated = there;
    if (conflict.is_update) {
      changes = t_.all_of({when, there.present});
      const TermRow* names[] = {&there.columns, &made.columns};
      evaluated([&] {
        q_.path = changes;
        SymbolicQueries queries(q_, slots_, rows());
        const TermScope scope{names, nullptr, nullptr};
        if (conflict.where) {
          changes = t_.all_of(
              {changes, q_.is_true(queries.evaluate(*conflict.where, scope))});
          q_.path = changes;
        }
        updated.columns =
            with_changes(shape, conflict.set, scope, there.columns);
        check_row(shape, updated.columns);
        return 0;
      });
    }
    write(table, r, is_new, there, made);
    write(table, r, changes, there, updated);
    const Term any = t_.any_of({is_new, changes});
    give_back(statement, choose(is_new, made, updated).columns,
              t_.all_of({alive_, any}));
    return t_.as_integer(any);
  }

  TermRow with_changes(const Table& shape, const std::vector<SetColumn>& set,
                       const TermScope& scope, const TermRow& old) {
    TermRow row = old;
    SymbolicQueries queries(q_, slots_, rows());
    for (const SetColumn& change : set) {
      const Column& column = shape.columns[change.column];
      const SqlTerm value = change.value
                                ? queries.evaluate(*change.value, scope)
                                : default_of(column);
      row[change.column] = q_.cast(value, column.type, true, at_);
    }
    if (!shape.has_primary_key) return row;
    for (const std::uint32_t c : shape.unique.front().columns) {
      if (!t_.is_true(q_.same(row[c], old[c], at_))) {
        throw Unsupported{at_, "an UPDATE of a primary key"};
      }
    }
    return row;
  }

  Term execute(const Update& update, const DbStatement& statement) {
    const TableId table = update.target.table;
    const Table& shape = schema().at(table);
    const std::vector<GuardedRow> before = view(table);
    const std::vector<Term> matches = targets(before, update.where);
    std::vector<GuardedRow> after = before;
    evaluated([&] {
      for (std::size_t r = 0; r < before.size(); ++r) {
        if (t_.is_false(matches[r])) continue;
        q_.path = matches[r];
        const TermRow* names[] = {&before[r].columns};
        after[r].columns = with_changes(
            shape, update.set, {names, nullptr, nullptr}, before[r].columns);
        check_row(shape, after[r].columns);
      }
      return 0;
    });
    Term count = t_.integer(0);
    for (std::size_t r = 0; r < before.size(); ++r) {
      if (t_.is_false(matches[r]) || is_dead()) continue;
      if (shape.unique.size() > (shape.has_primary_key ? 1u : 0u)) {
        evaluated([&] {
          q_.path = matches[r];
          check_unique(table, r, after[r].columns);
          return 0;
        });
      }
      write(table, r, matches[r], before[r], after[r]);
      count = t_.add(count, t_.as_integer(matches[r]));
      give_back(statement, after[r].columns, t_.all_of({alive_, matches[r]}));
    }
    return count;
  }

  Term execute(const Delete& remove, const DbStatement& statement) {
    const TableId table = remove.target.table;
    const std::vector<GuardedRow> before = view(table);
    const std::vector<Term> matches = targets(before, remove.where);
    Term count = t_.integer(0);
    for (std::size_t r = 0; r < before.size(); ++r) {
      if (t_.is_false(matches[r])) continue;
      GuardedRow gone = before[r];
      gone.present = t_.boolean(false);
      write(table, r, matches[r], before[r], gone);
      count = t_.add(count, t_.as_integer(matches[r]));
      give_back(statement, before[r].columns, t_.all_of({alive_, matches[r]}));
    }
    return count;
  }

  std::vector<Term> targets(const std::vector<GuardedRow>& rows_there,
                            const std::optional<Expr>& where) {
    return evaluated([&] {
      std::vector<Term> out;
      SymbolicQueries queries(q_, slots_, rows());
      for (const GuardedRow& row : rows_there) {
        q_.path = row.present;
        const TermRow* names[] = {&row.columns};
        Term matches = row.present;
        if (where && !t_.is_false(matches)) {
          matches =
              t_.all_of({matches, q_.is_true(queries.evaluate(
                                      *where, {names, nullptr, nullptr}))});
        }
        out.push_back(matches);
      }
      return out;
    });
  }

  void give_back(const DbStatement& statement, const TermRow& row, Term guard) {
    if (statement.returning.empty()) return;
    ResultRow made;
    made.guard = guard;
    const TermRow* names[] = {&row};
    evaluated([&] {
      q_.path = guard;
      SymbolicQueries queries(q_, slots_, rows());
      for (const Target& target : statement.returning) {
        made.values.push_back(
            queries.evaluate(target.expr, {names, nullptr, nullptr}));
      }
      return 0;
    });
    returned_rows_.push_back(std::move(made));
  }

  // --- foreign keys, at the end of a statement

  void check_foreign_keys() {
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const RowChange change = changed_[i];  // cascades add others
      check_parents(change);
      check_children(change);
    }
    changed_.clear();
  }

  void check_parents(const RowChange& change) {
    const GuardedRow now = latest(change.table, change.row);
    for (const ForeignKey& key : schema().at(change.table).foreign) {
      std::vector<Term> needs = {change.guard, now.present};
      for (const std::uint32_t c : key.columns) {
        needs.push_back(t_.negation(now.columns[c].null));
      }
      std::vector<Term> found;
      for (std::size_t r = 0; r < universe_.keys(key.parent).size(); ++r) {
        found.push_back(is_parent(key, latest(key.parent, r), now.columns));
      }
      needs.push_back(t_.negation(t_.any_of(found)));
      stop(t_.all_of(needs), out_.aborted);
    }
  }

  Term is_parent(const ForeignKey& key, const GuardedRow& parent,
                 const TermRow& child) {
    std::vector<Term> same = {parent.present};
    for (std::size_t c = 0; c < key.columns.size(); ++c) {
      same.push_back(q_.equal(parent.columns[key.parent_columns[c]],
                              child[key.columns[c]], at_));
    }
    return t_.all_of(same);
  }

  /// Rows that referred to what is no longer there.
  void check_children(const RowChange& change) {
    for (std::size_t child = 0; child < schema().tables.size(); ++child) {
      for (const ForeignKey& key : schema().tables[child].foreign) {
        if (key.parent != change.table) continue;
        const GuardedRow now = latest(change.table, change.row);
        for (std::size_t r = 0; r < universe_.keys(TableId(child)).size();
             ++r) {
          const GuardedRow row = latest(TableId(child), r);
          const Term orphan =
              t_.all_of({change.guard, row.present,
                         is_parent(key, change.before, row.columns),
                         t_.negation(is_parent(key, now, row.columns))});
          if (!t_.is_false(orphan)) adopt(key, TableId(child), r, row, orphan);
        }
      }
    }
  }

  void adopt(const ForeignKey& key, TableId child, std::size_t r,
             const GuardedRow& row, Term orphan) {
    if (key.on_delete == OnDelete::NoAction) {
      stop(orphan, out_.aborted);
      return;
    }
    GuardedRow after = row;
    if (key.on_delete == OnDelete::Cascade) {
      after.present = t_.boolean(false);
    } else {
      for (const std::uint32_t c : key.columns) {
        after.columns[c].null = t_.boolean(true);
      }
      evaluated([&] {
        q_.path = orphan;
        check_row(schema().at(child), after.columns);
        return 0;
      });
    }
    write(child, r, orphan, row, after);
  }

  SqlTerms& q_;
  smt::Terms& t_;
  const Application& application_;
  const KeyUniverse& universe_;
  const SqlSummaryOptions& options_;
  std::vector<std::pair<TableId, Row>>& wanted_;
  const Budget& budget_;
  SqlSummary out_;
  Term alive_;
  Term returned_;
  Span at_;
  const Routine* routine_ = nullptr;
  std::vector<SqlTerm> slots_;
  SqlTerm result_;
  Term row_count_;
  int depth_ = 0;
  std::map<std::pair<const Routine*, std::uint32_t>, Term> exits_;
  std::map<std::pair<const Routine*, std::uint32_t>, Term> continues_;
  std::map<std::uint32_t, std::vector<GuardedRow>> views_;  // of a statement
  std::map<Place, OwnRow> own_;
  std::vector<RowChange> changed_;  // by the statement
  std::vector<ResultRow> returned_rows_;
  std::vector<std::uint64_t> drawn_;
  std::vector<std::uint64_t> hidden_;
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
