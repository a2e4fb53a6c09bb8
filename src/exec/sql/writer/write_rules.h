#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "exec/sql/query/sql_error.h"

namespace txscope::sql {

/// What a write can break.
enum class Broken : std::uint8_t {
  DuplicateKey,  ///< another row has the key
  Excluded,      ///< EXCLUDE: another row is in the way
  NoParent,      ///< the row that a foreign key names is not there
  HasChildren,   ///< rows still name the one that goes
  SecondChange,  ///< DO UPDATE meets a row of the same statement
};

/// How one product words what is broken: `{key}`, `{table}` and `{child}` stand
/// for names.
struct ErrorText {
  Broken what;
  std::string_view code;
  std::string_view message;
};

/// What a product calls an error of evaluation that PostgreSQL calls
/// `sqlstate`.
struct ErrorCode {
  std::string_view sqlstate;
  std::string_view code;
};

/// What becomes of a foreign key that is INITIALLY DEFERRED.
enum class Deferral : std::uint8_t {
  ToCommit,
  Ignored,  ///< it is looked at like any other
};

/// Where products differ in the order of the steps of a write, and in the names
/// of what goes wrong.  Everything else is the Writer's.
struct WriteRules {
  /// A row is at its primary key: that key is tested before the row is put
  /// there, and a row whose key changes leaves its place first.  Else the row
  /// is put first and then entered into one index after the other.
  bool is_clustered = false;
  /// ON CONFLICT looks for the rows of the keys that it names before anything
  /// is put; else a duplicate is met while keys are entered (IGNORE, ON
  /// DUPLICATE KEY UPDATE).
  bool has_arbiters = true;
  /// Foreign keys are looked at row by row; else when the statement is over.
  bool checks_foreign_keys_by_row = false;
  /// All rows of an INSERT are made, with their numbers, before the first one
  /// is put; else each when its turn comes.
  bool makes_rows_first = false;
  /// A row that ON DUPLICATE KEY UPDATE changes counts twice.
  bool counts_duplicates_twice = false;
  /// UPDATE to the values that are there writes nothing.
  bool skips_equal_rows = false;
  /// Triggers fire as PostgreSQL's do.
  bool fires_triggers = true;
  /// AFTER triggers of a row fire when it has been written, and not for what a
  /// foreign key does to it.
  bool fires_by_row = false;
  /// A statement may have parts that write or lock.
  bool runs_parts = true;
  bool has_merge = true;
  /// A row that ON DELETE SET NULL changes is tested as any other.
  bool checks_emptied_rows = true;
  Deferral deferral = Deferral::ToCommit;
  std::span<const ErrorText> texts;
  std::span<const ErrorCode> codes;
};

/// PostgreSQL's, on rows that are found by number.
[[nodiscard]] const WriteRules& postgresql_rules();

/// Whether a product knows what can be broken here.
[[nodiscard]] bool has_text(const WriteRules& rules, Broken what);
/// The error in the words of a product.
[[nodiscard]] SqlError error_of(const WriteRules& rules, Broken what,
                                std::string_view key, std::string_view table,
                                std::string_view child = {});
/// What PostgreSQL calls an error that a product calls `code`; the code itself
/// if it has no other name.
[[nodiscard]] std::string condition_of(const WriteRules& rules,
                                       std::string_view code);
/// An error of evaluation as the product calls it.
[[nodiscard]] SqlError renamed(const WriteRules& rules, SqlError error);

}  // namespace txscope::sql
