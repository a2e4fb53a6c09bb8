#pragma once

#include <optional>
#include <vector>

#include "analysis/footprint.h"
#include "robust/proof/summary.h"

namespace txscope::robust {

/// Where the summary of a transaction type stands: under which conditions the
/// statement at hand runs, the routine's variables then, and what was read and
/// written so far.
class TypeRun {
 public:
  TypeRun(const sql::Application& of, Symbols& with)
      : application(of),
        schema(of.schema),
        symbols(with),
        terms(with.terms()),
        alive(terms.boolean(true)),
        returned(terms.boolean(false)),
        aborted(terms.boolean(false)) {
    out.facts = terms.boolean(true);
  }

  const sql::Application& application;
  const sql::Schema& schema;
  analysis::Footprint footprint;  ///< of the whole type
  /// Rows are left out for what others do at the same time.
  bool skips_locked = false;
  Symbols& symbols;
  smt::Terms& terms;
  Summary out;
  std::vector<Symbol> slots;
  smt::Term alive;               ///< the conditions of the branches around
  std::vector<smt::Term> skips;  ///< left by EXIT or CONTINUE, by loop
  smt::Term returned;            ///< over by RETURN, or aborted
  smt::Term aborted;
  std::uint32_t statement = 0;  ///< its number
  std::uint32_t line = 0;

  [[nodiscard]] smt::Term skipped() {
    return terms.any_of({terms.any_of(skips), returned});
  }
  [[nodiscard]] smt::Term executed() {
    return terms.all_of({alive, terms.negation(skipped())});
  }
  void fact(smt::Term formula) {
    out.facts = terms.all_of({out.facts, formula});
  }
  void abort_if(smt::Term condition) {
    const smt::Term now = terms.all_of({executed(), condition});
    aborted = terms.any_of({aborted, now});
    returned = terms.any_of({returned, now});
  }

  /// A row of which nothing is known but what columns and key say.
  [[nodiscard]] SymbolRow row_of(TableId table);
  [[nodiscard]] const std::vector<std::uint32_t>& key_of(TableId table) const;
  /// CHECK constraints do not refuse the row.
  [[nodiscard]] smt::Term is_allowed(TableId table, const SymbolRow& row);

  /// An access by the statement at hand, of which nothing else is known.
  [[nodiscard]] Access access(Access::Kind kind, TableId table);
  /// Rows that are there, and rows that are written, satisfy CHECK.
  void add(Access a);
};

}  // namespace txscope::robust
