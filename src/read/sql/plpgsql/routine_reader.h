#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "read/sql/plpgsql/routine_builder.h"

namespace txscope::sql {

/// CREATE FUNCTION or PROCEDURE: first what callers have to know, then, when
/// all routines are known, the body.
struct RoutineText {
  Signature signature;
  bool is_plpgsql = false;
  bool is_mysql = false;
  /// Of MySQL: the same routine, for calls inside of a transaction.
  bool is_twin = false;
  std::optional<SearchPath> path;  ///< SET search_path
  Span body;                       ///< between the quotes
  Tokens tokens;
};

/// SET of it changes no value that a statement can see.
[[nodiscard]] bool is_idle_setting(std::string_view name);

/// SET search_path TO ...; nothing: another setting.
[[nodiscard]] std::optional<SearchPath> search_path_of(
    const PgQuery__VariableSetStmt& node);

[[nodiscard]] RoutineText read_signature(const Tree& tree,
                                         const Catalog& catalog);
/// Of RETURNS table: the row as the table has it now.
void settle_row(const Catalog& catalog, Signature& signature);

/// The one query that a function is; none: it is something else.
[[nodiscard]] std::shared_ptr<const Tree> query_of(const Source& source,
                                                   const RoutineText& text);

/// Marks the routines that touch tables, or draw numbers, themselves or through
/// others, as they are added.
class TableUsers {
 public:
  /// After `text`'s signature was added to the catalog.
  void add(Catalog& catalog, const RoutineText& text);

 private:
  void mark(Catalog& catalog, RoutineId routine, bool Signature::*flag);

  /// Who may call a routine of that name, known or not.
  std::unordered_map<std::string, std::vector<RoutineId>> callers_;
};

/// What makes the generated columns of a table.
[[nodiscard]] Routine read_generated(const Source& source,
                                     const Catalog& catalog,
                                     const TriggerText& trigger);
/// A trigger's function, for its table.
[[nodiscard]] Routine read_trigger(const Source& source, const Catalog& catalog,
                                   const RoutineText& text,
                                   const TriggerText& trigger);
[[nodiscard]] Routine read_body(const Source& source, const Catalog& catalog,
                                const RoutineText& text);

}  // namespace txscope::sql
