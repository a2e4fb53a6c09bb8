#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "model/sql/application.h"
#include "read/sql/mysql/transaction.h"
#include "read/sql/schema/schema_names.h"

namespace txscope::sql {

class Tree;
struct QualifiedName;

/// Of a table or a result; as PostgreSQL has it.
inline constexpr std::size_t kMostColumns = 1600;

/// What callers know of a routine.
struct Signature {
  struct Parameter {
    std::string name;  ///< may be empty
    Type type;
    bool is_in = true;
    bool is_out = false;
    std::optional<Expr> default_value;
    bool is_variadic = false;  ///< an array of all arguments from here on
  };
  std::string name;
  RoutineId id;
  bool is_function = false;
  bool is_trigger = false;  ///< RETURNS trigger
  Volatility volatility = Volatility::Volatile;
  /// It reads or writes tables, itself or through others.
  bool touches_tables = false;
  /// It draws numbers of sequences: only a database can evaluate it.
  bool draws_numbers = false;
  /// It may do more than read: write, lock, call what we do not know.
  bool does_more = false;
  std::vector<Parameter> parameters;
  Type result;
  bool is_strict = false;  ///< NULL, or no row, if an argument is NULL
  /// Of a function that returns a row, or rows: its columns; `result` is void
  /// then, and the columns are OUT slots.
  std::vector<std::pair<std::string, Type>> columns;
  Type row;            ///< of these columns, as a value
  std::string row_of;  ///< the table whose row that is; empty: no table's
  /// Its body, if that is one query, and the path that it was created with.
  std::shared_ptr<const Tree> query;
  SearchPath query_path = {};
  bool is_set = false;  ///< RETURNS SETOF, RETURNS TABLE
  /// Its first row is what its OUT slots hold in the end.
  bool has_first_row = true;
  Span at;
  /// Why it cannot run, if so.
  std::shared_ptr<const Error> problem;
  bool is_dropped = false;

  /// Its value, in an expression, is a row.
  [[nodiscard]] bool returns_row() const {
    return is_function && !columns.empty() && !is_set;
  }
  /// Its calls have a place of their own in the order of events.
  [[nodiscard]] bool must_be_lifted() const {
    return volatility == Volatility::Volatile && touches_tables;
  }
};

/// CREATE TYPE and CREATE DOMAIN.
struct TypeAlias {
  Type type;
  /// Of a composite type.
  std::vector<std::pair<std::string, Type>> fields;
  /// Of a domain; a column of it gets them.
  bool is_not_null = false;
  std::vector<Expr> checks;  ///< over column 0, VALUE
  /// It has a CHECK or a default that cannot be used.
  bool has_more = false;
};

/// A view: its query is analyzed wherever it is named.
struct View {
  std::shared_ptr<const Tree> tree;
  std::vector<std::string> columns;  ///< renamed, from the first on
  SearchPath path = {};              ///< when it was created
  bool has_triggers = false;         ///< INSTEAD OF what is written to it
};

/// Something that this program cannot run, found where it was created; it is
/// refused where it is used.
struct Obstacle {
  std::string what;  ///< "the trigger 'x'"
  Span at;
  bool on_insert = true;
  bool on_update = true;
  bool on_delete = true;
  /// Of an update only that of these columns; empty: of any.
  std::vector<std::uint32_t> columns = {};
  std::string why = {};  ///< if `what` does not say it
};

/// CREATE TRIGGER, until its function is read for its table.
struct TriggerText {
  TableId table;
  std::string function;
  Trigger trigger;
  std::optional<Span> when;
  std::vector<std::string> arguments;  ///< TG_ARGV
  /// REFERENCING NEW TABLE AS, OLD TABLE AS; empty: not.
  std::array<std::string, 2> transition;
  /// Of generated columns, over the row (relation 0): they are made by a
  /// trigger that fires after all others and has no function.
  std::vector<std::pair<std::uint32_t, Expr>> generated;
};

/// Everything that a statement may name.  Maps are by the keys that things have
/// in `relation_names` and `routine_names`.
struct Catalog {
  SchemaNames relation_names;  ///< of tables, views, sequences and types
  SchemaNames routine_names;
  SearchPath path = {"public"};  ///< of what is being read

  Schema schema;
  std::vector<Signature> routines;  ///< indexed by RoutineId
  /// add_table() and add_routine() keep them.
  std::unordered_map<std::string, TableId> table_ids;
  std::unordered_map<std::string, std::vector<RoutineId>> routine_ids;
  std::unordered_map<std::string, TypeAlias> types;
  std::unordered_map<std::string, View> views;
  std::unordered_map<std::string, std::uint32_t> sequence_ids;
  /// What stands in the way of writing to a table.
  std::unordered_map<std::uint32_t, std::vector<Obstacle>> obstacles;
  std::vector<TriggerText> triggers;
  /// Tables and routines that could not be read, and why.
  std::unordered_map<std::string, Error> broken;
  /// Schemas that tables are created in, and tables of other schemas that
  /// foreign keys lead to (auth.users): those keys are left out.
  std::unordered_set<std::string> schemas = {"public"};
  std::set<std::string> outside;
  /// Tables and views that the file creates somewhere, by their plain names.
  std::set<std::string> to_come;
  /// What was assumed about things that the file does not create.
  mutable std::set<std::string> assumed;
  /// Application::settings.
  mutable std::vector<std::string> settings;
  /// What is being read runs here and now, as a DO block does: questions to the
  /// server's catalogue have an answer.
  bool runs_now = false;
  /// What now() is, in all transactions.
  Value now;
  /// A sequence for values that are never the same: gen_random_uuid(),
  /// random().  It has no name.  None if the file has no such function.
  std::optional<std::uint32_t> fresh;
  /// MySQL: the routine that a CALL means, by whether a transaction is open.
  std::function<MysqlCallee(const Signature&, bool)> mysql_callee;
  /// Columns that an UPDATE sets to now(), unless it says something else.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> updated_columns;
  /// Names of constraints and indexes.
  std::unordered_set<std::string> constraint_names;

  /// The number of a setting of the session, which is asked for from now on.
  [[nodiscard]] std::int64_t setting(std::string_view name) const;
  /// The key of what a statement names, or is about to create.
  [[nodiscard]] std::string relation(std::string_view in,
                                     std::string_view name) const {
    return relation_names.find(in, name, path);
  }
  [[nodiscard]] std::string relation(const QualifiedName& name) const;
  [[nodiscard]] std::string routine_key(const QualifiedName& name) const;
  [[nodiscard]] std::string new_relation(std::string_view in,
                                         std::string_view name);
  [[nodiscard]] std::string new_routine(std::string_view in,
                                        std::string_view name);
  /// Where a statement creates what it gives no schema.
  [[nodiscard]] std::string creation_schema(std::string_view given) const;
  /// ALTER ... SET SCHEMA; it has another key then.
  void move_relation(const std::string& key, const std::string& to);
  /// The thing has this key from now on.
  void rename_relation(const std::string& from, const std::string& to);

  void add_table(Table table);
  void add_routine(Signature signature);
  [[nodiscard]] std::optional<TableId> table(std::string_view name) const;
  /// The file is about a part of a database, and this table is of the rest: it
  /// is created nowhere, and no other has a name so near that it was meant.
  [[nodiscard]] bool is_elsewhere(std::string_view name) const;
  /// The first routine of this key.
  [[nodiscard]] const Signature* routine(std::string_view name) const;
  /// All of this key, which differ in their parameters.
  [[nodiscard]] std::vector<const Signature*> routines_named(
      std::string_view name) const;
  /// Those of this name in any schema.
  [[nodiscard]] std::vector<const Signature*> all_named(
      std::string_view name) const;
  /// DROP: from now on nothing has the name.
  void forget_routine(RoutineId id);
  [[nodiscard]] const TypeAlias* type(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> table_names() const;
};

/// What a hint says of a name that is in several schemas; empty: it is not.
[[nodiscard]] std::string hint_of_schemas(const Catalog& catalog,
                                          std::string_view name);

/// What tells it apart from others of its name.
[[nodiscard]] std::vector<Type> input_types(const Signature& routine);

/// The number of the column of this name.
[[nodiscard]] std::optional<std::uint32_t> column_of(const Table& table,
                                                     std::string_view name);
[[nodiscard]] std::vector<std::string> column_names(const Table& table);

/// "did you mean 'x'?", or, if nothing is near, all there are, if these are
/// few; `what` they are (columns), empty: no list.
[[nodiscard]] std::string hint_among(std::string_view word,
                                     const std::vector<std::string>& candidates,
                                     std::string_view what);

}  // namespace txscope::sql
