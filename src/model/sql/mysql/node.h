#pragma once

#include <utility>
#include <vector>

#include "model/sql/expr.h"
#include "model/sql/mysql/function.h"
#include "model/sql/mysql/types.h"

namespace txscope::sql::mysql {

// What typed expressions are made with.

[[nodiscard]] inline Expr node(Op op, Type type, std::vector<Expr> args,
                               Span at) {
  Expr e;
  e.op = op;
  e.type = type;
  e.args = std::move(args);
  e.at = at;
  return e;
}

[[nodiscard]] inline Expr builtin(Function function, Type type,
                                  std::vector<Expr> args, Span at) {
  Expr e = node(Op::Builtin, type, std::move(args), at);
  e.index = static_cast<std::uint32_t>(function);
  return e;
}

[[nodiscard]] inline Expr constant(Value value, Type type, Span at) {
  Expr e = node(Op::Constant, type, {}, at);
  e.value = value;
  return e;
}

inline const Type kBigInt = integer_type(8);
inline const Type kBigUnsigned = integer_type(8, true);

}  // namespace txscope::sql::mysql
