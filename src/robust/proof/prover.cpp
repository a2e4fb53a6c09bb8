#include "robust/proof/prover.h"

#include <algorithm>
#include <map>
#include <set>

#include "exec/sql/memory_database.h"
#include "robust/proof/summary.h"
#include "smt/solver.h"

namespace txscope::robust {
namespace {

using smt::Term;

constexpr std::size_t kRoles = 3;  // pivot, second, last
constexpr std::size_t kPivot = 0;
constexpr std::size_t kSecond = 1;
constexpr std::size_t kLast = 2;
constexpr std::size_t kMostSets = 200;  // of types, on the way to safe ones

}  // namespace

class Prover::Impl {
 public:
  Impl(const sql::Application& application, std::vector<sql::RoutineId> types,
       Granularity granularity, bool has_locks, const Budget& budget)
      : application_(application),
        schema_(application.schema),
        granularity_(granularity),
        has_locks_(has_locks),
        budget_(budget),
        symbols_(terms_) {
    for (const sql::RoutineId id : types) {
      names_.push_back(application.at(id).name);
      auto& roles = summaries_.emplace_back();
      for (std::size_t r = 0; r < kRoles; ++r) {
        roles.push_back(summarize(application, application.at(id), symbols_));
      }
    }
    note_changes();
    solver_ = std::make_unique<smt::Solver>(terms_, smt::Arithmetic::Integers,
                                            budget);
    if (granularity == Granularity::Result) find_counters();
  }

  const std::vector<std::string>& names() const { return names_; }
  bool has_given_up() const { return has_given_up_; }
  ProofStatistics statistics() const {
    return {obligations_, solver_->statistics().seconds};
  }

  std::vector<OpenTriple> open_triples(PivotLevel level) {
    level_ = level;
    std::vector<OpenTriple> out;
    for (std::size_t p = 0; p < names_.size(); ++p) {
      std::vector<std::size_t> seconds;
      std::vector<std::size_t> lasts;
      for (std::size_t u = 0; u < names_.size(); ++u) {
        if (is_possible(p, u, std::nullopt)) seconds.push_back(u);
      }
      if (seconds.empty()) continue;
      for (std::size_t u = 0; u < names_.size(); ++u) {
        if (is_possible(p, std::nullopt, u)) lasts.push_back(u);
      }
      for (const std::size_t second : seconds) {
        for (const std::size_t last : lasts) {
          if (!is_possible(p, second, last)) continue;
          out.push_back({p, second, last, words(p, second, last)});
        }
      }
    }
    return out;
  }

 private:
  const Summary& at(std::size_t type, std::size_t role) const {
    return summaries_[type][role];
  }

  // What all types together never do.

  void note_changes() {
    const std::size_t n = schema_.tables.size();
    is_static_.assign(n, true);
    has_deletes_.assign(n, false);
    is_updated_.resize(n);
    for (std::size_t t = 0; t < n; ++t) {
      is_updated_[t].assign(schema_.tables[t].columns.size(), false);
    }
    for (const auto& roles : summaries_) {
      for (const Access& a : roles[kPivot].accesses) {
        const std::size_t t = a.table.index;
        if (a.kind == Access::Kind::Insert) is_static_[t] = false;
        if (a.kind == Access::Kind::Delete) {
          is_static_[t] = false;
          has_deletes_[t] = true;
        }
        if (a.kind != Access::Kind::Update) continue;
        for (std::size_t c = 0; c < a.columns.size(); ++c) {
          if (a.columns[c]) is_updated_[t][c] = true;
        }
      }
    }
    // A key that moves is a delete and an insert.
    for (std::size_t t = 0; t < n; ++t) {
      for (const std::uint32_t k : key_of(TableId(t))) {
        if (!is_updated_[t][k]) continue;
        is_static_[t] = false;
        has_deletes_[t] = true;
      }
    }
  }

  const std::vector<std::uint32_t>& key_of(TableId table) const {
    static const std::vector<std::uint32_t> none;
    const auto& t = schema_.at(table);
    return t.has_primary_key ? t.unique.front().columns : none;
  }

  Term same_key(const Access& a, const SymbolRow& x, const SymbolRow& y) {
    std::vector<Term> parts;
    for (const std::uint32_t k : key_of(a.table)) {
      parts.push_back(symbols_.equal(x[k], y[k]));
    }
    return terms_.all_of(parts);  // hidden keys: perhaps
  }

  // Formulas about two instances.

  bool overlaps(const Access& read, const Access& write) const {
    if (write.kind != Access::Kind::Update) return true;
    for (std::size_t c = 0; c < read.columns.size(); ++c) {
      if (read.columns[c] && write.columns[c]) return true;
    }
    return granularity_ == Granularity::Row;
  }

  /// The row as the read knows it is the row as the write has it, as far as
  /// the read looks.
  Term seen_as(const Access& read, const SymbolRow& row) {
    std::vector<Term> parts = {same_key(read, read.row, row)};
    for (std::size_t c = 0; c < read.columns.size(); ++c) {
      if (read.columns[c]) parts.push_back(symbols_.same(read.row[c], row[c]));
    }
    return terms_.all_of(parts);
  }

  /// reader -rw-> writer: `read` takes the version right before `write`'s.
  Term misses(const Access& read, const Access& write, const Summary& writer) {
    if (read.table != write.table || !overlaps(read, write)) {
      return terms_.boolean(false);
    }
    std::vector<Term> parts = {read.executed, write.executed, writer.commits};
    if (write.kind != Access::Kind::Insert || !write.is_exact) {
      parts.push_back(write.holds);
    }
    if (read.is_exact) {
      parts.push_back(write.kind == Access::Kind::Insert
                          ? terms_.negation(read.found)
                          : read.found);
    }
    if (granularity_ != Granularity::Result) {
      parts.push_back(read.key_holds);
      parts.push_back(same_key(read, read.row, write.row));
      return terms_.all_of(parts);
    }
    parts.push_back(read.holds);
    if (read.extreme) parts.push_back(changes_extreme(read, write));
    if (write.kind != Access::Kind::Update) {
      parts.push_back(seen_as(read, write.row));
      return terms_.all_of(parts);
    }
    std::vector<Term> changes;
    for (std::size_t c = 0; c < read.columns.size(); ++c) {
      if (read.columns[c] && write.columns[c]) {
        changes.push_back(
            terms_.negation(symbols_.same(write.row[c], write.after[c])));
      }
    }
    parts.push_back(terms_.any_of(changes));
    parts.push_back(
        terms_.any_of({seen_as(read, write.row), seen_as(read, write.after)}));
    return terms_.all_of(parts);
  }

  // Numbers that are counted up.

  /// The rows of `table` get their `column` from a counter: a row of another
  /// table, whose key is `map` of their columns.
  ///
  /// Invariant, at snapshot isolation: every row's number is below its counter.
  /// Whoever inserts a row also moves its counter from a value that is not
  /// above the row's number to one that is; counters never go down; rows keep
  /// their numbers; the setup satisfies it.  So a row that is inserted by a
  /// transaction outside a snapshot has a larger number than all rows of the
  /// same counter in that snapshot: its transaction's version of the counter
  /// follows the snapshot's.
  struct Counter {
    TableId table;
    std::uint32_t column = 0;
    std::vector<std::uint32_t> map;
  };

  void find_counters() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
    for (const auto& roles : summaries_) {
      for (const Access& a : roles[kPivot].accesses) {
        if (a.extreme && a.extreme->is_min) {
          wanted.insert({a.table.index, a.extreme->column});
        }
      }
    }
    for (const auto& [table, column] : wanted) {
      if (is_updated_[table][column]) continue;
      for (std::size_t d = 0; d < schema_.tables.size(); ++d) {
        const std::size_t keys = key_of(TableId(d)).size();
        if (d == table || keys == 0 || keys > 2 || !is_static_[d]) continue;
        for (std::uint32_t m = 0; m < is_updated_[d].size(); ++m) {
          if (is_updated_[d][m])
            try_counter(TableId(table), column, TableId(d), m);
        }
      }
    }
  }

  void try_counter(TableId table, std::uint32_t column, TableId by,
                   std::uint32_t m) {
    const auto n = static_cast<std::uint32_t>(schema_.at(table).columns.size());
    const std::size_t keys = key_of(by).size();
    for (std::uint32_t first = 0; first < n; ++first) {
      for (std::uint32_t second = 0; second < (keys == 2 ? n : 1); ++second) {
        Counter counter{table, column, {first}};
        if (keys == 2) counter.map.push_back(second);
        const bool stays = std::none_of(
            counter.map.begin(), counter.map.end(),
            [&](auto c) { return is_updated_[table.index][c] || c == column; });
        if (!stays || !is_true_at_start(counter, by, m)) continue;
        if (!is_kept(counter, by, m)) continue;
        counters_.push_back(std::move(counter));
        return;
      }
    }
  }

  bool is_true_at_start(const Counter& counter, TableId by, std::uint32_t m) {
    const sql::Routines routines(application_, 1000);
    auto setup = sql::MemoryDatabase::after_setup(routines, budget_);
    const auto* initial = std::get_if<sql::MemoryDatabase>(&setup);
    if (initial == nullptr) return false;
    for (const sql::Row& row : initial->rows(counter.table)) {
      bool is_below = false;
      for (const sql::Row& d : initial->rows(by)) {
        bool is_its = d[m].kind() == sql::Kind::Integer &&
                      row[counter.column].kind() == sql::Kind::Integer &&
                      row[counter.column].integer() < d[m].integer();
        const auto& key = key_of(by);
        for (std::size_t k = 0; k < key.size(); ++k) {
          is_its = is_its && row[counter.map[k]] == d[key[k]];
        }
        is_below |= is_its;
      }
      if (!is_below) return false;
    }
    return true;
  }

  /// Every type inserts and counts as the invariant wants it.
  bool is_kept(const Counter& counter, TableId by, std::uint32_t m) {
    level_ = PivotLevel::Snapshot;
    bool inserts = false;
    for (const auto& roles : summaries_) {
      const Summary& type = roles[kPivot];
      std::vector<Term> known = {type.facts, type.commits};
      add_axioms(type, type, true, known);
      const Term always = terms_.all_of(known);
      for (const Access& a : type.accesses) {
        if (a.table == by && a.kind == Access::Kind::Update && a.columns[m]) {
          const Term stays = terms_.all_of(
              {terms_.negation(a.row[m].null), terms_.negation(a.after[m].null),
               terms_.less_equal(a.row[m].value, a.after[m].value)});
          if (ask(terms_.all_of(
                  {always, a.executed, a.holds, terms_.negation(stays)}))) {
            return false;
          }
        }
        if (a.table != counter.table || a.kind != Access::Kind::Insert) {
          continue;
        }
        inserts = true;
        std::vector<Term> counted;
        for (const Access& d : type.accesses) {
          if (d.table != by || d.kind != Access::Kind::Update || !d.is_exact ||
              !d.columns[m]) {
            continue;
          }
          std::vector<Term> parts = {
              d.executed, terms_.negation(a.row[counter.column].null),
              terms_.less_equal(d.row[m].value, a.row[counter.column].value),
              terms_.less(a.row[counter.column].value, d.after[m].value)};
          const auto& key = key_of(by);
          for (std::size_t k = 0; k < key.size(); ++k) {
            parts.push_back(
                symbols_.equal(a.row[counter.map[k]], d.row[key[k]]));
          }
          counted.push_back(terms_.all_of(parts));
        }
        if (ask(terms_.all_of({always, a.executed,
                               terms_.negation(terms_.any_of(counted))}))) {
          return false;
        }
      }
    }
    return inserts;
  }

  /// When a write changes the min or max that was read.
  Term changes_extreme(const Access& read, const Access& write) {
    const auto& extreme = *read.extreme;
    const Symbol& old = write.row[extreme.column];
    switch (write.kind) {
      case Access::Kind::Delete: return symbols_.equal(old, extreme.result);
      case Access::Kind::Insert: break;
      case Access::Kind::Read:
      case Access::Kind::Update: return terms_.boolean(true);
    }
    if (level_ != PivotLevel::Snapshot || !extreme.is_min) {
      return terms_.boolean(true);
    }
    for (const Counter& counter : counters_) {
      const bool is_of_counter =
          counter.table == read.table && counter.column == extreme.column &&
          std::all_of(counter.map.begin(), counter.map.end(),
                      [&](std::uint32_t c) { return read.fixed[c]; });
      // A larger number changes no minimum but that of nothing.
      if (is_of_counter) return extreme.result.null;
    }
    return terms_.boolean(true);
  }

  /// Any dependency between an access of tm and a later one of t1.
  Term conflicts(const Summary& other, const Access& a, const Summary& own,
                 const Access& later) {
    if (a.table != later.table || (!a.is_write() && !later.is_write())) {
      return terms_.boolean(false);
    }
    if (!a.is_write()) return misses(a, later, own);
    std::vector<Term> parts = {a.executed, later.executed, other.commits};
    if (later.is_write()) {
      if (key_of(a.table).empty() && a.kind == Access::Kind::Insert &&
          later.kind == Access::Kind::Insert) {
        return terms_.boolean(false);  // rows of their own
      }
      parts.push_back(own.commits);
      parts.push_back(a.kind == Access::Kind::Insert ? terms_.boolean(true)
                                                     : a.holds);
      parts.push_back(later.kind == Access::Kind::Insert ? terms_.boolean(true)
                                                         : later.holds);
      parts.push_back(same_key(a, a.row, later.row));
      return terms_.all_of(parts);
    }
    // wr: the later read sees what `a` wrote, or that it is gone.
    if (!overlaps(later, a)) return terms_.boolean(false);
    if (a.kind != Access::Kind::Insert) parts.push_back(a.holds);
    if (granularity_ != Granularity::Result) {
      parts.push_back(later.key_holds);
      parts.push_back(same_key(a, a.row, later.row));
      return terms_.all_of(parts);
    }
    parts.push_back(later.holds);
    std::vector<Term> seen = {seen_as(later, a.row)};
    if (a.kind == Access::Kind::Update) seen.push_back(seen_as(later, a.after));
    parts.push_back(terms_.any_of(seen));
    return terms_.all_of(parts);
  }

  [[nodiscard]] bool holds_row(const Access& a) const {
    return a.is_exact && (a.is_write() || (has_locks_ && a.locks));
  }

  /// Not both write one row for certain; of the pivot only up to a statement.
  Term no_common_write(const Summary& pivot, const Summary& other,
                       std::uint32_t up_to) {
    std::vector<Term> parts;
    for (const Access& a : pivot.accesses) {
      if (!holds_row(a) || a.statement > up_to) continue;
      for (const Access& b : other.accesses) {
        if (!holds_row(b) || a.table != b.table) continue;
        if (!a.is_write() && !b.is_write()) continue;
        std::vector<Term> both = {a.executed, b.executed,
                                  same_key(a, a.row, b.row)};
        // A lock is held even by a transaction that will abort.
        for (const auto& [access, of] :
             {std::pair(&a, &pivot), std::pair(&b, &other)}) {
          both.push_back(access->is_write() ? of->commits : access->found);
        }
        parts.push_back(terms_.negation(terms_.all_of(both)));
      }
    }
    return terms_.all_of(parts);
  }

  // Axioms.

  /// Whether an exact access knows if its row was there; by then it was.
  static Term is_there(const Access& a, smt::Terms& terms) {
    return a.kind == Access::Kind::Insert ? a.executed
                                          : terms.all_of({a.found});
  }

  void add_axioms(const Summary& x, const Summary& y, bool is_same,
                  std::vector<Term>& to) {
    for (std::size_t i = 0; i < x.accesses.size(); ++i) {
      const Access& a = x.accesses[i];
      if (!a.is_exact) continue;
      for (std::size_t j = is_same ? i + 1 : 0; j < y.accesses.size(); ++j) {
        const Access& b = y.accesses[j];
        if (!b.is_exact || a.table != b.table) continue;
        add_axiom(x, a, b, is_same, to);
      }
    }
    add_parents(x, y, to);
    if (is_same) return;
    add_parents(y, x, to);
    for (const auto& d : x.draws) {
      for (const auto& e : y.draws) {
        if (d.sequence != e.sequence) continue;
        to.push_back(terms_.negation(terms_.equal(d.value, e.value)));
      }
    }
  }

  /// Where parents neither come nor go, a child's row has one.
  void add_parents(const Summary& x, const Summary& y, std::vector<Term>& to) {
    for (const Access& a : x.accesses) {
      if (!a.is_exact) continue;
      for (const auto& foreign : schema_.at(a.table).foreign) {
        if (!is_static_[foreign.parent.index]) continue;
        for (const Access& b : y.accesses) {
          if (!b.is_exact || b.table != foreign.parent) continue;
          std::vector<Term> parts = {
              a.kind == Access::Kind::Insert
                  ? terms_.all_of({a.executed, x.commits})
                  : a.found};
          for (std::size_t i = 0; i < foreign.columns.size(); ++i) {
            parts.push_back(symbols_.equal(a.row[foreign.columns[i]],
                                           b.row[foreign.parent_columns[i]]));
          }
          to.push_back(terms_.implies(terms_.all_of(parts), b.found));
        }
      }
    }
  }

  void add_axiom(const Summary& x, const Access& a, const Access& b,
                 bool is_same, std::vector<Term>& to) {
    const std::size_t t = a.table.index;
    std::vector<Term> follows;
    const Term both = terms_.all_of({is_there(a, terms_), is_there(b, terms_)});
    if (is_static_[t]) follows.push_back(terms_.equal(a.found, b.found));
    const bool is_one_view = is_same && level_ == PivotLevel::Snapshot &&
                             !a.is_write() && !b.is_write() &&
                             !writes_before(x, a.table, b.statement);
    if (is_one_view) follows.push_back(terms_.equal(a.found, b.found));
    for (std::size_t c = 0; c < a.row.size(); ++c) {
      const bool is_constant = !has_deletes_[t] && !is_updated_[t][c];
      if (!is_constant && !is_one_view) continue;
      follows.push_back(
          terms_.implies(both, symbols_.same(a.row[c], b.row[c])));
    }
    if (follows.empty()) return;
    to.push_back(
        terms_.implies(same_key(a, a.row, b.row), terms_.all_of(follows)));
  }

  static bool writes_before(const Summary& of, TableId table,
                            std::uint32_t statement) {
    return std::any_of(
        of.accesses.begin(), of.accesses.end(), [&](const Access& a) {
          return a.is_write() && a.table == table && a.statement < statement;
        });
  }

  // Questions.

  /// (1), from the read `b1` on.
  Term second_part(const Access& b1, const Summary& second) {
    std::vector<Term> hits;
    for (const Access& w : second.accesses) {
      if (w.is_write()) hits.push_back(misses(b1, w, second));
    }
    return terms_.any_of(hits);
  }

  /// (2): the last one misses the pivot, or meets what it does afterwards.
  Term last_part(const Summary& last, const Summary& pivot,
                 std::uint32_t split) {
    std::vector<Term> hits;
    for (const Access& a : last.accesses) {
      for (const Access& b : pivot.accesses) {
        if (!a.is_write() && b.is_write()) {
          hits.push_back(misses(a, b, pivot));
        } else if (level_ == PivotLevel::ReadCommitted && b.statement > split) {
          hits.push_back(conflicts(last, a, pivot, b));
        }
      }
    }
    return terms_.any_of(hits);
  }

  /// Whether instances can be found; one of second and last may be left out.
  bool is_possible(std::size_t p, std::optional<std::size_t> second,
                   std::optional<std::size_t> last) {
    const Summary& pivot = at(p, kPivot);
    if (last && !may_meet(pivot, at(*last, kLast))) return false;
    if (second && !may_meet(pivot, at(*second, kSecond))) return false;
    std::vector<Term> cases;
    std::set<std::uint32_t> splits;
    for (const Access& b1 : pivot.accesses) {
      if (b1.is_write()) continue;
      const std::uint32_t up_to =
          level_ == PivotLevel::Snapshot ? ~std::uint32_t{0} : b1.statement;
      std::vector<Term> parts;
      if (second) {
        const Term hit = second_part(b1, at(*second, kSecond));
        if (terms_.is_false(hit)) continue;
        parts.push_back(hit);
        parts.push_back(no_common_write(pivot, at(*second, kSecond), up_to));
      } else {
        // Without the second, one question per split is enough.
        if (!splits.insert(up_to).second) continue;
      }
      if (last) {
        parts.push_back(last_part(at(*last, kLast), pivot, b1.statement));
        parts.push_back(no_common_write(pivot, at(*last, kLast), up_to));
      }
      cases.push_back(terms_.all_of(parts));
    }
    std::vector<Term> formula = {terms_.any_of(cases), pivot.facts};
    // At an engine's levels what aborts is not part of any order.
    if (level_ == PivotLevel::Snapshot || has_locks_) {
      formula.push_back(pivot.commits);
    }
    if (terms_.is_false(formula.front())) return false;
    add_axioms(pivot, pivot, true, formula);
    for (const auto& [type, role] :
         {std::pair(second, kSecond), std::pair(last, kLast)}) {
      if (!type) continue;
      const Summary& other = at(*type, role);
      formula.push_back(other.facts);
      if (has_locks_) formula.push_back(other.commits);
      add_axioms(other, other, true, formula);
      add_axioms(pivot, other, false, formula);
    }
    if (second && last) {
      add_axioms(at(*second, kSecond), at(*last, kLast), false, formula);
    }
    return ask(terms_.all_of(formula));
  }

  /// They name a common table, and one of them writes it.
  static bool may_meet(const Summary& a, const Summary& b) {
    for (const Access& x : a.accesses) {
      for (const Access& y : b.accesses) {
        if (x.table == y.table && (x.is_write() || y.is_write())) return true;
      }
    }
    return false;
  }

  bool ask(Term formula) {
    if (terms_.is_false(formula)) return false;
    if (budget_.spent_now()) {
      has_given_up_ = true;
      return true;
    }
    ++obligations_;
    solver_->push();
    solver_->add(formula);
    const smt::Answer answer = solver_->check();
    solver_->pop();
    if (answer == smt::Answer::Unknown && budget_.spent_now()) {
      has_given_up_ = true;
    }
    return answer != smt::Answer::Unsatisfiable;
  }

  std::string words(std::size_t p, std::size_t second, std::size_t last) const {
    return names_[p] + " reads something that " + names_[second] +
           " overwrites, and " + names_[last] +
           (level_ == PivotLevel::Snapshot
                ? " reads something that " + names_[p] + " overwrites"
                : " depends on the rest of " + names_[p]);
  }

  const sql::Application& application_;
  const sql::Schema& schema_;
  const Granularity granularity_;
  const bool has_locks_;
  const Budget& budget_;
  smt::Terms terms_;
  Symbols symbols_;
  std::unique_ptr<smt::Solver> solver_;
  PivotLevel level_ = PivotLevel::Snapshot;
  std::vector<std::string> names_;
  std::vector<std::vector<Summary>> summaries_;  // by type and role
  std::vector<bool> is_static_;                  // by table: no row comes, goes
  std::vector<bool> has_deletes_;
  std::vector<std::vector<bool>> is_updated_;  // by table and column
  std::vector<Counter> counters_;
  std::uint64_t obligations_ = 0;
  bool has_given_up_ = false;
};

Prover::Prover(const sql::Application& application,
               std::vector<sql::RoutineId> types, Granularity granularity,
               bool has_locks, const Budget& budget)
    : impl_(std::make_unique<Impl>(application, std::move(types), granularity,
                                   has_locks, budget)) {}
Prover::~Prover() = default;

const std::vector<std::string>& Prover::names() const { return impl_->names(); }
std::vector<OpenTriple> Prover::open_triples(PivotLevel level) {
  return impl_->open_triples(level);
}
ProofStatistics Prover::statistics() const { return impl_->statistics(); }
bool Prover::has_given_up() const { return impl_->has_given_up(); }

std::vector<sql::RoutineId> transaction_types(
    const sql::Application& application) {
  std::set<std::uint32_t> called;
  for (const auto& session : application.sessions) {
    for (const auto& call : session.calls) called.insert(call.routine.index);
  }
  std::vector<sql::RoutineId> out;
  for (std::size_t r = 0; r < application.routines.size(); ++r) {
    if (!application.routines[r].is_function ||
        called.contains(static_cast<std::uint32_t>(r))) {
      out.emplace_back(r);
    }
  }
  return out;
}

std::vector<std::vector<std::size_t>> safe_sets(
    std::size_t types, const std::vector<OpenTriple>& open) {
  // Every open triple must lose one of its types: minimal sets to leave out.
  std::set<std::set<std::size_t>> out = {{}};
  for (const OpenTriple& triple : open) {
    std::set<std::set<std::size_t>> next;
    for (const auto& left_out : out) {
      if (left_out.contains(triple.pivot) || left_out.contains(triple.second) ||
          left_out.contains(triple.last)) {
        next.insert(left_out);
        continue;
      }
      for (const std::size_t t : {triple.pivot, triple.second, triple.last}) {
        auto more = left_out;
        more.insert(t);
        next.insert(std::move(more));
      }
    }
    std::set<std::set<std::size_t>> minimal;
    for (const auto& a : next) {
      const bool has_smaller =
          std::any_of(next.begin(), next.end(), [&](const auto& b) {
            return b != a &&
                   std::includes(a.begin(), a.end(), b.begin(), b.end());
          });
      if (!has_smaller) minimal.insert(a);
    }
    out = std::move(minimal);
    if (out.size() > kMostSets) return {};
  }
  std::vector<std::vector<std::size_t>> sets;
  for (const auto& left_out : out) {
    std::vector<std::size_t> kept;
    for (std::size_t t = 0; t < types; ++t) {
      if (!left_out.contains(t)) kept.push_back(t);
    }
    sets.push_back(std::move(kept));
  }
  std::sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return sets;
}

}  // namespace txscope::robust
