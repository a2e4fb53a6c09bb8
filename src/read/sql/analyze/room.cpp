#include "read/sql/analyze/room.h"

#include <utility>

namespace txscope::sql::analyzer {

Expr make(Op op, Type type, std::vector<Expr> args, Span at) {
  Expr e;
  e.op = op;
  e.type = type;
  e.args = std::move(args);
  e.at = at;
  return e;
}

Expr make_builtin(Builtin function, Type type, std::vector<Expr> args,
                  Span at) {
  Expr e = make(Op::Builtin, type, std::move(args), at);
  e.index = static_cast<std::uint32_t>(function);
  return e;
}

}  // namespace txscope::sql::analyzer
