#pragma once

#include <span>

#include "exec/sql/query/halt.h"
#include "model/sql/builtin.h"
#include "model/sql/expr.h"

namespace txscope::sql {

/// Texts are kept for the life of the process.
inline constexpr std::size_t kLongestText = std::size_t{1} << 20;

/// The value of an Op::Builtin for these values of its operands.  Each family
/// of functions has a file of its own.
[[nodiscard]] Value call_builtin(const Expr& e, std::span<const Value> args,
                                 Halt& halt);

[[nodiscard]] Value call_regular(const Expr& e, std::span<const Value> args,
                                 Halt& halt);
[[nodiscard]] Value call_text(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value call_number(const Expr& e, std::span<const Value> args,
                                Halt& halt);
[[nodiscard]] Value call_time(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value call_json(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value call_array(const Expr& e, std::span<const Value> args,
                               Halt& halt);

[[nodiscard]] Value call_json_path(const Expr& e, std::span<const Value> args,
                                   Halt& halt);
[[nodiscard]] Value call_bytes(const Expr& e, std::span<const Value> args,
                               Halt& halt);
[[nodiscard]] Value call_row(const Expr& e, std::span<const Value> args);
/// to_char(number, format)
[[nodiscard]] Value format_number(const Value& number,
                                  const std::string& format, Halt& halt);
[[nodiscard]] Value make_time(const Expr& e, std::span<const Value> args,
                              Halt& halt);
[[nodiscard]] Value call_range(const Expr& e, std::span<const Value> args,
                               Halt& halt);

}  // namespace txscope::sql
