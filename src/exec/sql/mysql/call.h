#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exec/sql/query/halt.h"
#include "model/sql/expr.h"
#include "model/sql/mysql/function.h"

namespace txscope::sql::mysql {

/// The value of an Op::Builtin of mysql::Function for these values of its
/// operands.  Each family of functions has a file of its own.
[[nodiscard]] Value call(const Expr& e, std::span<const Value> args,
                         Halt& halt);

// Of one family.
[[nodiscard]] Value number_call(const Expr& e, std::span<const Value> args,
                                Halt& halt);
[[nodiscard]] Value text_call(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value time_call(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value json_call(const Expr& e, std::span<const Value> args,
                              Halt& halt);

}  // namespace txscope::sql::mysql
