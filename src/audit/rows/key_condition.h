#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/sql/log.h"
#include "model/sql/schema.h"

namespace txscope::audit {

/// The value of an expression that mentions nothing but parameters.
[[nodiscard]] std::optional<sql::Value> constant(const sql::Expr& e,
                                                 const sql::LogStatement& s);

/// Whether a number is a whole one, and which.
[[nodiscard]] bool is_whole(const sql::Value& value);
[[nodiscard]] std::int64_t whole(const sql::Value& value);

/// What a conversion of MariaDB's is of that leaves the whole numbers of its
/// type as they are, or fails; none: it is none.
[[nodiscard]] const sql::Expr* converted_number(const sql::Expr& e);

/// Whether it is this column of the first relation, or a cast of it.
[[nodiscard]] bool is_column(const sql::Expr& e, std::uint32_t column);

[[nodiscard]] std::vector<const sql::Expr*> conjuncts(
    const std::optional<sql::Expr>& where);

/// The primary key, where each of its columns is held equal to a constant; the
/// other conjuncts go to `rest`.
[[nodiscard]] std::optional<sql::Row> key_of(
    const sql::Table& table, const std::optional<sql::Expr>& where,
    const sql::LogStatement& s, std::vector<const sql::Expr*>& rest);

/// Whether a condition holds every column of the primary key equal to what no
/// row decides, and asks for nothing else.
[[nodiscard]] bool wants_one_key(const sql::Table& table,
                                 const std::optional<sql::Expr>& where);

}  // namespace txscope::audit
