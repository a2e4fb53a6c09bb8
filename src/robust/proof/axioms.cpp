#include "robust/proof/axioms.h"

#include <algorithm>

namespace txscope::robust {

using smt::Term;

namespace {

/// Whether an exact access knows if its row was there; by then it was.
Term is_there(const Access& a, smt::Terms& terms) {
  return a.kind == Access::Kind::Insert ? a.executed : terms.all_of({a.found});
}

}  // namespace

Term Axioms::same_key(const Access& a, const SymbolRow& x, const SymbolRow& y) {
  std::vector<Term> parts;
  for (const std::uint32_t k : facts_.key_of(a.table)) {
    parts.push_back(symbols_.equal(x[k], y[k]));
  }
  return terms_.all_of(parts);  // hidden keys: perhaps
}

void Axioms::add(const Summary& x, const Summary& y, Bond bond,
                 std::vector<Term>& to) {
  const bool is_same = bond == Bond::Same;
  for (std::size_t i = 0; i < x.accesses.size(); ++i) {
    const Access& a = x.accesses[i];
    if (!a.is_exact) continue;
    for (std::size_t j = is_same ? i + 1 : 0; j < y.accesses.size(); ++j) {
      const Access& b = y.accesses[j];
      if (!b.is_exact || a.table != b.table) continue;
      add_pair(a, b, bond, to);
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
void Axioms::add_parents(const Summary& x, const Summary& y,
                         std::vector<Term>& to) {
  for (const Access& a : x.accesses) {
    if (!a.is_exact) continue;
    for (const auto& foreign : facts_.schema.at(a.table).foreign) {
      if (!facts_.is_static[foreign.parent.index]) continue;
      for (const Access& b : y.accesses) {
        if (!b.is_exact || b.is_conditional || b.table != foreign.parent)
          continue;
        std::vector<Term> parts = {a.kind == Access::Kind::Insert
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

Term Axioms::agree(const Access& a, const Access& b) {
  std::vector<Term> parts;
  if (!b.is_conditional) parts.push_back(terms_.implies(a.found, b.found));
  if (!a.is_conditional) parts.push_back(terms_.implies(b.found, a.found));
  return terms_.all_of(parts);
}

void Axioms::add_pair(const Access& a, const Access& b, Bond bond,
                      std::vector<Term>& to) {
  const std::size_t t = a.table.index;
  std::vector<Term> follows;
  const Term both = terms_.all_of({is_there(a, terms_), is_there(b, terms_)});
  const auto sees_state = [](const Access& x) {
    return x.sees_state && x.kind != Access::Kind::Insert;
  };
  const bool is_one_view =
      bond != Bond::None && has_one_view_ && sees_state(a) && sees_state(b);
  if (facts_.is_static[t] || is_one_view) follows.push_back(agree(a, b));
  for (std::size_t c = 0; c < a.row.size(); ++c) {
    const bool is_constant = !facts_.has_deletes[t] && !facts_.is_updated[t][c];
    if (!is_constant && !is_one_view) continue;
    follows.push_back(terms_.implies(both, symbols_.same(a.row[c], b.row[c])));
  }
  if (follows.empty()) return;
  to.push_back(
      terms_.implies(same_key(a, a.row, b.row), terms_.all_of(follows)));
}

}  // namespace txscope::robust
