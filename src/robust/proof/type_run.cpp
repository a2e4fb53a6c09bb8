#include "robust/proof/type_run.h"

namespace txscope::robust {

using smt::Term;

SymbolRow TypeRun::row_of(TableId table) {
  SymbolRow row;
  for (const auto& column : schema.at(table).columns) {
    Symbol s = symbols.unknown(column.name);
    if (!column.is_nullable) s.null = terms.boolean(false);
    row.push_back(s);
  }
  for (const std::uint32_t k : key_of(table)) {
    row[k].null = terms.boolean(false);
  }
  return row;
}

const std::vector<std::uint32_t>& TypeRun::key_of(TableId table) const {
  static const std::vector<std::uint32_t> none;
  const auto& t = schema.at(table);
  return t.has_primary_key ? t.unique.front().columns : none;
}

Term TypeRun::is_allowed(TableId table, const SymbolRow& row) {
  std::vector<Term> all;
  const std::vector<SymbolRow> rows = {row};
  Symbols::Scope scope;
  scope.rows.emplace_back(rows);
  const auto on_query = [this](const sql::Expr&, const Symbols::Scope&) {
    return symbols.unknown("function");
  };
  for (const sql::Check& check : schema.at(table).checks) {
    const Symbol holds = symbols.of(check.condition, scope, on_query);
    all.push_back(terms.any_of({holds.null, symbols.is_true(holds)}));
  }
  return terms.all_of(all);
}

Access TypeRun::access(Access::Kind kind, TableId table) {
  Access a;
  a.kind = kind;
  a.table = table;
  a.columns.resize(schema.at(table).columns.size());
  a.executed = executed();
  a.holds = a.key_holds = terms.boolean(true);
  a.found = symbols.flag("found");
  a.statement = statement;
  a.line = line;
  return a;
}

void TypeRun::add(Access a) {
  if (!schema.at(a.table).checks.empty()) {
    const Term before = is_allowed(a.table, a.row);
    if (a.kind == Access::Kind::Insert) {
      a.executed = terms.all_of({a.executed, before});
    } else {
      a.holds = terms.all_of({a.holds, before});
    }
    if (a.kind == Access::Kind::Update) {
      a.executed = terms.all_of({a.executed, is_allowed(a.table, a.after)});
    }
  }
  if (a.is_exact) fact(terms.implies(a.found, a.holds));
  out.accesses.push_back(std::move(a));
}

}  // namespace txscope::robust
