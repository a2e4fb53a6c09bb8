#pragma once

#include <cstdint>
#include <utility>

#include "model/sql/routine.h"

namespace txscope::sql {

/// A statement at a place.
[[nodiscard]] PlStatement make(Span at, auto what) {
  PlStatement statement;
  statement.at = at;
  statement.what = std::move(what);
  return statement;
}

/// What a variable holds.
[[nodiscard]] inline Expr slot_value(std::uint32_t slot, Type type, Span at) {
  Expr e;
  e.op = Op::Variable;
  e.type = type;
  e.index = slot;
  e.at = at;
  return e;
}

}  // namespace txscope::sql
