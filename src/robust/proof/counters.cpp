#include "robust/proof/counters.h"

#include <algorithm>
#include <set>

#include "exec/sql/memory/database.h"

namespace txscope::robust {

using smt::Term;

void Counters::find() {
  if (!application_.open_columns.empty()) return;  // the setup tells too little
  std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
  for (const auto& roles : summaries_) {
    for (const Access& a : roles.front().accesses) {
      if (a.extreme && a.extreme->is_min) {
        wanted.insert({a.table.index, a.extreme->column});
      }
    }
  }
  for (const auto& [table, column] : wanted) {
    if (facts_.is_updated[table][column]) continue;
    for (std::size_t d = 0; d < facts_.schema.tables.size(); ++d) {
      const std::size_t keys = facts_.key_of(TableId(d)).size();
      if (d == table || keys == 0 || keys > 2 || !facts_.is_static[d]) continue;
      for (std::uint32_t m = 0; m < facts_.is_updated[d].size(); ++m) {
        if (facts_.is_updated[d][m])
          try_counter(TableId(table), column, TableId(d), m);
      }
    }
  }
}

void Counters::try_counter(TableId table, std::uint32_t column, TableId by,
                           std::uint32_t m) {
  const auto n =
      static_cast<std::uint32_t>(facts_.schema.at(table).columns.size());
  const std::size_t keys = facts_.key_of(by).size();
  for (std::uint32_t first = 0; first < n; ++first) {
    for (std::uint32_t second = 0; second < (keys == 2 ? n : 1); ++second) {
      Counter counter{table, column, {first}};
      if (keys == 2) counter.map.push_back(second);
      const bool stays =
          std::none_of(counter.map.begin(), counter.map.end(), [&](auto c) {
            return facts_.is_updated[table.index][c] || c == column;
          });
      if (!stays || !is_true_at_start(counter, by, m)) continue;
      if (!is_kept(counter, by, m)) continue;
      found_.push_back(std::move(counter));
      return;
    }
  }
}

bool Counters::is_true_at_start(const Counter& counter, TableId by,
                                std::uint32_t m) {
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
      const auto& key = facts_.key_of(by);
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
bool Counters::is_kept(const Counter& counter, TableId by, std::uint32_t m) {
  axioms_.set_one_view(true);
  bool inserts = false;
  for (const auto& roles : summaries_) {
    const Summary& type = roles.front();
    std::vector<Term> known = {type.facts, type.commits};
    axioms_.add(type, type, Bond::Same, known);
    const Term always = terms_.all_of(known);
    for (const Access& a : type.accesses) {
      if (a.table == by && a.kind == Access::Kind::Update && a.columns[m]) {
        const Term stays = terms_.all_of(
            {terms_.negation(a.row[m].null), terms_.negation(a.after[m].null),
             terms_.less_equal(a.row[m].value, a.after[m].value)});
        if (ask_(terms_.all_of(
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
        const auto& key = facts_.key_of(by);
        for (std::size_t k = 0; k < key.size(); ++k) {
          parts.push_back(symbols_.equal(a.row[counter.map[k]], d.row[key[k]]));
        }
        counted.push_back(terms_.all_of(parts));
      }
      if (ask_(terms_.all_of(
              {always, a.executed, terms_.negation(terms_.any_of(counted))}))) {
        return false;
      }
    }
  }
  return inserts;
}

}  // namespace txscope::robust
