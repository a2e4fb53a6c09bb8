#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Aggregates, where they may stand, and what GROUP BY allows.
class Aggregates : public Room {
 public:
  using Room::Room;

  std::optional<Expr> aggregate(const PgQuery__FuncCall& node,
                                std::string_view name, Span at);
  std::optional<Expr> collecting_aggregate(const PgQuery__FuncCall& node,
                                           std::string_view name, Span at);
  void check_grouping(const Query& query);

 private:
  /// The clause that an aggregate stands in, if it may stand there.
  Clause aggregate_clause(const PgQuery__FuncCall& node, Span at);
  Expr aggregate_call(Aggregate aggregate, const PgQuery__FuncCall& node,
                      Span at);
  Expr mysql_average(Aggregate sum, const PgQuery__FuncCall& node, Span at);
  void check_grouped(const Query& query, const Expr& e, std::uint32_t level);
  void check_grouped(const Query& query, const Query& inner,
                     std::uint32_t level);
  [[nodiscard]] bool is_key_grouped(const Query& query,
                                    std::uint32_t relation) const;
};

}  // namespace txscope::sql::analyzer
