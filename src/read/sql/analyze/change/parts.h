#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Statements inside of a statement that run by themselves.
class Parts : public Room {
 public:
  using Room::Room;

  /// The rows of the part that `node` is; made if it is new.
  std::shared_ptr<Query> part(const Node& node, Span at,
                              std::uint64_t max_rows);
  /// The same as a query that may stand anywhere.
  std::shared_ptr<Query> part_query(const Node& node, Span at,
                                    std::uint64_t max_rows);
  /// Puts the parts into the order in which they run.
  void finish_parts(DbStatement& statement);
  void look_at_part(const Query* rows);
  DbStatement change(const Node& node);

 private:
  // Of the statement or part that is being read.
  std::vector<std::size_t> sources_;
};

}  // namespace txscope::sql::analyzer
