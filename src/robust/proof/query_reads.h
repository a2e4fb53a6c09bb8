#pragma once

#include "analysis/footprint.h"
#include "robust/proof/type_run.h"

namespace txscope::robust {

/// What a statement gives back.
struct Given {
  smt::Term found;
  SymbolRow row;  ///< its first row, if found
};

/// What queries and expressions of a transaction type read, and what is known
/// of their values.
class QueryReads {
 public:
  explicit QueryReads(TypeRun& run)
      : run_(run), symbols_(run.symbols), terms_(run.terms) {}

  /// `rows` are what column names mean.
  [[nodiscard]] Symbol value(const sql::Expr& expr,
                             const std::vector<SymbolRow>* rows = nullptr);
  [[nodiscard]] Symbols::OnQuery on_query();
  Given query(const sql::Query& q, Symbols::Scope outer);
  /// A row that a query may give, without reading it once more.
  [[nodiscard]] SymbolRow some_row(const sql::Query& q);
  /// Code that is not looked into: it may read, and write, any row of the
  /// tables that it names.
  void anything(const analysis::Footprint& of,
                Access::Sight sight = Access::Sight::Snapshot);

  /// The conditions of a query on each of its relations, by their parts.
  struct Conditions {
    std::vector<const sql::Expr*> parts;
    smt::Term whole;
  };
  [[nodiscard]] Conditions conditions(
      const std::vector<const sql::Expr*>& wheres, const Symbols::Scope& scope);
  /// Fills in what a relation's conditions say of its key.
  void key_conditions(const Conditions& all, std::uint32_t relation,
                      const Symbols::Scope& scope, Access& a);
  /// Where `exact` found nothing because of a condition beside the key: the row
  /// that it would have found, as a write may make it.
  void add_unmet(const std::vector<const sql::Expr*>& wheres,
                 const Symbols::Scope& outer, const Access& exact);

 private:
  Given set_query(const sql::Query& q, const Symbols::Scope& outer);
  void add_witness(const sql::Query& q, const Symbols::Scope& outer,
                   const Access& scan);
  [[nodiscard]] SymbolRow fresh_like(const sql::Relation& relation,
                                     std::size_t columns, bool may_lack);
  Symbol subquery(const sql::Expr& expr, const Symbols::Scope& scope);

  TypeRun& run_;
  Symbols& symbols_;
  smt::Terms& terms_;
};

}  // namespace txscope::robust
