#pragma once

#include <set>
#include <vector>

#include "verify/sql/sql_term.h"

namespace txscope::sql {

/// Where a call stands, all its paths side by side: when the statement at hand
/// runs, the routine's variables then, and how paths have ended so far.
struct SymbolicPath {
  explicit SymbolicPath(SqlTerms& terms)
      : q(terms),
        t(terms.t),
        alive(t.boolean(true)),
        aborted(t.boolean(false)),
        cut(t.boolean(false)),
        beyond(t.boolean(false)) {}

  SqlTerms& q;
  smt::Terms& t;
  smt::Term alive;
  smt::Term aborted;
  smt::Term cut;
  smt::Term beyond;
  std::set<std::uint32_t> open_tables;  ///< with keys that depend on inputs
  std::vector<SqlTerm> slots;
  Span at;  ///< of the statement

  [[nodiscard]] bool is_dead() const { return t.is_false(alive); }

  /// Paths for which `when` holds end here.
  void stop(smt::Term when, smt::Term& end) {
    end = t.any_of({end, t.all_of({alive, when})});
    alive = t.all_of({alive, t.negation(when)});
  }

  /// What fails aborts the transaction.
  template <class F>
  auto evaluated(F&& evaluate) {
    q.error = t.boolean(false);
    q.path = t.boolean(true);
    auto value = evaluate();
    const smt::Term error = q.error;
    q.error = t.boolean(false);
    stop(error, aborted);
    return value;
  }

  [[nodiscard]] GuardedRow choose(smt::Term condition, const GuardedRow& then,
                                  const GuardedRow& otherwise) {
    GuardedRow out;
    out.present = t.choose(condition, then.present, otherwise.present);
    for (std::size_t c = 0; c < then.columns.size(); ++c) {
      out.columns.push_back(
          q.choose(condition, then.columns[c], otherwise.columns[c]));
    }
    return out;
  }
};

}  // namespace txscope::sql
