#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sql/expr.h"

namespace txscope::sql {

struct Column {
  std::string name;
  Type type;
  bool is_nullable = true;
  std::optional<Expr> default_value;      ///< without columns or subqueries
  std::optional<std::uint32_t> sequence;  ///< serial, identity: its sequence
  bool is_always_generated = false;       ///< GENERATED ALWAYS AS IDENTITY
  Span at;
};

/// PRIMARY KEY or UNIQUE.  Rows with a NULL in it do not conflict.
struct UniqueKey {
  std::string name;  ///< as PostgreSQL names it: accounts_pkey
  std::vector<std::uint32_t> columns;
};

enum class OnDelete : std::uint8_t { NoAction, Cascade, SetNull };

struct ForeignKey {
  std::string name;
  std::vector<std::uint32_t> columns;
  TableId parent;
  std::vector<std::uint32_t> parent_columns;  ///< a unique key of the parent
  OnDelete on_delete = OnDelete::NoAction;    ///< RESTRICT is NoAction, too
  Span at;
};

struct Check {
  std::string name;
  Expr condition;  ///< over relation 0, the row; NULL passes
  Span at;
};

/// A table.  A row's identity is its primary key if there is one, else a hidden
/// number.
struct Table {
  std::string name;
  std::vector<Column> columns;
  /// The primary key, if there is one, is the first of `unique`.
  bool has_primary_key = false;
  std::vector<UniqueKey> unique;
  /// Indexes that are not unique, by their columns: they change no answer, but
  /// InnoDB locks what it finds through them.
  std::vector<std::vector<std::uint32_t>> indexes;
  std::vector<ForeignKey> foreign;
  std::vector<Check> checks;
  Span at;
};

/// Numbers for serial and identity columns.  What was taken stays taken, even
/// by a transaction that aborts.
struct Sequence {
  std::string name;
  std::int64_t start = 1;
  std::int64_t increment = 1;
};

struct Schema {
  std::vector<Table> tables;
  std::vector<Sequence> sequences;

  [[nodiscard]] const Table& at(TableId t) const { return tables[t.index]; }
};

}  // namespace txscope::sql
