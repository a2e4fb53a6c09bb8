#include "robust/proof/summary.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/last_ends.h"
#include "robust/proof/change_accesses.h"
#include "robust/proof/expressions.h"
#include "robust/proof/query_reads.h"
#include "robust/proof/row_triggers.h"

namespace txscope::robust {
namespace {

using smt::Term;
using sql::DbStatement;
using sql::Expr;
using sql::PlBlock;
using sql::PlStatement;

constexpr std::size_t kDeepest = 12;  // calls inside calls

/// Most triggers and the like do more than statements say, or less, and are not
/// followed.
bool does_more(const sql::Application& application,
               const analysis::Footprint& of) {
  const sql::Schema& schema = application.schema;
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    if (!of.writes[t]) continue;
    const sql::Table& table = schema.tables[t];
    // Rows are told apart by their primary key, at every moment.
    const bool has_loose_key =
        table.has_primary_key && table.unique.front().is_deferrable;
    if (!row_triggers_of(application, table).is_plain ||
        !table.partial.empty() || has_loose_key)
      return true;
    if (std::any_of(table.foreign.begin(), table.foreign.end(),
                    [&](const sql::ForeignKey& key) {
                      return of.writes[key.parent.index] &&
                             key.on_update != sql::OnDelete::NoAction;
                    })) {
      return true;
    }
  }
  return false;
}

class Summarizer {
 public:
  Summarizer(const sql::Application& application, Symbols& symbols)
      : run_(application, symbols),
        reads_(run_),
        changes_(run_, reads_),
        symbols_(symbols),
        terms_(symbols.terms()) {}

  Summary run(const sql::Routine& routine) {
    run_.footprint = analysis::footprint_of(
        run_.application, sql::RoutineId(static_cast<std::size_t>(
                              &routine - run_.application.routines.data())));
    run_.out.name = routine.name;
    run_.slots.clear();
    for (std::size_t i = 0; i < routine.variables.size(); ++i) {
      const bool is_parameter = i >= 1 && i <= routine.parameters;
      run_.slots.push_back(is_parameter
                               ? symbols_.unknown(routine.variables[i].name)
                               : symbols_.null());
    }
    if (run_.slots.empty()) run_.slots.push_back(symbols_.null());
    run_.slots[sql::kFoundSlot] = symbols_.constant(sql::Value::boolean(false));
    is_opaque_ = does_more(run_.application, run_.footprint);
    run_.skips_locked = false;
    ends_.assign(1, {routine.body, analysis::Behind::Nothing});
    if (!is_opaque_) block(routine.body);
    is_opaque_ |= run_.skips_locked;
    run_.out.commits = terms_.negation(run_.aborted);
    if (is_opaque_) forget_all();
    note_own_writes(0, false);
    return std::move(run_.out);
  }

 private:
  /// From the access `first` on: what the transaction wrote before is in the
  /// way.  Of rounds of a loop there may have been others before.
  void note_own_writes(std::size_t first, bool is_loop) {
    auto& accesses = run_.out.accesses;
    for (std::size_t i = first; i < accesses.size(); ++i) {
      for (std::size_t j = first; j < accesses.size(); ++j) {
        const Access& w = accesses[j];
        if (w.is_write() && w.table == accesses[i].table &&
            (is_loop || w.statement < accesses[i].statement)) {
          accesses[i].sees_state = false;
        }
      }
    }
  }

  /// It may do anything with its tables, one thing after another: nothing that
  /// a statement says is sure to be done, or done by one transaction.
  void forget_all() {
    run_.out.accesses.clear();
    run_.out.draws.clear();
    run_.out.facts = terms_.boolean(true);
    run_.alive = terms_.boolean(true);
    run_.skips.clear();
    run_.returned = run_.aborted = terms_.boolean(false);
    anything();
    run_.out.commits = terms_.boolean(true);
  }
  /// Twice, since the database may change in between.
  void anything() {
    reads_.anything(run_.footprint);
    reads_.anything(run_.footprint);
  }

  void set(std::uint32_t slot, const Symbol& symbol) {
    if (slot >= run_.slots.size()) run_.slots.resize(slot + 1, symbols_.null());
    run_.slots[slot] =
        symbols_.choose(run_.executed(), symbol, run_.slots[slot]);
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
    if (s.is_strict) run_.abort_if(symbols_.flag("not one row"));
    if (!s.is_expression) set_found(given.found);
  }

  void statement(const sql::PlCall& s) {
    const sql::Routine& callee = run_.application.at(s.routine);
    if (depth_ == kDeepest) {
      is_opaque_ = true;
      return;
    }
    std::vector<Symbol> inner;
    for (std::size_t i = 0; i < callee.variables.size(); ++i) {
      inner.push_back(i >= 1 && i <= s.arguments.size()
                          ? value(s.arguments[i - 1])
                          : symbols_.null());
    }
    inner[sql::kFoundSlot] = symbols_.constant(sql::Value::boolean(false));
    std::swap(inner, run_.slots);
    const Term outer_returned = run_.returned;
    const auto outer_skips = std::move(run_.skips);
    const Term outer_alive = run_.alive;
    // What is skipped outside is not alive inside.
    run_.alive = terms_.all_of(
        {run_.alive, terms_.negation(terms_.any_of(
                         {terms_.any_of(outer_skips), outer_returned}))});
    run_.returned = terms_.boolean(false);
    run_.skips.clear();
    const Term aborted_before = run_.aborted;
    ++depth_;
    ends_.emplace_back(callee.body, ends_.back().behind(s));
    block(callee.body);
    ends_.pop_back();
    --depth_;
    std::vector<Symbol> results;
    for (const std::uint32_t slot : callee.out_slots) {
      results.push_back(run_.slots[slot]);
    }
    std::swap(inner, run_.slots);
    run_.alive = outer_alive;
    run_.skips = outer_skips;
    run_.returned = outer_returned;
    if (run_.aborted != aborted_before) {
      run_.returned = terms_.any_of({run_.returned, run_.aborted});
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
    const Term before = run_.alive;
    Term rest = run_.alive;
    for (const auto& arm : s.arms) {
      run_.alive = rest;
      block(arm.before);
      const Term taken = symbols_.is_true(value(arm.condition));
      run_.alive = terms_.all_of({rest, taken});
      block(arm.body);
      rest = terms_.all_of({rest, terms_.negation(taken)});
    }
    run_.alive = rest;
    if (s.must_match) run_.abort_if(terms_.boolean(true));
    block(s.otherwise);
    run_.alive = before;
  }

  /// Two rounds, with arbitrary variables at the head of each and after them.
  template <class Head>
  void rounds(const PlBlock& body, std::set<std::uint32_t> assigned,
              Head&& head) {
    note_assigned(body, assigned);
    const std::size_t first = run_.out.accesses.size();
    const Term before = run_.alive;
    Term entered = terms_.boolean(true);
    run_.skips.push_back(terms_.boolean(false));  // left by EXIT
    for (int round = 0; round < 2; ++round) {
      for (const std::uint32_t slot : assigned) forget(slot);
      entered = terms_.all_of({entered, symbols_.flag("another round")});
      run_.alive = terms_.all_of({before, entered});
      run_.skips.push_back(terms_.boolean(false));  // CONTINUE, of this round
      head();
      block(body);
      run_.skips.pop_back();
    }
    run_.skips.pop_back();
    run_.alive = before;
    for (const std::uint32_t slot : assigned) forget(slot);
    note_own_writes(first, true);
  }

  void statement(const sql::PlLoop& s) {
    std::set<std::uint32_t> assigned;
    note_assigned(s.before, assigned);
    rounds(s.body, assigned, [&] {
      block(s.before);
      if (!s.condition) return;
      run_.alive =
          terms_.all_of({run_.alive, symbols_.is_true(value(*s.condition))});
    });
    block(s.before);  // the last time it is evaluated
  }
  void statement(const sql::PlForRange& s) {
    const Symbol from = value(s.from);
    const Symbol to = value(s.to);
    rounds(s.body, {s.slot}, [&] {
      if (s.step || s.is_reverse) return;
      const Symbol now = run_.slots[s.slot];
      const Term inside = terms_.all_of(
          {terms_.negation(now.null), terms_.less_equal(from.value, now.value),
           terms_.less_equal(now.value, to.value)});
      run_.alive = terms_.all_of({run_.alive, inside});
    });
  }
  void statement(const sql::PlForRows& s) {
    if (!s.cursor) (void)execute(s.query);
    const auto* query = std::get_if<sql::Select>(&s.query.what);
    rounds(s.body, std::set<std::uint32_t>(s.into.begin(), s.into.end()), [&] {
      if (s.cursor || query == nullptr) return;
      const SymbolRow row = reads_.some_row(**query);
      for (std::size_t i = 0; i < s.into.size() && i < row.size(); ++i) {
        set(s.into[i], row[i]);
      }
    });
  }
  void statement(const sql::PlExit& s) {
    // The rest of the round is skipped for certain, that of the loops around
    // perhaps: which of them the label means is left open.
    (void)s;
    if (run_.skips.empty()) return;
    const Term now = run_.executed();
    for (Term& skip : run_.skips) {
      skip =
          terms_.any_of({skip, terms_.all_of({now, symbols_.flag("leaves")})});
    }
    run_.skips.back() = terms_.any_of({run_.skips.back(), now});
  }
  void statement(const sql::PlLabelled& s) {
    run_.skips.push_back(terms_.boolean(false));
    block(s.body);
    run_.skips.pop_back();
  }
  void statement(const sql::PlReturn&) {
    run_.returned = terms_.any_of({run_.returned, run_.executed()});
  }
  void statement(const sql::PlRaise&) { run_.abort_if(terms_.boolean(true)); }
  void statement(const sql::PlTry& s) {
    if (s.raises_again || gives_up(s)) return block(s.body);
    // What is undone is not followed: it may do anything, and leave.
    anything();
    std::set<std::uint32_t> assigned;
    note_assigned(s.body, assigned);
    for (const auto& handler : s.handlers)
      note_assigned(handler.body, assigned);
    assigned.insert({s.state_slot, s.message_slot});
    for (const std::uint32_t slot : assigned) forget(slot);
    const Term now = run_.executed();
    for (Term& skip : run_.skips) {
      skip =
          terms_.any_of({skip, terms_.all_of({now, symbols_.flag("leaves")})});
    }
    run_.returned = terms_.any_of(
        {run_.returned, terms_.all_of({now, symbols_.flag("returns")})});
    run_.abort_if(symbols_.flag("fails"));
  }
  /// Whatever goes wrong, all is rolled back, and nothing else is done.
  [[nodiscard]] bool gives_up(const sql::PlTry& s) const {
    return s.keeps_work &&
           std::all_of(
               s.handlers.begin(), s.handlers.end(),
               [&](const sql::PlTry::Handler& handler) {
                 const auto first = std::find_if(
                     handler.body.begin(), handler.body.end(),
                     [](const PlStatement& each) {
                       return !std::holds_alternative<sql::PlAssign>(each.what);
                     });
                 const auto* end = first == handler.body.end()
                                       ? nullptr
                                       : std::get_if<sql::PlEnd>(&first->what);
                 return end != nullptr && !end->is_commit &&
                        ends_.back().has(*end);
               });
  }
  /// Where nothing is rolled back to one, an error ends all in any case.
  void statement(const sql::PlSavepoint& s) {
    if (s.kind == sql::PlSavepoint::Kind::RollBackTo) is_opaque_ = true;
  }
  void statement(const sql::PlSetConstraints&) { is_opaque_ = true; }
  /// Who comes to a last one is done; others make a transaction of its own.
  void statement(const sql::PlEnd& s) {
    if (!ends_.back().has(s)) is_opaque_ = true;
    if (!s.is_commit) run_.abort_if(terms_.boolean(true));
  }
  void statement(const sql::PlOpen& s) { (void)execute(s.query); }
  void statement(const sql::PlFetch& s) {
    for (const std::uint32_t slot : s.into) forget(slot);
    forget(sql::kFoundSlot);
  }
  void statement(const sql::PlClose&) {}
  void statement(const sql::PlRowCount& s) { forget(s.slot); }

  Given execute(const DbStatement& d) {
    ++run_.statement;
    run_.line = d.at.line;
    const bool is_merge = std::holds_alternative<sql::Merge>(d.what);
    if (!d.parts.empty() || is_merge || sql::chooses_rows(d)) is_opaque_ = true;
    if (is_merge) return {};
    if (const auto* select = std::get_if<sql::Select>(&d.what)) {
      return reads_.query(**select, {run_.slots, {}});
    }
    return changes_.execute(d);
  }

  Symbol value(const Expr& expr) { return reads_.value(expr); }

  TypeRun run_;
  QueryReads reads_;
  ChangeAccesses changes_;
  Symbols& symbols_;
  smt::Terms& terms_;
  bool is_opaque_ = false;
  std::size_t depth_ = 0;
  std::vector<analysis::LastEnds> ends_;  // of the routines that are open
};

}  // namespace

Summary summarize(const sql::Application& application,
                  const sql::Routine& routine, Symbols& symbols) {
  return Summarizer(application, symbols).run(routine);
}

}  // namespace txscope::robust
