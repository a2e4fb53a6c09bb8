#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// OVER: partitions, order and frames.
class Windows : public Room {
 public:
  using Room::Room;

  std::optional<Expr> window_function(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at);
  /// Refuses OVER where it may not stand.
  void check_window(Span at);
  Expr window_call(WindowCall call, Type type, const PgQuery__FuncCall& node,
                   Span at);

 private:
  void window_of(const PgQuery__WindowDef& definition, WindowCall& call);
  const PgQuery__WindowDef& named_window(std::string_view name, Span at);
  void frame(const PgQuery__WindowDef& definition, WindowCall& call);
  Expr frame_offset(const Node& node, const WindowCall& call);
};

}  // namespace txscope::sql::analyzer
