#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/sql/application.h"
#include "smt/terms.h"

namespace txscope::robust {

/// A value of SQL as terms: whether it is NULL, and else an integer.  Texts
/// and decimals are numbered, so only their equality is known.
struct Symbol {
  smt::Term null;
  smt::Term value;
};
using SymbolRow = std::vector<Symbol>;

/// Terms for values and expressions.  What is not understood becomes an
/// unknown: a formula over it has more models than there are runs, so what
/// cannot be satisfied cannot happen.
class Symbols {
 public:
  explicit Symbols(smt::Terms& terms) : terms_(terms) {}

  [[nodiscard]] smt::Terms& terms() { return terms_; }
  [[nodiscard]] Symbol constant(const sql::Value& value);
  [[nodiscard]] Symbol unknown(const std::string& name);
  [[nodiscard]] Symbol null() {
    return {terms_.boolean(true), terms_.integer(0)};
  }
  /// True, as a value of SQL.
  [[nodiscard]] smt::Term is_true(const Symbol& symbol);
  /// Equal as keys are: NULL equals nothing.
  [[nodiscard]] smt::Term equal(const Symbol& a, const Symbol& b);
  /// The same: NULL is the same as NULL.
  [[nodiscard]] smt::Term same(const Symbol& a, const Symbol& b);
  [[nodiscard]] Symbol choose(smt::Term condition, const Symbol& then,
                              const Symbol& otherwise);
  /// A new truth value; a new integer.
  [[nodiscard]] smt::Term flag(const std::string& name);
  [[nodiscard]] smt::Term integer(const std::string& name) {
    return terms_.unknown(name, smt::Bounds{});
  }

  /// What an expression's names stand for.
  struct Scope {
    std::span<const Symbol> slots;
    /// The rows of a query's relations; the last is the innermost query.
    std::vector<std::span<const SymbolRow>> rows;
  };
  /// `on_query` says what a subquery gives.
  using OnQuery = std::function<Symbol(const sql::Expr&, const Scope&)>;
  [[nodiscard]] Symbol of(const sql::Expr& expr, const Scope& scope,
                          const OnQuery& on_query);

 private:
  Symbol boolean(smt::Term null, smt::Term truth) {
    return {null, terms_.as_integer(truth)};
  }
  Symbol logic(const sql::Expr& expr, const Scope& scope,
               const OnQuery& on_query);
  Symbol comparison(const sql::Expr& expr, const Scope& scope,
                    const OnQuery& on_query);
  Symbol arithmetic(const sql::Expr& expr, const Scope& scope,
                    const OnQuery& on_query);
  Symbol choice(const sql::Expr& expr, const Scope& scope,
                const OnQuery& on_query);

  smt::Terms& terms_;
  std::map<std::string, std::int64_t> numbers_;  // of texts and decimals
};

}  // namespace txscope::robust
