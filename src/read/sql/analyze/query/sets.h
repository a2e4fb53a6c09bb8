#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

struct CommonTable {
  std::string name;
  std::shared_ptr<const Query> query;
  std::vector<std::string> columns;
  /// Of a name that its own query uses: how often, and how many expressions
  /// are around that.
  std::uint32_t uses = 0;
  std::uint32_t links = 0;
};

/// WITH, VALUES, UNION and the other operations on whole queries.
class Sets : public Room {
 public:
  using Room::Room;

  /// How many names it adds; they go when the statement or query ends.
  std::size_t open_with(const PgQuery__WithClause* with);
  void close_with(std::size_t count) {
    common_tables_.resize(common_tables_.size() - count);
  }
  std::optional<std::uint32_t> add_named_query(Query& query,
                                               const PgQuery__RangeVar& node);
  std::uint32_t add_query(Query& query, std::shared_ptr<const Query> inner,
                          RelationNames names, std::vector<std::string> columns,
                          const PgQuery__Alias* alias, Span at,
                          bool is_lateral);
  std::shared_ptr<Query> set_operation(const PgQuery__SelectStmt& node);
  void check_recursive(const Query& query);

 private:
  std::shared_ptr<Query> combined_query(const PgQuery__SelectStmt& node);
  /// Makes one of the parts of a set, which get its types.
  void match_parts(Query& set, Query& a, Query& b);
  /// A query of WITH RECURSIVE: name and columns, as far as they are given.
  void open_recursive(const PgQuery__CommonTableExpr& cte);
  /// Its second part, which may name it.
  std::shared_ptr<Query> recursive_part(const PgQuery__SelectStmt& node,
                                        CommonTable table, Query& set,
                                        const Query& first);
  void use_recursive(CommonTable& table, Span at);
  std::shared_ptr<Query> values_query(const PgQuery__SelectStmt& node);

  std::vector<CommonTable> common_tables_;  // of WITH, innermost last
  std::optional<CommonTable> recursive_;    // whose UNION comes next
  std::uint32_t recursions_ = 0;
};

}  // namespace txscope::sql::analyzer
