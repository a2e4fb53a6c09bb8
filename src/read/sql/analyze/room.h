#pragma once

#include <vector>

#include "read/sql/analyze/name_scope.h"

namespace txscope::sql::analyzer {

struct Rooms;

/// One noun of the analysis; it knows what is named and the other rooms.
class Room {
 public:
  Room(Rooms& all, NameScope& scope) : all_(all), scope_(scope) {}

 protected:
  [[nodiscard]] const Source& source() const { return scope_.source(); }
  [[nodiscard]] OpenQuery& level() { return scope_.level(); }

  Rooms& all_;
  NameScope& scope_;
};

[[nodiscard]] Expr make(Op op, Type type, std::vector<Expr> args, Span at);
[[nodiscard]] Expr make_builtin(Builtin function, Type type,
                                std::vector<Expr> args, Span at);

}  // namespace txscope::sql::analyzer
