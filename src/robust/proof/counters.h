#pragma once

#include <functional>
#include <vector>

#include "base/budget.h"
#include "robust/proof/axioms.h"

namespace txscope::robust {

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

/// Finds them: candidates by their shape, each proved type by type.
class Counters {
 public:
  /// Whether a formula may be satisfiable.
  using Ask = std::function<bool(smt::Term)>;

  Counters(const sql::Application& application, Symbols& symbols,
           const TypeFacts& facts, Axioms& axioms,
           const std::vector<std::vector<Summary>>& summaries, Ask ask,
           const Budget& budget)
      : application_(application),
        symbols_(symbols),
        terms_(symbols.terms()),
        facts_(facts),
        axioms_(axioms),
        summaries_(summaries),
        ask_(std::move(ask)),
        budget_(budget) {}

  void find();
  [[nodiscard]] const std::vector<Counter>& found() const { return found_; }

 private:
  void try_counter(TableId table, std::uint32_t column, TableId by,
                   std::uint32_t m);
  [[nodiscard]] bool is_true_at_start(const Counter& counter, TableId by,
                                      std::uint32_t m);
  [[nodiscard]] bool is_kept(const Counter& counter, TableId by,
                             std::uint32_t m);

  const sql::Application& application_;
  Symbols& symbols_;
  smt::Terms& terms_;
  const TypeFacts& facts_;
  Axioms& axioms_;
  const std::vector<std::vector<Summary>>& summaries_;
  const Ask ask_;
  const Budget& budget_;
  std::vector<Counter> found_;
};

}  // namespace txscope::robust
