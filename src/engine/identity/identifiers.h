#pragma once

#include <vector>

#include "exec/sql/memory/database.h"
#include "model/sql/application.h"

namespace txscope::engine {

/// Values of which it does not matter which they are.
struct Identifiers {
  /// By sequence: its numbers only identify rows.
  std::vector<bool> sequences;
  /// By sequence: texts or the like are made of its numbers.
  std::vector<bool> shown;
  /// By table and column, by session, call and argument: what is there is only
  /// copied, and nobody looks at it.
  std::vector<std::vector<bool>> blank_columns;
  std::vector<std::vector<std::vector<bool>>> blank_arguments;
};

/// Which sequences give numbers that only identify rows, and which arguments
/// are only stored.
///
/// Definition.  Such numbers, and everything they are copied to, are only
/// compared for equality, among themselves or with numbers that the sequence
/// had given, or will never give, when the sessions began.  So a run stays a
/// run if the numbers drawn in it are exchanged for others: it does not matter
/// who got which, and every session may draw from numbers of its own.  Then
/// states that differ by the order of drawing are the same state.
///
/// Method.  What a number may be copied to or compared with is one class
/// (Steensgaard, POPL 1996, without order of statements): columns, variables
/// and results are put together by assignments, equality and foreign keys.  A
/// class is spoilt by anything else that could tell two numbers apart: order,
/// arithmetic, a constant at or beyond the sequence's next number, a second
/// sequence.  The order in which rows are met counts, too, where it can be
/// seen: rows come by their keys.  A text made of a number spoils nothing as
/// long as nobody looks at the text.
[[nodiscard]] Identifiers identifiers_of(const sql::Application& application,
                                         const sql::MemoryDatabase& initial);

/// The sequences alone.
[[nodiscard]] std::vector<bool> identifying_sequences(
    const sql::Application& application, const sql::MemoryDatabase& initial);

}  // namespace txscope::engine
