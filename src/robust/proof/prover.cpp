#include "robust/proof/prover.h"

#include <algorithm>
#include <set>

#include "robust/proof/axioms.h"
#include "robust/proof/counters.h"
#include "robust/proof/program_types.h"
#include "robust/proof/summary.h"
#include "smt/solver.h"

namespace txscope::robust {
namespace {

using smt::Term;

constexpr std::size_t kRoles = 3;  // pivot, second, last
constexpr std::size_t kPivot = 0;
constexpr std::size_t kSecond = 1;
constexpr std::size_t kLast = 2;

}  // namespace

class Prover::Impl {
 public:
  Impl(const sql::Application& application,
       const std::vector<sql::RoutineId>& types, Granularity granularity,
       bool has_locks, const Budget& budget)
      : schema_(application.schema),
        granularity_(granularity),
        has_locks_(has_locks),
        budget_(budget),
        symbols_(terms_),
        names_(type_names(application, types)) {
    for (const sql::RoutineId id : types) {
      add_type(
          [&] { return summarize(application, application.at(id), symbols_); });
    }
    prepare();
    if (granularity != Granularity::Result) return;
    Counters counters(
        application, symbols_, *facts_, *axioms_, summaries_,
        [this](Term formula) { return ask(formula); }, budget_);
    counters.find();
    counters_ = counters.found();
  }

  Impl(const Program& program, Granularity granularity, const Budget& budget)
      : schema_(schema_of(program)),
        granularity_(granularity),
        has_locks_(false),
        budget_(budget),
        symbols_(terms_),
        names_(type_names(program)) {
    for (const Transaction& transaction : program.transactions) {
      add_type([&] { return summarize(program, transaction, symbols_); });
    }
    prepare();
  }

  const std::vector<std::string>& names() const { return names_; }
  bool has_given_up() const { return has_given_up_; }
  ProofStatistics statistics() const {
    return {obligations_, solver_->statistics().seconds};
  }

  std::vector<OpenTriple> open_triples(PivotLevel level) {
    level_ = level;
    axioms_->set_one_view(level == PivotLevel::Snapshot);
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

  bool can_write() {
    const std::uint64_t asked = obligations_;
    bool can = false;
    for (const auto& roles : summaries_) {
      const Summary& type = roles.front();
      for (const Access& access : type.accesses) {
        if (can || !access.is_write()) continue;
        std::vector<Term> parts = {type.facts, type.commits, access.executed};
        if (access.kind != Access::Kind::Insert) parts.push_back(access.holds);
        can = ask(terms_.all_of(parts));
      }
    }
    obligations_ = asked;
    return can;
  }

 private:
  /// Once for every role: its unknowns are other ones.
  template <class Summarize>
  void add_type(const Summarize& summarized) {
    auto& roles = summaries_.emplace_back();
    for (std::size_t r = 0; r < kRoles; ++r) roles.push_back(summarized());
  }
  void prepare() {
    facts_ = std::make_unique<TypeFacts>(schema_, summaries_);
    axioms_ = std::make_unique<Axioms>(symbols_, *facts_);
    solver_ = std::make_unique<smt::Solver>(
        terms_, smt::fitting_arithmetic(terms_), budget_);
  }

  const Summary& at(std::size_t type, std::size_t role) const {
    return summaries_[type][role];
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
    std::vector<Term> parts = {axioms_->same_key(read, read.row, row)};
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
      parts.push_back(axioms_->same_key(read, read.row, write.row));
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
      if (facts_->key_of(a.table).empty() && a.kind == Access::Kind::Insert &&
          later.kind == Access::Kind::Insert) {
        return terms_.boolean(false);  // rows of their own
      }
      parts.push_back(own.commits);
      parts.push_back(a.kind == Access::Kind::Insert ? terms_.boolean(true)
                                                     : a.holds);
      parts.push_back(later.kind == Access::Kind::Insert ? terms_.boolean(true)
                                                         : later.holds);
      parts.push_back(axioms_->same_key(a, a.row, later.row));
      return terms_.all_of(parts);
    }
    // wr: the later read sees what `a` wrote, or that it is gone.
    if (!overlaps(later, a)) return terms_.boolean(false);
    if (a.kind != Access::Kind::Insert) parts.push_back(a.holds);
    if (granularity_ != Granularity::Result) {
      parts.push_back(later.key_holds);
      parts.push_back(axioms_->same_key(a, a.row, later.row));
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

  /// When the pivot reads what the second overwrites.  A statement at read
  /// committed is not atomic: it looks at the state of its beginning and then
  /// waits for rows, which may have changed meanwhile.
  enum class Moment : std::uint8_t {
    Early,  ///< before it waits
    Late,   ///< after it has the row, or at the end of a statement
  };

  /// At the moment, `b1` may miss `w`.
  bool may_miss_at(Moment moment, const Access& b1, const Access& w) const {
    if (level_ == PivotLevel::Snapshot) return moment == Moment::Late;
    switch (b1.sight) {
      case Access::Sight::Snapshot: return moment == Moment::Early;
      case Access::Sight::Latest: return moment == Moment::Late;
      case Access::Sight::Target: break;
    }
    // A row that is waited for is followed by its versions, not by its key: who
    // deletes it and inserts another with its key is missed.
    const bool is_followed = b1.is_keyed && w.kind != Access::Kind::Insert;
    return moment == (is_followed ? Moment::Late : Moment::Early);
  }

  /// The row is no longer what its key was.
  bool takes_key_away(const Access& a) const {
    if (a.kind == Access::Kind::Delete) return true;
    const auto& key = facts_->key_of(a.table);
    return a.kind == Access::Kind::Update &&
           std::any_of(key.begin(), key.end(),
                       [&](std::uint32_t k) { return a.columns[k]; });
  }

  /// `a` of somebody is before `b` of the pivot, which comes after `b1`.
  bool may_come_between(const Access& a, const Access& b1, const Access& b,
                        Moment moment) const {
    if (level_ != PivotLevel::ReadCommitted) return false;
    if (b.statement > b1.statement) return true;
    if (b.statement < b1.statement || moment == Moment::Late || !b.is_late())
      return false;
    // The row that is looked for and the one that is met are one.
    const bool is_one_row = !b.is_write() && b.is_keyed && b1.is_keyed &&
                            b.sight == Access::Sight::Target &&
                            b1.sight == Access::Sight::Target;
    return !is_one_row || takes_key_away(a);
  }

  /// Not both write one row for certain; of the pivot only up to a statement,
  /// or, of what it reads early, up to that before.
  Term no_common_write(const Summary& pivot, const Summary& other,
                       std::uint32_t up_to, bool is_early) {
    std::vector<Term> parts;
    for (const Access& a : pivot.accesses) {
      if (!holds_row(a) || a.statement > up_to ||
          (is_early && a.statement == up_to)) {
        continue;
      }
      for (const Access& b : other.accesses) {
        if (!holds_row(b) || a.table != b.table) continue;
        if (!a.is_write() && !b.is_write()) continue;
        std::vector<Term> both = {a.executed, b.executed,
                                  axioms_->same_key(a, a.row, b.row)};
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

  // Questions.

  /// (1), from the read `b1` on.
  Term second_part(const Access& b1, Moment moment, const Summary& second) {
    std::vector<Term> hits;
    for (const Access& w : second.accesses) {
      if (w.is_write() && may_miss_at(moment, b1, w))
        hits.push_back(misses(b1, w, second));
    }
    return terms_.any_of(hits);
  }

  /// (2): the last one misses the pivot, or meets what it does afterwards.
  Term last_part(const Summary& last, const Summary& pivot, const Access& b1,
                 Moment moment) {
    std::vector<Term> hits;
    for (const Access& a : last.accesses) {
      for (const Access& b : pivot.accesses) {
        if (!a.is_write() && b.is_write()) {
          hits.push_back(misses(a, b, pivot));
        } else if (may_come_between(a, b1, b, moment)) {
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
    for (const Access& b1 : pivot.accesses) {
      if (b1.is_write()) continue;
      for (const Moment moment : {Moment::Early, Moment::Late})
        add_case(pivot, b1, moment, second, last, cases);
    }
    std::vector<Term> formula = {terms_.any_of(cases), pivot.facts};
    // At an engine's levels what aborts is not part of any order.
    if (level_ == PivotLevel::Snapshot || has_locks_) {
      formula.push_back(pivot.commits);
    }
    if (terms_.is_false(formula.front())) return false;
    axioms_->add(pivot, pivot, Bond::Same, formula);
    for (const auto& [type, role] :
         {std::pair(second, kSecond), std::pair(last, kLast)}) {
      if (!type) continue;
      const Summary& other = at(*type, role);
      formula.push_back(other.facts);
      if (has_locks_) formula.push_back(other.commits);
      axioms_->add(other, other, Bond::Same, formula);
      const bool is_one_state =
          role == kSecond && level_ == PivotLevel::Snapshot;
      axioms_->add(pivot, other, is_one_state ? Bond::OneState : Bond::None,
                   formula);
    }
    if (second && last) {
      axioms_->add(at(*second, kSecond), at(*last, kLast), Bond::None, formula);
    }
    return ask(terms_.all_of(formula));
  }

  void add_case(const Summary& pivot, const Access& b1, Moment moment,
                std::optional<std::size_t> second,
                std::optional<std::size_t> last, std::vector<Term>& cases) {
    std::uint32_t up_to = b1.statement;  // it wrote or locked before `b1`
    if (level_ == PivotLevel::Snapshot) up_to = ~std::uint32_t{0};
    const bool is_early =
        level_ == PivotLevel::ReadCommitted && moment == Moment::Early;
    std::vector<Term> parts;
    if (second) {
      const Term hit = second_part(b1, moment, at(*second, kSecond));
      if (terms_.is_false(hit)) return;
      parts.push_back(hit);
      parts.push_back(
          no_common_write(pivot, at(*second, kSecond), up_to, is_early));
    }
    if (last) {
      parts.push_back(last_part(at(*last, kLast), pivot, b1, moment));
      parts.push_back(
          no_common_write(pivot, at(*last, kLast), up_to, is_early));
    }
    cases.push_back(terms_.all_of(parts));
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
    const smt::Satisfiability answer = solver_->check();
    solver_->pop();
    if (answer == smt::Satisfiability::Unknown && budget_.spent_now()) {
      has_given_up_ = true;
    }
    return answer != smt::Satisfiability::Unsatisfiable;
  }

  std::string words(std::size_t p, std::size_t second, std::size_t last) const {
    return names_[p] + " reads something that " + names_[second] +
           " overwrites, and " + names_[last] +
           (level_ == PivotLevel::Snapshot
                ? " reads something that " + names_[p] + " overwrites"
                : " depends on the rest of " + names_[p]);
  }

  const sql::Schema schema_;
  const Granularity granularity_;
  const bool has_locks_;
  const Budget& budget_;
  smt::Terms terms_;
  Symbols symbols_;
  std::unique_ptr<smt::Solver> solver_;
  PivotLevel level_ = PivotLevel::Snapshot;
  const std::vector<std::string> names_;
  std::vector<std::vector<Summary>> summaries_;  // by type and role
  std::unique_ptr<TypeFacts> facts_;
  std::unique_ptr<Axioms> axioms_;
  std::vector<Counter> counters_;
  std::uint64_t obligations_ = 0;
  bool has_given_up_ = false;
};

Prover::Prover(const sql::Application& application,
               std::vector<sql::RoutineId> types, Granularity granularity,
               bool has_locks, const Budget& budget)
    : impl_(std::make_unique<Impl>(application, types, granularity, has_locks,
                                   budget)) {}
Prover::Prover(const Program& program, Granularity granularity,
               const Budget& budget)
    : impl_(std::make_unique<Impl>(program, granularity, budget)) {}
Prover::~Prover() = default;

const std::vector<std::string>& Prover::names() const { return impl_->names(); }
std::vector<OpenTriple> Prover::open_triples(PivotLevel level) {
  return impl_->open_triples(level);
}
bool Prover::can_write() { return impl_->can_write(); }
ProofStatistics Prover::statistics() const { return impl_->statistics(); }
bool Prover::has_given_up() const { return impl_->has_given_up(); }

}  // namespace txscope::robust
