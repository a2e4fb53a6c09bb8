#include "robust/proof/summary.h"

#include <algorithm>
#include <set>

#include "model/sql/walk.h"

namespace txscope::robust {
namespace {

using smt::Term;
using sql::DbStatement;
using sql::Expr;
using sql::Op;
using sql::PlBlock;
using sql::PlStatement;
using sql::Query;

constexpr std::size_t kDeepest = 12;  // calls inside calls

/// The parts that AND ties together.
void split(const Expr& expr, std::vector<const Expr*>& to) {
  if (expr.op != Op::And) {
    to.push_back(&expr);
    return;
  }
  for (const Expr& arg : expr.args) split(arg, to);
}

/// Collects which columns of relation `relation`, `level` queries out, an
/// expression names.
void note_columns(const Expr& expr, std::uint32_t level, std::uint32_t relation,
                  std::vector<bool>& to);

void note_columns(const Query& query, std::uint32_t level,
                  std::uint32_t relation, std::vector<bool>& to) {
  const auto note = [&](const Expr& e) {
    note_columns(e, level, relation, to);
  };
  if (query.where) note(*query.where);
  for (const auto& join : query.joins) {
    if (join.on) note(*join.on);
  }
  for (const auto& target : query.targets) note(target.expr);
  for (const auto& e : query.group_by) note(e);
  for (const auto& aggregate : query.aggregates) {
    if (aggregate.argument) note(*aggregate.argument);
  }
  if (query.having) note(*query.having);
  for (const auto& key : query.order_by) note(key.expr);
  if (query.limit) note(*query.limit);
  if (query.offset) note(*query.offset);
  for (const auto& r : query.relations) {
    if (r.query) note_columns(*r.query, level + 1, relation, to);
  }
  for (const auto& part : query.parts) {
    note_columns(*part, level + 1, relation, to);
  }
  for (const auto& row : query.values) {
    for (const Expr& e : row) note(e);
  }
}

void note_columns(const Expr& expr, std::uint32_t level, std::uint32_t relation,
                  std::vector<bool>& to) {
  if (expr.op == Op::Column && expr.level == level &&
      expr.relation == relation && expr.index < to.size()) {
    to[expr.index] = true;
  }
  for (const Expr& arg : expr.args) note_columns(arg, level, relation, to);
  if (expr.query) note_columns(*expr.query, level + 1, relation, to);
}

/// Whether an expression names columns of one relation's key alone, and no
/// subquery.
bool is_about_key(const Expr& expr, std::uint32_t relation,
                  const std::vector<std::uint32_t>& key) {
  if (expr.query || expr.op == Op::Function) return false;
  if (expr.op == Op::Column) {
    return expr.level == 0 && expr.relation == relation &&
           std::find(key.begin(), key.end(), expr.index) != key.end();
  }
  return std::all_of(expr.args.begin(), expr.args.end(), [&](const Expr& arg) {
    return is_about_key(arg, relation, key);
  });
}

/// `column = something without columns of this query`: which column, or none.
std::optional<std::uint32_t> fixed_column(const Expr& expr,
                                          std::uint32_t relation) {
  if (expr.op != Op::Equal) return std::nullopt;
  const auto is_free = [](const Expr& e) {
    std::vector<const Expr*> todo = {&e};
    while (!todo.empty()) {
      const Expr* at = todo.back();
      todo.pop_back();
      if (at->query || (at->op == Op::Column && at->level == 0)) return false;
      for (const Expr& arg : at->args) todo.push_back(&arg);
    }
    return true;
  };
  for (const std::size_t side : {0u, 1u}) {
    const Expr* column = &expr.args[side];
    while (column->op == Op::Cast) column = &column->args[0];
    if (column->op == Op::Column && column->level == 0 &&
        column->relation == relation && is_free(expr.args[1 - side])) {
      return column->index;
    }
  }
  return std::nullopt;
}

/// Slots that a block may assign.
void note_assigned(const PlBlock& block, std::set<std::uint32_t>& to) {
  for (const PlStatement& s : block) {
    if (const auto* x = std::get_if<sql::PlAssign>(&s.what)) to.insert(x->slot);
    if (const auto* x = std::get_if<sql::PlExecute>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlCall>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlFetch>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
    }
    if (const auto* x = std::get_if<sql::PlRowCount>(&s.what)) {
      to.insert(x->slot);
    }
    if (const auto* x = std::get_if<sql::PlIf>(&s.what)) {
      for (const auto& arm : x->arms) {
        note_assigned(arm.before, to);
        note_assigned(arm.body, to);
      }
      note_assigned(x->otherwise, to);
    }
    if (const auto* x = std::get_if<sql::PlLoop>(&s.what)) {
      note_assigned(x->before, to);
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlForRange>(&s.what)) {
      to.insert(x->slot);
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlForRows>(&s.what)) {
      to.insert(x->into.begin(), x->into.end());
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlLabelled>(&s.what)) {
      note_assigned(x->body, to);
    }
    if (const auto* x = std::get_if<sql::PlTry>(&s.what)) {
      note_assigned(x->body, to);
      for (const auto& handler : x->handlers) note_assigned(handler.body, to);
      to.insert(x->state_slot);
      to.insert(x->message_slot);
    }
  }
  to.insert(sql::kFoundSlot);
}

class Summarizer {
 public:
  Summarizer(const sql::Application& application, Symbols& symbols)
      : application_(application),
        schema_(application.schema),
        symbols_(symbols),
        terms_(symbols.terms()) {
    alive_ = terms_.boolean(true);
    out_.facts = terms_.boolean(true);
  }

  Summary run(const sql::Routine& routine) {
    out_.name = routine.name;
    slots_.clear();
    for (std::size_t i = 0; i < routine.variables.size(); ++i) {
      const bool is_parameter = i >= 1 && i <= routine.parameters;
      slots_.push_back(is_parameter
                           ? symbols_.unknown(routine.variables[i].name)
                           : symbols_.null());
    }
    if (slots_.empty()) slots_.push_back(symbols_.null());
    slots_[sql::kFoundSlot] = symbols_.constant(sql::Value::boolean(false));
    // What these do is not followed.
    const bool has_more = std::any_of(
        schema_.tables.begin(), schema_.tables.end(), [](const sql::Table& t) {
          return !t.triggers.empty() || !t.partial.empty() ||
                 std::any_of(t.foreign.begin(), t.foreign.end(),
                             [](const sql::ForeignKey& key) {
                               return key.on_update != sql::OnDelete::NoAction;
                             });
        });
    if (has_more) anything(true);
    block(routine.body);
    out_.commits = terms_.negation(aborted());
    return std::move(out_);
  }

 private:
  Term executed() {
    return terms_.all_of({alive_, terms_.negation(skipped())});
  }
  Term skipped() {
    return terms_.any_of(
        {skips_.empty() ? terms_.boolean(false) : terms_.any_of(skips_),
         returned_ ? *returned_ : terms_.boolean(false)});
  }
  Term aborted() { return aborted_ ? *aborted_ : terms_.boolean(false); }
  void fact(Term formula) { out_.facts = terms_.all_of({out_.facts, formula}); }
  void abort_if(Term condition) {
    const Term now = terms_.all_of({executed(), condition});
    aborted_ = terms_.any_of({aborted(), now});
    returned_ =
        terms_.any_of({returned_ ? *returned_ : terms_.boolean(false), now});
  }

  Symbol value(const Expr& expr, const std::vector<SymbolRow>* rows = nullptr) {
    Symbols::Scope scope{slots_, {}};
    if (rows != nullptr) scope.rows.emplace_back(*rows);
    return symbols_.of(expr, scope, on_query());
  }
  Symbols::OnQuery on_query() {
    return [this](const Expr& expr, const Symbols::Scope& scope) {
      return subquery(expr, scope);
    };
  }

  void set(std::uint32_t slot, const Symbol& symbol) {
    if (slot >= slots_.size()) slots_.resize(slot + 1, symbols_.null());
    slots_[slot] = symbols_.choose(executed(), symbol, slots_[slot]);
  }
  void set_found(Term found) {
    set(sql::kFoundSlot, {terms_.boolean(false), terms_.as_integer(found)});
  }
  void forget(std::uint32_t slot) { set(slot, symbols_.unknown("any")); }

  // Statements of PL/pgSQL.

  void block(const PlBlock& statements) {
    for (const PlStatement& s : statements) {
      std::visit([this](const auto& what) { statement(what); }, s.what);
    }
  }

  void statement(const sql::PlAssign& s) { set(s.slot, value(s.value)); }

  void statement(const sql::PlExecute& s) {
    const Given given = execute(s.statement);
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      const Symbol got =
          i < given.row.size() ? given.row[i] : symbols_.unknown("column");
      set(s.into[i], symbols_.choose(given.found, got, symbols_.null()));
    }
    if (s.is_strict) abort_if(symbols_.flag("not one row"));
    if (!s.is_expression) set_found(given.found);
  }

  void statement(const sql::PlCall& s) {
    const sql::Routine& callee = application_.at(s.routine);
    if (depth_ == kDeepest) {
      anything(true);
      for (const std::uint32_t slot : s.into) forget(slot);
      return;
    }
    std::vector<Symbol> inner;
    for (std::size_t i = 0; i < callee.variables.size(); ++i) {
      inner.push_back(i >= 1 && i <= s.arguments.size()
                          ? value(s.arguments[i - 1])
                          : symbols_.null());
    }
    std::swap(inner, slots_);
    const auto outer_returned = returned_;
    const auto outer_skips = std::move(skips_);
    const Term outer_alive = alive_;
    // What is skipped outside is not alive inside.
    alive_ = terms_.all_of(
        {alive_,
         terms_.negation(terms_.any_of(
             {outer_skips.empty() ? terms_.boolean(false)
                                  : terms_.any_of(outer_skips),
              outer_returned ? *outer_returned : terms_.boolean(false)}))});
    returned_.reset();
    skips_.clear();
    const auto aborted_before = aborted_;
    ++depth_;
    block(callee.body);
    --depth_;
    std::vector<Symbol> results;
    for (const std::uint32_t slot : callee.out_slots) {
      results.push_back(slots_[slot]);
    }
    std::swap(inner, slots_);
    alive_ = outer_alive;
    skips_ = outer_skips;
    returned_ = outer_returned;
    if (aborted_ != aborted_before) {
      returned_ = terms_.any_of(
          {returned_ ? *returned_ : terms_.boolean(false), aborted()});
    }
    for (std::size_t i = 0; i < s.into.size(); ++i) {
      if (i < results.size()) {
        set(s.into[i], results[i]);
      } else {
        forget(s.into[i]);
      }
    }
    if (s.sets_found) forget(sql::kFoundSlot);
  }

  void statement(const sql::PlIf& s) {
    const Term before = alive_;
    Term rest = alive_;
    for (const auto& arm : s.arms) {
      alive_ = rest;
      block(arm.before);
      const Term taken = symbols_.is_true(value(arm.condition));
      alive_ = terms_.all_of({rest, taken});
      block(arm.body);
      rest = terms_.all_of({rest, terms_.negation(taken)});
    }
    alive_ = rest;
    if (s.must_match) abort_if(terms_.boolean(true));
    block(s.otherwise);
    alive_ = before;
  }

  /// Two rounds, with arbitrary variables at the head of each and after them.
  template <class Head>
  void rounds(const PlBlock& body, std::set<std::uint32_t> assigned,
              Head&& head) {
    note_assigned(body, assigned);
    const Term before = alive_;
    Term entered = terms_.boolean(true);
    skips_.push_back(terms_.boolean(false));  // left by EXIT
    for (int round = 0; round < 2; ++round) {
      for (const std::uint32_t slot : assigned) forget(slot);
      entered = terms_.all_of({entered, symbols_.flag("another round")});
      alive_ = terms_.all_of({before, entered});
      skips_.push_back(terms_.boolean(false));  // CONTINUE, of this round
      head();
      block(body);
      skips_.pop_back();
    }
    skips_.pop_back();
    alive_ = before;
    for (const std::uint32_t slot : assigned) forget(slot);
  }

  void statement(const sql::PlLoop& s) {
    std::set<std::uint32_t> assigned;
    note_assigned(s.before, assigned);
    rounds(s.body, assigned, [&] {
      block(s.before);
      if (!s.condition) return;
      alive_ = terms_.all_of({alive_, symbols_.is_true(value(*s.condition))});
    });
    block(s.before);  // the last time it is evaluated
  }
  void statement(const sql::PlForRange& s) {
    const Symbol from = value(s.from);
    const Symbol to = value(s.to);
    rounds(s.body, {s.slot}, [&] {
      if (s.step || s.is_reverse) return;
      const Symbol now = slots_[s.slot];
      const Term inside = terms_.all_of(
          {terms_.negation(now.null), terms_.less_equal(from.value, now.value),
           terms_.less_equal(now.value, to.value)});
      alive_ = terms_.all_of({alive_, inside});
    });
  }
  void statement(const sql::PlForRows& s) {
    if (!s.cursor) (void)execute(s.query);
    const auto* query = std::get_if<sql::Select>(&s.query.what);
    rounds(s.body, std::set<std::uint32_t>(s.into.begin(), s.into.end()), [&] {
      if (s.cursor || query == nullptr) return;
      const SymbolRow row = some_row(**query);
      for (std::size_t i = 0; i < s.into.size() && i < row.size(); ++i) {
        set(s.into[i], row[i]);
      }
    });
  }
  void statement(const sql::PlExit& s) {
    // The rest of the round is skipped for certain, that of the loops around
    // perhaps: which of them the label means is left open.
    (void)s;
    if (skips_.empty()) return;
    const Term now = executed();
    for (Term& skip : skips_) {
      skip =
          terms_.any_of({skip, terms_.all_of({now, symbols_.flag("leaves")})});
    }
    skips_.back() = terms_.any_of({skips_.back(), now});
  }
  void statement(const sql::PlLabelled& s) {
    skips_.push_back(terms_.boolean(false));
    block(s.body);
    skips_.pop_back();
  }
  void statement(const sql::PlReturn&) {
    returned_ = terms_.any_of(
        {returned_ ? *returned_ : terms_.boolean(false), executed()});
  }
  void statement(const sql::PlRaise&) { abort_if(terms_.boolean(true)); }
  void statement(const sql::PlTry& s) {
    if (s.raises_again) return block(s.body);
    // What is undone is not followed: it may do anything, and leave.
    anything(true);
    std::set<std::uint32_t> assigned;
    note_assigned(s.body, assigned);
    for (const auto& handler : s.handlers)
      note_assigned(handler.body, assigned);
    assigned.insert({s.state_slot, s.message_slot});
    for (const std::uint32_t slot : assigned) forget(slot);
    const Term now = executed();
    for (Term& skip : skips_) {
      skip =
          terms_.any_of({skip, terms_.all_of({now, symbols_.flag("leaves")})});
    }
    returned_ = terms_.any_of({returned_ ? *returned_ : terms_.boolean(false),
                               terms_.all_of({now, symbols_.flag("returns")})});
    abort_if(symbols_.flag("fails"));
  }
  void statement(const sql::PlSavepoint&) { anything(true); }
  void statement(const sql::PlEnd&) { anything(true); }
  void statement(const sql::PlOpen& s) { (void)execute(s.query); }
  void statement(const sql::PlFetch& s) {
    for (const std::uint32_t slot : s.into) forget(slot);
    forget(sql::kFoundSlot);
  }
  void statement(const sql::PlClose&) {}
  void statement(const sql::PlRowCount& s) { forget(s.slot); }

  // Statements of SQL.

  /// What a statement gives back.
  struct Given {
    Term found;
    SymbolRow row;  ///< its first row, if found
  };

  Given execute(const DbStatement& d) {
    ++statement_;
    line_ = d.at.line;
    if (const auto* select = std::get_if<sql::Select>(&d.what)) {
      return query(**select, {slots_, {}});
    }
    if (const auto* insert = std::get_if<sql::Insert>(&d.what)) {
      return execute_insert(d, *insert);
    }
    if (const auto* update = std::get_if<sql::Update>(&d.what)) {
      return execute_change(d, update->target, update->where, &update->set);
    }
    const auto& remove = std::get<sql::Delete>(d.what);
    return execute_change(d, remove.target, remove.where, nullptr);
  }

  SymbolRow row_of(TableId table) {
    SymbolRow row;
    for (const auto& column : schema_.at(table).columns) {
      Symbol s = symbols_.unknown(column.name);
      if (!column.is_nullable) s.null = terms_.boolean(false);
      row.push_back(s);
    }
    for (const std::uint32_t k : key_of(table)) {
      row[k].null = terms_.boolean(false);
    }
    return row;
  }
  const std::vector<std::uint32_t>& key_of(TableId table) const {
    static const std::vector<std::uint32_t> none;
    const auto& t = schema_.at(table);
    return t.has_primary_key ? t.unique.front().columns : none;
  }

  Access access(Access::Kind kind, TableId table) {
    Access a;
    a.kind = kind;
    a.table = table;
    a.columns.resize(schema_.at(table).columns.size());
    a.executed = executed();
    a.holds = a.key_holds = terms_.boolean(true);
    a.found = symbols_.flag("found");
    a.statement = statement_;
    a.line = line_;
    return a;
  }
  void add(Access a) {
    if (a.is_exact) fact(terms_.implies(a.found, a.holds));
    out_.accesses.push_back(std::move(a));
  }

  /// The conditions of a query on each of its relations, by their parts.
  struct Conditions {
    std::vector<const Expr*> parts;
    Term whole;
  };
  Conditions conditions(const std::vector<const Expr*>& wheres,
                        const Symbols::Scope& scope) {
    Conditions out;
    std::vector<Term> truths;
    for (const Expr* where : wheres) {
      split(*where, out.parts);
      truths.push_back(
          symbols_.is_true(symbols_.of(*where, scope, on_query())));
    }
    out.whole = terms_.all_of(truths);
    return out;
  }

  /// Fills in what a relation's conditions say of its key.
  void key_conditions(const Conditions& all, std::uint32_t relation,
                      const Symbols::Scope& scope, Access& a) {
    const auto& key = key_of(a.table);
    std::set<std::uint32_t> fixed;
    std::vector<Term> truths;
    std::vector<Symbol> given;
    for (const Expr* part : all.parts) {
      const auto column = fixed_column(*part, relation);
      if (column && fixed.insert(*column).second &&
          std::find(key.begin(), key.end(), *column) != key.end()) {
        given.push_back(symbols_.of(*part, scope, on_query()));
      }
      if (is_about_key(*part, relation, key)) {
        truths.push_back(
            symbols_.is_true(symbols_.of(*part, scope, on_query())));
      }
    }
    a.key_holds = terms_.all_of(truths);
    a.fixed.assign(a.columns.size(), false);
    for (const std::uint32_t column : fixed) a.fixed[column] = true;
    a.is_exact = !key.empty() &&
                 std::all_of(key.begin(), key.end(), [&](std::uint32_t k) {
                   return fixed.contains(k);
                 });
    if (!a.is_exact) return;
    // The row stands for the key that is asked for, there or not.
    for (const Symbol& is_key : given) {
      fact(terms_.any_of({is_key.null, symbols_.is_true(is_key)}));
    }
  }

  std::vector<const Expr*> wheres_of(const Query& q) {
    std::vector<const Expr*> out;
    if (q.where) out.push_back(&*q.where);
    for (const auto& join : q.joins) {
      // A LEFT JOIN's condition does not keep rows away.
      if (join.on && join.kind == sql::JoinKind::Inner) {
        out.push_back(&*join.on);
      }
    }
    return out;
  }

  /// UNION and the like: what the parts read; nothing is known of the rows.
  Given set_query(const Query& q, const Symbols::Scope& outer) {
    Symbols::Scope inner = outer;
    inner.rows.emplace_back();
    for (const auto& part : q.parts) (void)query(*part, inner);
    for (const auto& row : q.values) {
      for (const Expr& e : row) (void)symbols_.of(e, inner, on_query());
    }
    SymbolRow given;
    for (std::size_t i = 0; i < q.targets.size(); ++i) {
      given.push_back(symbols_.unknown("column"));
    }
    return {symbols_.flag("found"), given};
  }

  Given query(const Query& q, Symbols::Scope outer) {
    if (q.set != sql::SetKind::None) return set_query(q, outer);
    std::vector<SymbolRow> rows;
    for (const auto& relation : q.relations) {
      if (relation.query) {
        Symbols::Scope inner = outer;
        inner.rows.emplace_back();
        (void)query(*relation.query, inner);
        SymbolRow row;
        for (std::uint32_t c = 0; c < relation.columns; ++c) {
          row.push_back(symbols_.unknown("column"));
        }
        rows.push_back(std::move(row));
      } else {
        rows.push_back(row_of(relation.table));
      }
    }
    Symbols::Scope scope = outer;
    scope.rows.emplace_back(rows);
    const Conditions all = conditions(wheres_of(q), scope);
    std::optional<Access> single;
    std::optional<Symbol> extreme;
    for (std::uint32_t r = 0; r < q.relations.size(); ++r) {
      if (q.relations[r].query) continue;
      Access a = access(Access::Kind::Read, q.relations[r].table);
      a.row = rows[r];
      a.holds = all.whole;
      key_conditions(all, r, scope, a);
      note_columns(q, 0, r, a.columns);
      if (is_left(q, r)) {
        // A row that joins may take away what WHERE kept without it.
        a.holds = a.key_holds = terms_.boolean(true);
      }
      if (q.relations.size() > 1) a.is_exact = false;
      a.locks = q.lock >= sql::LockStrength::Share &&
                (r >= q.is_locked.size() || q.is_locked[r]);
      if (a.is_exact) single = a;
      if (const auto kind = extreme_of(q)) {
        extreme = symbols_.unknown("extreme");
        a.extreme = {kind->is_min, kind->column, *extreme};
        add_witness(q, outer, a);
      }
      add(std::move(a));
    }
    // Subqueries of targets and the like read, too.
    std::vector<SymbolRow> value_rows = rows;
    Term found = symbols_.flag("found");
    if (single) {
      found = single->found;
    } else if (!q.relations.empty()) {
      value_rows.clear();
      for (std::size_t r = 0; r < rows.size(); ++r) {
        value_rows.push_back(
            fresh_like(q.relations[r], rows[r].size(), is_left(q, r)));
      }
      if (!q.is_grouped) {
        Symbols::Scope again = outer;
        again.rows.emplace_back(value_rows);
        const std::size_t known = out_.accesses.size();
        const Term holds = conditions(wheres_of(q), again).whole;
        out_.accesses.resize(known);  // the same subqueries once more
        fact(terms_.implies(found, holds));
      }
    }
    if (q.relations.empty() && !q.where) found = terms_.boolean(true);
    if (q.is_grouped && q.group_by.empty() && !q.having) {
      found = terms_.boolean(true);
    }
    Symbols::Scope values = outer;
    values.rows.emplace_back(value_rows);
    SymbolRow given;
    for (const auto& target : q.targets) {
      const Symbol s = symbols_.of(target.expr, values, on_query());
      given.push_back(extreme ? *extreme
                      : q.is_grouped && !q.relations.empty()
                          ? symbols_.unknown("aggregate")
                          : s);
    }
    if (q.having) (void)symbols_.of(*q.having, values, on_query());
    return {found, given};
  }

  struct ExtremeKind {
    bool is_min = true;
    std::uint32_t column = 0;
  };
  /// SELECT min(column) FROM table WHERE ..., or max.
  static std::optional<ExtremeKind> extreme_of(const Query& q) {
    if (q.relations.size() != 1 || q.relations[0].query || !q.is_grouped ||
        !q.group_by.empty() || q.having || q.limit || q.offset ||
        q.targets.size() != 1 || q.aggregates.size() != 1 ||
        q.targets[0].expr.op != Op::Aggregate) {
      return std::nullopt;
    }
    const auto& aggregate = q.aggregates[0];
    const bool is_min = aggregate.kind == sql::AggregateKind::Min;
    if ((!is_min && aggregate.kind != sql::AggregateKind::Max) ||
        !aggregate.argument || aggregate.argument->op != Op::Column ||
        aggregate.argument->level != 0) {
      return std::nullopt;
    }
    return ExtremeKind{is_min, aggregate.argument->index};
  }

  /// The row that has the extreme value, if there is one, was found by its key
  /// if that value and what WHERE fixes are the key.
  void add_witness(const Query& q, const Symbols::Scope& outer,
                   const Access& scan) {
    const auto& key = key_of(scan.table);
    const std::uint32_t column = scan.extreme->column;
    const bool is_key =
        !key.empty() && std::all_of(key.begin(), key.end(), [&](auto k) {
          return k == column || scan.fixed[k];
        });
    if (!is_key) return;
    const std::vector<SymbolRow> rows = {row_of(scan.table)};
    Symbols::Scope scope = outer;
    scope.rows.emplace_back(rows);
    const std::size_t known = out_.accesses.size();
    const Conditions all = conditions(wheres_of(q), scope);
    out_.accesses.resize(known);  // the same subqueries once more
    const Symbol& result = scan.extreme->result;
    const Term is_result = symbols_.equal(rows[0][column], result);
    Access a = scan;
    a.extreme.reset();
    a.row = rows[0];
    a.found = terms_.negation(result.null);
    a.holds = a.key_holds = terms_.all_of({all.whole, is_result});
    a.is_exact = true;
    fact(terms_.any_of({result.null, is_result}));
    std::set<std::uint32_t> fixed;
    for (const Expr* part : all.parts) {
      const auto at = fixed_column(*part, 0);
      if (!at || !fixed.insert(*at).second ||
          std::find(key.begin(), key.end(), *at) == key.end()) {
        continue;
      }
      const Symbol is_key_part = symbols_.of(*part, scope, on_query());
      fact(terms_.any_of({is_key_part.null, symbols_.is_true(is_key_part)}));
    }
    add(std::move(a));
  }

  static bool is_left(const Query& q, std::size_t r) {
    return q.joins.size() > r && q.joins[r].kind == sql::JoinKind::Left;
  }

  /// A row of a relation; of a LEFT JOIN perhaps none, all NULL.
  SymbolRow fresh_like(const sql::Relation& relation, std::size_t columns,
                       bool may_lack) {
    if (!relation.query && !may_lack) return row_of(relation.table);
    SymbolRow row;
    for (std::size_t c = 0; c < columns; ++c) {
      row.push_back(symbols_.unknown("column"));
    }
    return row;
  }

  /// A row that a query may give, without reading it once more.
  SymbolRow some_row(const Query& q) {
    const std::size_t known = out_.accesses.size();
    const Term facts = out_.facts;
    const Given given = query(q, {slots_, {}});
    out_.accesses.resize(known);
    out_.facts = terms_.all_of({facts, out_.facts});
    alive_ = terms_.all_of({alive_, given.found});
    return given.row;
  }

  Symbol subquery(const Expr& expr, const Symbols::Scope& scope) {
    if (expr.op == Op::Function) {
      for (const Expr& arg : expr.args) {
        (void)symbols_.of(arg, scope, on_query());
      }
      const bool is_pure = expr.index < application_.routines.size() &&
                           application_.routines[expr.index].volatility ==
                               sql::Volatility::Immutable;
      if (!is_pure) anything(false);
      return symbols_.unknown("function");
    }
    for (const Expr& arg : expr.args) (void)symbols_.of(arg, scope, on_query());
    const Given given = query(*expr.query, scope);
    if (expr.op == Op::Exists) {
      return {terms_.boolean(false), terms_.as_integer(given.found)};
    }
    if (expr.op == Op::Scalar && !given.row.empty()) {
      return symbols_.choose(given.found, given.row.front(), symbols_.null());
    }
    return symbols_.unknown("subquery");
  }

  /// Code that is not looked into: it may read, and write, any row.
  void anything(bool writes) {
    ++statement_;
    std::vector<Access::Kind> kinds = {Access::Kind::Read};
    if (writes) {
      kinds.insert(kinds.end(), {Access::Kind::Insert, Access::Kind::Update,
                                 Access::Kind::Delete});
    }
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      for (const Access::Kind kind : kinds) {
        Access a = access(kind, TableId(t));
        a.row = row_of(TableId(t));
        a.after = row_of(TableId(t));
        a.columns.assign(a.columns.size(), true);
        a.executed = terms_.all_of({a.executed, symbols_.flag("perhaps")});
        add(std::move(a));
      }
    }
    if (writes) abort_if(symbols_.flag("fails"));
  }

  Given returning(const DbStatement& d, Term found, const SymbolRow& row) {
    const std::vector<SymbolRow> rows = {row};
    Given given{found, {}};
    for (const auto& target : d.returning) {
      given.row.push_back(value(target.expr, &rows));
    }
    return given;
  }

  /// UPDATE, or DELETE if nothing is set.
  Given execute_change(const DbStatement& d, const sql::Relation& target,
                       const std::optional<Expr>& where,
                       const std::vector<sql::SetColumn>* set) {
    const TableId table = target.table;
    const std::size_t known = out_.accesses.size();
    Access read = look_for(Access::Kind::Read, table, where);
    if (where) note_columns(*where, 0, 0, read.columns);
    // Of many rows, the one that is read and the one that is written are two.
    std::vector<Access> subreads(
        out_.accesses.begin() + static_cast<std::ptrdiff_t>(known),
        out_.accesses.end());
    Access write = read;
    if (!read.is_exact) {
      write = look_for(Access::Kind::Read, table, where);
      out_.accesses.resize(known);
      out_.accesses.insert(out_.accesses.end(), subreads.begin(),
                           subreads.end());
    }
    write.kind = set != nullptr ? Access::Kind::Update : Access::Kind::Delete;
    write.columns.assign(write.columns.size(), set == nullptr);
    write.after = write.row;
    const std::vector<SymbolRow> rows = {write.row};
    Symbols::Scope scope{slots_, {}};
    scope.rows.emplace_back(rows);
    bool moves = false;
    if (set != nullptr) {
      const auto& key = key_of(table);
      for (const auto& column : *set) {
        write.columns[column.column] = true;
        moves |= std::find(key.begin(), key.end(), column.column) != key.end();
        if (!column.value) {
          write.after[column.column] = symbols_.unknown("default");
          continue;
        }
        note_columns(*column.value, 0, 0, read.columns);
        write.after[column.column] =
            symbols_.of(*column.value, scope, on_query());
      }
    }
    for (const auto& column : d.returning) {
      note_columns(column.expr, 0, 0, read.columns);
    }
    const Term found = write.found;
    write.executed = terms_.all_of({write.executed, found});
    const Term when = write.executed;
    const SymbolRow before = write.row;
    const SymbolRow after = write.after;
    const std::vector<bool> columns = write.columns;
    add(std::move(read));
    if (moves) {  // the row is gone from one key and appears at another
      Access appears = write;
      appears.kind = Access::Kind::Insert;
      appears.row = after;
      appears.holds = appears.key_holds = write.holds;
      appears.columns.assign(appears.columns.size(), true);
      add(std::move(appears));
    }
    add(std::move(write));
    if (set == nullptr) {
      children(table, before, when);
    } else {
      parents(table, after, columns, when);
    }
    if (changes_keys(table, columns, set == nullptr)) {
      abort_if(symbols_.flag("constraint"));
    }
    return returning(d, found, after);
  }

  /// The rows of a table that WHERE finds.
  Access look_for(Access::Kind kind, TableId table,
                  const std::optional<Expr>& where) {
    Access a = access(kind, table);
    a.row = row_of(table);
    const std::vector<SymbolRow> rows = {a.row};
    Symbols::Scope scope{slots_, {}};
    scope.rows.emplace_back(rows);
    std::vector<const Expr*> wheres;
    if (where) wheres.push_back(&*where);
    const Conditions all = conditions(wheres, scope);
    a.holds = all.whole;
    key_conditions(all, 0, scope, a);
    return a;
  }

  bool changes_keys(TableId table, const std::vector<bool>& columns,
                    bool is_delete) const {
    if (is_delete) return true;
    const auto& t = schema_.at(table);
    const auto touches = [&](const std::vector<std::uint32_t>& key) {
      return std::any_of(key.begin(), key.end(),
                         [&](std::uint32_t k) { return columns[k]; });
    };
    return !t.checks.empty() ||
           std::any_of(t.unique.begin(), t.unique.end(),
                       [&](const auto& u) { return touches(u.columns); }) ||
           std::any_of(t.foreign.begin(), t.foreign.end(),
                       [&](const auto& f) { return touches(f.columns); });
  }

  /// A child's row reads that its parent is there.
  void parents(TableId table, const SymbolRow& row,
               const std::vector<bool>& columns, Term when) {
    for (const auto& foreign : schema_.at(table).foreign) {
      if (std::none_of(foreign.columns.begin(), foreign.columns.end(),
                       [&](std::uint32_t c) { return columns[c]; })) {
        continue;
      }
      Access a = access(Access::Kind::Read, foreign.parent);
      a.row = row_of(foreign.parent);
      std::vector<Term> equal;
      for (std::size_t i = 0; i < foreign.columns.size(); ++i) {
        equal.push_back(symbols_.equal(a.row[foreign.parent_columns[i]],
                                       row[foreign.columns[i]]));
      }
      a.holds = a.key_holds = terms_.all_of(equal);
      a.executed = when;
      a.is_exact = key_of(foreign.parent) == foreign.parent_columns;
      add(std::move(a));
    }
  }

  /// Deleting a parent reads, and may change, its children.
  void children(TableId table, const SymbolRow& row, Term when) {
    for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
      for (const auto& foreign : schema_.tables[t].foreign) {
        if (foreign.parent != table) continue;
        Access a = access(Access::Kind::Read, TableId(t));
        a.row = row_of(TableId(t));
        std::vector<Term> equal;
        for (std::size_t i = 0; i < foreign.columns.size(); ++i) {
          equal.push_back(symbols_.equal(a.row[foreign.columns[i]],
                                         row[foreign.parent_columns[i]]));
          a.columns[foreign.columns[i]] = true;
        }
        a.holds = terms_.all_of(equal);
        a.executed = when;
        if (foreign.on_delete != sql::OnDelete::NoAction) {
          Access write = a;
          write.kind = foreign.on_delete == sql::OnDelete::Cascade
                           ? Access::Kind::Delete
                           : Access::Kind::Update;
          write.after = row_of(TableId(t));
          if (write.kind == Access::Kind::Delete) {
            write.columns.assign(write.columns.size(), true);
          }
          add(std::move(write));
        }
        add(std::move(a));
      }
    }
  }

  Given execute_insert(const DbStatement& d, const sql::Insert& insert) {
    const TableId table = insert.target.table;
    const auto& t = schema_.at(table);
    if (insert.source) (void)query(*insert.source, {slots_, {}});
    SymbolRow last = row_of(table);
    const std::size_t count = insert.source ? 1 : insert.rows.size();
    for (std::size_t r = 0; r < std::max<std::size_t>(count, 1); ++r) {
      SymbolRow row;
      for (const auto& column : t.columns) row.push_back(default_of(column));
      for (std::size_t i = 0; i < insert.columns.size(); ++i) {
        Symbol& to = row[insert.columns[i]];
        if (insert.source) {
          to = symbols_.unknown("selected");
        } else if (r < insert.rows.size() && i < insert.rows[r].size() &&
                   insert.rows[r][i]) {
          to = value(*insert.rows[r][i]);
        }
      }
      insert_row(d, insert, table, row);
      last = std::move(row);
    }
    return returning(d, symbols_.flag("inserted"), last);
  }

  Symbol default_of(const sql::Column& column) {
    if (column.sequence) {
      Symbol s{terms_.boolean(false), symbols_.integer(column.name)};
      out_.draws.push_back({*column.sequence, s.value});
      return s;
    }
    return column.default_value ? value(*column.default_value)
                                : symbols_.null();
  }

  void insert_row(const DbStatement&, const sql::Insert& insert, TableId table,
                  const SymbolRow& row) {
    const auto& t = schema_.at(table);
    std::vector<Term> missing;
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      if (!t.columns[c].is_nullable) missing.push_back(row[c].null);
    }
    for (const std::uint32_t k : key_of(table)) missing.push_back(row[k].null);
    abort_if(terms_.any_of(missing));
    // Uniqueness is looked up.
    for (std::size_t u = 0; u < t.unique.size(); ++u) {
      Access a = access(Access::Kind::Read, table);
      a.row = row_of(table);
      std::vector<Term> equal;
      for (const std::uint32_t c : t.unique[u].columns) {
        equal.push_back(symbols_.equal(a.row[c], row[c]));
        a.columns[c] = u > 0 || !t.has_primary_key;
      }
      a.holds = terms_.all_of(equal);
      const bool is_primary = u == 0 && t.has_primary_key;
      if (is_primary) a.key_holds = a.holds;
      a.is_exact = is_primary;
      add(std::move(a));
    }
    std::vector<bool> all(t.columns.size(), true);
    parents(table, row, all, executed());
    Access write = access(Access::Kind::Insert, table);
    write.row = row;
    write.after = row;
    write.columns = all;
    write.is_exact = t.has_primary_key && !insert.source;
    if (insert.on_conflict) {
      if (insert.on_conflict->is_update) {
        for (const auto& set : insert.on_conflict->set) {
          if (set.value) (void)subqueries_of(*set.value);
        }
        Access update = write;
        update.kind = Access::Kind::Update;
        update.row = row_of(table);
        std::vector<Term> equal;
        for (const std::uint32_t k : key_of(table)) {
          equal.push_back(symbols_.equal(update.row[k], row[k]));
        }
        update.holds = update.key_holds = terms_.all_of(equal);
        update.after = row_of(table);
        Access read = update;
        read.kind = Access::Kind::Read;
        add(std::move(read));
        const Term updates = symbols_.flag("updates");
        update.executed = terms_.all_of({update.executed, updates});
        update.found = updates;
        add(std::move(update));
        write.executed =
            terms_.all_of({write.executed, terms_.negation(updates)});
      } else {
        write.executed =
            terms_.all_of({write.executed, symbols_.flag("inserts")});
      }
    }
    write.found = terms_.boolean(true);
    add(std::move(write));
    if (can_fail(insert, table)) abort_if(symbols_.flag("constraint"));
  }

  /// An INSERT that no constraint can stop: keys are drawn from sequences by
  /// everybody, and there is nothing else to violate.
  bool can_fail(const sql::Insert& insert, TableId table) const {
    const auto& t = schema_.at(table);
    if (!t.foreign.empty() || !t.checks.empty() || insert.source) return true;
    return !std::all_of(
        t.unique.begin(), t.unique.end(), [&](const sql::UniqueKey& key) {
          return std::any_of(
              key.columns.begin(), key.columns.end(), [&](std::uint32_t c) {
                return t.columns[c].sequence && is_always_drawn(table, c);
              });
        });
  }
  bool is_always_drawn(TableId table, std::uint32_t column) const {
    bool is_drawn = true;
    const auto look = [&](const DbStatement& d) {
      const auto* x = std::get_if<sql::Insert>(&d.what);
      if (x != nullptr && x->target.table == table &&
          std::find(x->columns.begin(), x->columns.end(), column) !=
              x->columns.end()) {
        is_drawn = false;
      }
      const auto* u = std::get_if<sql::Update>(&d.what);
      if (u == nullptr || u->target.table != table) return;
      for (const auto& set : u->set) is_drawn &= set.column != column;
    };
    for (const DbStatement& d : application_.setup) look(d);
    for (const auto& routine : application_.routines) {
      sql::for_each_statement(routine.body, look);
    }
    return is_drawn;
  }

  bool subqueries_of(const Expr& expr) {
    const std::vector<SymbolRow> none;
    (void)value(expr, &none);
    return true;
  }

  const sql::Application& application_;
  const sql::Schema& schema_;
  Symbols& symbols_;
  smt::Terms& terms_;
  Summary out_;
  std::vector<Symbol> slots_;
  Term alive_;                    ///< the conditions of the branches around
  std::vector<Term> skips_;       ///< left by EXIT or CONTINUE, by loop
  std::optional<Term> returned_;  ///< over by RETURN, or aborted
  std::optional<Term> aborted_;
  std::uint32_t statement_ = 0;
  std::uint32_t line_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Summary summarize(const sql::Application& application,
                  const sql::Routine& routine, Symbols& symbols) {
  return Summarizer(application, symbols).run(routine);
}

}  // namespace txscope::robust
