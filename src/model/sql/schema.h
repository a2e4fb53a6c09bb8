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

/// One value that an index holds of a row, and how it is compared with that of
/// another row.
struct KeyPart {
  enum class With : std::uint8_t { Equal, NotEqual, Overlaps };
  Expr value;  ///< over relation 0, the row
  With with = With::Equal;
};

/// PRIMARY KEY, UNIQUE or EXCLUDE.  Rows with a NULL in it do not conflict.
struct UniqueKey {
  std::string name;  ///< as PostgreSQL names it: accounts_pkey
  std::vector<std::uint32_t> columns;
  /// Of a partial index: only rows for which it is true are in it; over
  /// relation 0, the row.
  std::optional<Expr> where = {};
  std::vector<std::uint32_t> condition_columns = {};  ///< that it looks at
  /// Of an index on expressions, and of EXCLUDE: two rows conflict if all parts
  /// do; `columns` are those that they look at.  None: the columns are equal.
  std::vector<KeyPart> parts = {};
  bool is_exclusion = false;
  /// DEFERRABLE: looked at when the statement is over, or, with INITIALLY
  /// DEFERRED, by COMMIT.
  bool is_deferrable = false;
  bool is_deferred = false;

  /// Neither names a row nor can be referred to.
  [[nodiscard]] bool is_partial() const { return where || !parts.empty(); }
  /// For a message.
  [[nodiscard]] const char* what() const {
    return is_exclusion     ? "an EXCLUDE constraint"
           : !parts.empty() ? "a unique index on expressions"
           : where          ? "a partial unique index"
                            : "a unique key";
  }
};

/// Of ON DELETE and ON UPDATE.
enum class OnDelete : std::uint8_t { NoAction, Cascade, SetNull };

struct ForeignKey {
  std::string name;
  std::vector<std::uint32_t> columns;
  TableId parent;
  std::vector<std::uint32_t> parent_columns;  ///< a unique key of the parent
  OnDelete on_delete = OnDelete::NoAction;
  Span at;
  OnDelete on_update = OnDelete::NoAction;
  /// RESTRICT: NoAction that is never deferred, and takes no other row instead.
  bool restricts_delete = false;
  bool restricts_update = false;
  bool is_deferrable = false;
  /// INITIALLY DEFERRED: COMMIT looks whether rows name a row that is there;
  /// what CASCADE and SET NULL do they do at once.
  bool is_deferred = false;
};

/// CREATE TRIGGER, of a table.
struct Trigger {
  std::string name;
  /// Its function, made for this table: slots as TriggerSlots has them.
  std::uint32_t routine = 0;
  bool is_before = false;
  bool is_row = false;
  bool on_insert = false;
  bool on_update = false;
  bool on_delete = false;
  std::vector<std::uint32_t> columns;  ///< UPDATE OF; empty: any
  bool has_transition = false;         ///< REFERENCING ... TABLE
  bool is_deferrable = false;          ///< of a constraint trigger
  bool is_deferred = false;
  /// Statements of the setup before this one came before CREATE TRIGGER.
  std::size_t since_setup = 0;
  /// From which statement of the setup to before which it is switched off; the
  /// sessions come after all of them.
  struct Off {
    std::size_t from = 0;
    std::size_t to = kForever;
  };
  static constexpr std::size_t kForever = static_cast<std::size_t>(-1);
  std::vector<Off> off = {};
  Span at;

  /// Whether it fires in that statement of the setup (kForever: of a session).
  [[nodiscard]] bool is_on(std::size_t position) const {
    if (since_setup > position) return false;
    for (const Off& each : off)
      if (each.from <= position && (position < each.to || each.to == kForever))
        return false;
    return true;
  }
};

/// The slots of a trigger's function: where OLD and NEW begin, one slot per
/// column; what it returned (0: NULL, 1: NEW, 2: OLD); TG_OP.
struct TriggerSlots {
  std::uint32_t operation = 1;
  std::uint32_t result = 2;
  std::uint32_t new_row = 3;
  [[nodiscard]] std::uint32_t old_row(std::size_t columns) const {
    return new_row + static_cast<std::uint32_t>(columns);
  }
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
  std::vector<Trigger> triggers;  ///< by name, as they fire
  /// EXCLUDE, and CREATE UNIQUE INDEX on expressions or with WHERE.
  std::vector<UniqueKey> partial;
  /// Columns that indexes which are not unique look at in expressions and
  /// conditions.
  std::vector<std::uint32_t> watched = {};

  /// All unique keys, the partial ones last.
  [[nodiscard]] std::size_t key_count() const {
    return unique.size() + partial.size();
  }
  [[nodiscard]] const UniqueKey& key_at(std::size_t k) const {
    return k < unique.size() ? unique[k] : partial[k - unique.size()];
  }
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
