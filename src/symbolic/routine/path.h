#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "symbolic/value/term.h"

namespace txscope::symbolic {

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
  /// Why paths were aborted, in the order of time.
  struct Failure {
    std::string code;  ///< SQLSTATE
    smt::Term when;
  };
  std::vector<Failure> failures;

  [[nodiscard]] bool is_dead() const { return t.is_false(alive); }

  /// Paths for which `when` holds end here.
  void stop(smt::Term when, smt::Term& end) {
    end = t.any_of({end, t.all_of({alive, when})});
    alive = t.all_of({alive, t.negation(when)});
  }

  /// Paths for which `when` holds end with an error.
  void fail(smt::Term when, std::string code) {
    const smt::Term now = t.all_of({alive, when});
    if (!t.is_false(now)) failures.push_back({std::move(code), now});
    stop(when, aborted);
  }

  /// What fails aborts the transaction.
  template <class F>
  auto evaluated(F&& evaluate) {
    q.errors.clear();
    q.cut = t.boolean(false);
    q.path = t.boolean(true);
    auto value = evaluate();
    const auto errors = std::move(q.errors);
    q.errors.clear();
    for (const auto& [code, when] : errors) fail(when, code);
    stop(q.cut, cut);
    q.cut = t.boolean(false);
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

}  // namespace txscope::symbolic
