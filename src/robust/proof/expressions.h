#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/sql/application.h"

namespace txscope::robust {

/// The parts that AND ties together.
void split(const sql::Expr& expr, std::vector<const sql::Expr*>& to);

/// Collects which columns of relation `relation`, `level` queries out, an
/// expression or a query names.
void note_columns(const sql::Expr& expr, std::uint32_t level,
                  std::uint32_t relation, std::vector<bool>& to);
void note_columns(const sql::Query& query, std::uint32_t level,
                  std::uint32_t relation, std::vector<bool>& to);

/// The conditions that keep rows of a query's relations away.
[[nodiscard]] std::vector<const sql::Expr*> wheres_of(const sql::Query& query);

/// SELECT min(column) FROM table WHERE ..., or max, and nothing else.
struct ExtremeKind {
  bool is_min = true;
  std::uint32_t column = 0;
};
[[nodiscard]] std::optional<ExtremeKind> extreme_of(const sql::Query& query);

/// Whether an expression names columns of one relation's key alone, and no
/// subquery.
[[nodiscard]] bool is_about_key(const sql::Expr& expr, std::uint32_t relation,
                                const std::vector<std::uint32_t>& key);

/// `column = something without columns of this query`: which column, or none.
[[nodiscard]] std::optional<std::uint32_t> fixed_column(const sql::Expr& expr,
                                                        std::uint32_t relation);

/// Slots that a block may assign.
void note_assigned(const sql::PlBlock& block, std::set<std::uint32_t>& to);

}  // namespace txscope::robust
