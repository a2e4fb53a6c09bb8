#pragma once

#include "exec/sql/query/halt.h"
#include "model/sql/type.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

enum class CastContext : unsigned char {
  Explicit,    ///< cuts a text that is too long for its varchar
  Assignment,  ///< an error then (22001), unless only spaces are lost
};

/// A value as one of another type; NULL stays NULL.  Bad text is 22P02 (22007,
/// 22008 for dates), a number out of range 22003.
[[nodiscard]] Value cast(const Value& value, const Type& type,
                         CastContext context, Halt& halt);

/// Whether values of this kind are of the type as they are.
[[nodiscard]] bool needs_cast(const Value& value, const Type& type);

/// 22003 if an integer does not fit into the type.
[[nodiscard]] Value fit_integer(std::int64_t value, TypeName type, Halt& halt);

}  // namespace txscope::sql
