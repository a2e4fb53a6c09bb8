#pragma once

#include <optional>
#include <string>

#include "model/sql/expr.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

struct Catalog;
struct Table;

// PostgreSQL's types and conversions, as far as we have them.

[[nodiscard]] bool is_integer(TypeName type);
[[nodiscard]] bool is_number(TypeName type);
[[nodiscard]] bool is_real(TypeName type);  ///< real, double precision
[[nodiscard]] bool is_text(TypeName type);
[[nodiscard]] bool is_time(TypeName type);  ///< a date or a timestamp

/// The type that a TypeName node names.  serial types are refused: see
/// serial_type().
[[nodiscard]] Type read_type(const Tree& tree, const Catalog& catalog,
                             const PgQuery__TypeName& type);
/// int4range, ..., tstzrange.
[[nodiscard]] std::optional<Type> range_type(std::string_view name);
/// Of smallserial, serial and bigserial the integer type.
[[nodiscard]] std::optional<TypeName> serial_type(
    const PgQuery__TypeName& type);

/// Whether PostgreSQL converts without being told to: smallint to integer to
/// bigint to numeric, varchar to text, date to timestamp, a literal to all.
[[nodiscard]] bool converts(const Type& from, const Type& to);
/// Whether an assignment to a column converts, too: between all numbers, from
/// anything to text, from timestamp to date.
[[nodiscard]] bool assigns(const Type& from, const Type& to);
/// Whether CAST converts.
[[nodiscard]] bool casts(const Type& from, const Type& to);

/// The type of CASE, COALESCE, IN lists, taken one by one from unknown on, is
/// PostgreSQL's select_common_type().  None: they cannot be matched.
[[nodiscard]] std::optional<Type> combined_type(const Type& so_far,
                                                const Type& next);

/// The expression in a type that it converts() to; literals become values of
/// the type.
[[nodiscard]] Expr convert(const Source& source, Expr e, Type to);
/// The same by an explicit CAST, which must exist.
[[nodiscard]] Expr cast(const Source& source, Expr e, Type to);
/// The same as an assignment does it, which must be possible.
[[nodiscard]] Expr assign(const Source& source, Expr e, Type to);
/// A literal whose type nothing has decided is a text.
[[nodiscard]] Expr decided(const Source& source, Expr e);

[[nodiscard]] Expr constant(Value value, Type type, Span at);

/// The type of a table's rows.
[[nodiscard]] Type row_type_of(const Table& table);
/// A field of a row: the field itself where the row is made of its fields.
[[nodiscard]] Expr field_of(Expr row, std::size_t field);
[[nodiscard]] Expr make_row(std::vector<Expr> fields, Type type, Span at);

}  // namespace txscope::sql
