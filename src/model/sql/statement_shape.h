#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace txscope::sql {

/// A column as a statement names it; the table may be unknown ("").
struct NamedColumn {
  std::string table;
  std::string column;
  friend auto operator<=>(const NamedColumn&, const NamedColumn&) = default;
};

/// A literal of a statement, or a parameter whose value nobody knows.
struct LiteralSlot {
  enum class Role : std::uint8_t {
    Equals,    ///< rows are looked for by it: id = 5, id IN (5, 6)
    Compared,  ///< stock >= 3
    Assigned,  ///< SET stock = 5
    Inserted,  ///< VALUES (5)
    Computed,  ///< SET stock = stock - 3
    Other,
  };
  std::uint32_t offset = 0;  ///< in StatementShape::text
  std::uint32_t length = 0;
  Role role = Role::Other;
  NamedColumn column;  ///< that it meets; may be unknown
  std::string value;   ///< without quotes
  bool is_text = false;
  bool is_null = false;
  bool is_unknown = false;  ///< a $1 without a value
  std::uint32_t row = 0;    ///< of Inserted: of which row of VALUES
};

struct TableUse {
  std::string name;
  std::string alias;  ///< what the statement calls it
  bool is_written = false;
  bool is_locked = false;  ///< FOR UPDATE and the like
};

/// What a statement is about, as far as its text alone tells, without a schema.
struct StatementShape {
  enum class Kind : std::uint8_t {
    Selects,
    Inserts,
    Updates,
    Deletes,
    Begin,
    Commit,
    Rollback,
    Savepoint,
    RollbackTo,
    Release,
    Autocommit,    ///< SET autocommit = 1; a transaction ends
    NoAutocommit,  ///< SET autocommit = 0
    SetsLevel,     ///< SET TRANSACTION ISOLATION LEVEL `name`
    CreateTable,
    Calls,       ///< of a routine: CALL p(..), SELECT f(..)
    Nothing,     ///< SET NAMES, SHOW: no table is touched
    Unreadable,  ///< nobody could read it; `problem` says why
  };
  Kind kind = Kind::Nothing;
  std::string text;     ///< in PostgreSQL's words, without comments around it
  std::string print;    ///< the same for all that differ in literals only
  std::string name;     ///< of a savepoint; of Begin, SetsLevel: a level
  std::string problem;  ///< of Unreadable
  std::vector<LiteralSlot> slots;  ///< in the order of the text
  std::vector<TableUse> tables;
  std::vector<NamedColumn> reads;  ///< column "*": all of them
  std::vector<NamedColumn>
      writes;  ///< of Update: what is SET; of Insert: columns
  /// Columns that are compared with one another: a.id = b.a_id.
  std::vector<std::pair<NamedColumn, NamedColumn>> joins;
  /// Targets of a SELECT that are nothing but columns, in order; empty where
  /// one is not.
  std::vector<NamedColumn> targets;
  /// One table, no subquery, no set operation, nothing but AND between its
  /// conditions.
  bool is_plain = false;
  /// Where the first FROM, ON CONFLICT and RETURNING outside of parentheses
  /// begin; 0: there is none.
  std::uint32_t from = 0;
  std::uint32_t on_conflict = 0;
  std::uint32_t returning = 0;
  bool has_aggregate = false;
  bool returns = false;  ///< RETURNING, or a SELECT

  [[nodiscard]] bool is_write() const {
    return kind == Kind::Inserts || kind == Kind::Updates ||
           kind == Kind::Deletes;
  }
};

}  // namespace txscope::sql
