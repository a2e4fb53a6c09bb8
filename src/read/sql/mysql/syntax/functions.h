#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// Calls of functions, and the words that are called like ones.
class Functions : public Room {
 public:
  using Room::Room;

  Node* function();
  /// A name, which may turn out to be that of a column, or a call.
  Node* function_call(std::string name, std::int32_t where);
  PgQuery__WindowDef* window();
  /// DAY, HOUR_MINUTE, ...: as the Analyzer is told it.
  std::string unit();

 private:
  std::optional<Node*> special_function(std::string_view name,
                                        std::int32_t where);
  std::optional<Node*> special_argument(std::string_view name,
                                        std::int32_t where);
  Node* aggregate(std::string_view name, std::int32_t where);
  Node* over(PgQuery__FuncCall* call);
  void frame_bound(PgQuery__WindowDef& window, bool is_end);
  Node* now(PgQuery__SQLValueFunctionOp what, std::int32_t where);
};

}  // namespace txscope::sql::syntax
