#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Calls of the file's own routines.
class Calls : public Room {
 public:
  using Room::Room;

  Expr own_function(const PgQuery__FuncCall& node, const Signature& function,
                    Span at);
  void check_runs(const Signature& routine) const;
  /// The routine of the file that a call means; none has the name: null.
  [[nodiscard]] const Signature* meant(const PgQuery__FuncCall& call);
  /// The arguments of a call, one per parameter: converted, defaults filled in,
  /// OUT parameters of a function NULL.
  /// Those that stand at an offset in `open` are of the parameter's type.
  [[nodiscard]] std::vector<Expr> arguments(
      const PgQuery__FuncCall& call, const Signature& routine,
      const std::set<std::size_t>& open = {});

 private:
  /// The type of an expression, which is not kept.
  Type type_of(const Node& node);
};

}  // namespace txscope::sql::analyzer
