#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "read/sql/file/left_out.h"
#include "read/sql/file/trigger_switches.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/plpgsql/routine_reader.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/text/constant_rows.h"
#include "read/sql/text/psql_text.h"

namespace txscope::sql {

/// Reads a whole file, statement by statement as psql does; bodies of routines
/// and annotations at the end, when everything they may name is known.
///
/// What cannot be run is no mistake of the file where nothing that is asked for
/// needs it: such a table, routine or view is kept with the reason, and refused
/// where it is used.
class FileReader {
 public:
  /// `dialect`: whose meaning a text in PostgreSQL's syntax has; `syntax`: the
  /// text is in MySQL's or MariaDB's, if it is one of these.
  explicit FileReader(Application& application,
                      Dialect dialect = Dialect::Postgresql,
                      LeftOut left_out = {},
                      Dialect syntax = Dialect::Postgresql,
                      Mistakes mistakes = Mistakes::Refuse);

  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  void read(bool needs_sessions);
  /// What the file made, for statements that are read later.  Its views stay
  /// here: this must outlive whoever names them.
  [[nodiscard]] Catalog& catalog() { return catalog_; }
  /// All mistakes, in the order of the file.
  [[nodiscard]] std::vector<Error>& errors() { return errors_; }
  /// Statements that were left out, for Mistakes::LeaveOut.
  [[nodiscard]] std::vector<Error>& mistakes() { return mistakes_; }
  /// What the file has to be read again without; empty: nothing, or there are
  /// mistakes of another kind.
  [[nodiscard]] const LeftOut& to_leave_out() const { return to_leave_out_; }

 private:
  // reader.cpp, definitions.cpp, no_effect.cpp
  void prepare_fresh();
  void prepare_names();
  // platform.cpp
  void add_platform();
  void settle_platform_keys();
  void attempt(const std::function<void()>& what);
  /// The \connect commands up to there.
  void connect_before(std::uint32_t offset);
  void statement(std::size_t from, std::size_t to);
  void statement_at(Span span, const std::vector<Token>& tokens);
  bool definition(const std::shared_ptr<const Tree>& tree);
  bool definition(const std::shared_ptr<const Tree>& tree, const Node& node);
  bool data(const Tree& tree);
  void other(const Tree& tree);
  bool note_schemas(const Node& node);

  // mistakes.cpp: what a database would refuse
  void statement_or_later(std::size_t from, std::size_t to);
  void read_what_waits();
  [[nodiscard]] bool may_wait(std::size_t from, std::size_t to) const;
  void leave_out_mistake(std::size_t from, std::size_t to,
                         const Failure& failure);
  void leave_out_unread(std::size_t from, std::size_t to, const Error& why);

  // schemas.cpp: which schemas names are looked for in
  void read_search_path();
  void read_dialect();
  [[nodiscard]] std::optional<SearchPath> path_set_in(
      const RoutineText& text) const;
  void set_schema(const PgQuery__AlterObjectSchemaStmt& node);
  /// SELECT set_config('search_path', ...)
  bool set_path(const PgQuery__FuncCall& call);
  /// The body of a routine, by its own path if it has one.
  [[nodiscard]] Routine body_of(std::size_t routine);
  void setup(const Tree& tree);
  void add_routine(const Tree& tree);
  [[nodiscard]] std::size_t end_of_statement(std::size_t from) const;
  void transaction(const Tree& tree, const PgQuery__TransactionStmt& node);
  [[noreturn]] void refuse(const Tree& tree) const;
  [[nodiscard]] Tokens scan_file() const;

  // drop.cpp
  void drop(const Tree& tree, const PgQuery__DropStmt& node);
  void drop_table(const Tree& tree, std::string_view name);
  void drop_routine(const Tree& tree, const Node& object,
                    std::string_view name);
  void drop_trigger(const PgQuery__DropStmt& node);

  // values.cpp: INSERT of very many constants
  [[nodiscard]] std::vector<std::pair<std::uint32_t, MysqlModes>>
  modes_of_file() const;
  [[nodiscard]] const InsertedRows* more_rows_of(Span statement) const;
  class RowSink;
  void add_rows(const InsertedRows& more);
  [[nodiscard]] std::optional<Expr> inserted_value(
      const Column& column, const ConstantRows::Constant& written,
      Span at) const;

  // mysql.cpp
  struct ForeignLater {
    std::shared_ptr<const Tree> tree;
    PgQuery__RangeVar* table = nullptr;
    PgQuery__Constraint* constraint = nullptr;
  };
  void learn_spellings();
  /// Whether CREATE of a stored program begins there, which has semicolons.
  [[nodiscard]] bool is_program(std::size_t from) const;
  /// Of the blocks that are open, by this token.
  [[nodiscard]] int change_of_depth(std::size_t i) const;
  void mysql_statement(const std::shared_ptr<const Tree>& tree);
  void mysql_trigger(const Tree& tree, const PgQuery__CreateTrigStmt& node);
  void order_trigger(const Tree& tree);
  void create_table_as(const Tree& tree,
                       const PgQuery__CreateTableAsStmt& node);
  void take_foreign_keys(const std::shared_ptr<const Tree>& tree,
                         PgQuery__RangeVar* table, std::size_t& count,
                         Node** elements);
  void take_foreign_commands(const std::shared_ptr<const Tree>& tree,
                             PgQuery__AlterTableStmt& node);
  void settle_foreign_keys(bool is_end);
  void add_key_indexes();
  void note_updated_columns(const Node& node);
  void set_next_number(const Tree& tree, const PgQuery__AlterTableStmt& node,
                       std::int64_t number);
  void set_variables(const Tree& tree);
  void order_rows();
  void add_twins();
  [[nodiscard]] MysqlTransaction left_by(std::size_t routine, bool is_open);

  // mysql_numbers.cpp
  void note_numbers();
  void settle_numbers(std::size_t before);

  // mysql_script.cpp
  bool script_statement(const Tree& tree);
  void end_script();

  // setup.cpp: what fills the tables
  void read_now();
  void truncate(const PgQuery__TruncateStmt& node, const Tree& tree);
  [[nodiscard]] CopyFormat copy_format(const Tree& tree,
                                       const PgQuery__CopyStmt& node) const;
  void copy(const Tree& tree, const PgQuery__CopyStmt& node);
  void select(const Tree& tree);
  void look_for_functions(const Tree& tree);
  bool set_sequence(const Tree& tree, const PgQuery__FuncCall& call);
  void alter_sequence(const Tree& tree, const PgQuery__AlterSeqStmt& node);
  void call(const Tree& tree);
  void call_routine(const Tree& tree, const PgQuery__FuncCall& call,
                    const Signature& routine);
  void do_block(const Tree& tree, const PgQuery__DoStmt& node);
  void add_block(Routine block);
  bool definitions_in(const std::vector<Token>& tokens);
  [[nodiscard]] std::optional<bool> is_true_now(
      const std::vector<Token>& tokens, std::size_t from, std::size_t to) const;
  [[nodiscard]] bool calls_own(const std::vector<Token>& tokens) const;
  bool definitions_in_loops(const std::vector<Token>& tokens, const Tree& tree);

  // objects.cpp, left_out.cpp: what cannot be run, and what is said of it
  bool leave_out(const Tree& tree, const Error& why);
  void add_broken_routine(const QualifiedName& name, bool is_function, Span at,
                          const Error& why);
  [[nodiscard]] bool fires_in_setup(const TriggerText& text) const;
  [[nodiscard]] SchemaReader::Uses uses_in_setup(
      const PgQuery__RangeVar& table);
  [[nodiscard]] bool is_function_elsewhere(const std::string& name) const;
  void guard_parents(const Tree& tree);
  void add_followers(std::set<TableId>& tables) const;
  void break_named_by(std::string_view text, const Error& why,
                      std::set<std::size_t>& seen);
  bool is_left_out(const Tree& tree);
  void break_parents(const PgQuery__CreateStmt& node, const Error& why);
  void add_view(const std::shared_ptr<const Tree>& tree,
                const PgQuery__ViewStmt& node);
  void add_row_type(const std::string& key, const View& made);
  void read_bodies();
  [[nodiscard]] std::vector<Routine> read_triggers();
  void add_triggers(std::vector<Routine> made);
  /// Fails if a block calls, through whomever, what cannot run.
  void check_callees(const PlBlock& block, std::set<std::size_t>& seen);
  void spread_problems();
  void write_notes();

  Application& application_;
  Dialect dialect_;
  /// Its text, before anything is appended to it, is what the source refers
  /// to.
  PsqlText psql_;
  Source source_;
  Tokens tokens_;
  std::optional<TableId> platform_users_;  ///< if add_platform() made them
  Catalog catalog_;
  std::vector<RoutineText> texts_;
  std::vector<Routine> blocks_;  // DO, numbered after all other routines
  std::vector<std::pair<std::size_t, std::size_t>> block_steps_;
  TableUsers table_users_;
  SearchPath session_path_ = {"public"};  // of --@ lines
  /// How many definitions there were at BEGIN; none: outside of one.
  std::optional<std::size_t> transaction_;
  std::size_t definitions_ = 0;
  std::size_t connects_ = 0;  // how many of psql's were passed
  // Of MySQL's syntax.
  std::vector<ForeignLater> foreign_keys_;   // that wait for their parents
  bool keys_are_off_ = false;                // foreign_key_checks = 0
  std::set<std::size_t> rows_without_keys_;  // of the setup: while they were
  std::size_t added_rows_ = 0;             ///< of psql_.inserts, how many came
  std::set<std::uint32_t> given_numbers_;  // tables whose rows were given some
  /// By sequence, what ALTER TABLE ... AUTO_INCREMENT = said.
  std::map<std::uint32_t, std::int64_t> next_numbers_;
  /// Of statements that share user variables, while there are more to come.
  std::unique_ptr<RoutineBuilder> script_;
  std::map<std::size_t, std::uint32_t> twins_;  // RoutineText::is_twin
  std::map<std::size_t, MysqlTransaction> left_;
  std::vector<Error> errors_;
  std::size_t leaving_ = 0;  // of the errors: those that to_leave_out_ settles
  // What a database would refuse.
  struct Waiting {
    std::size_t from = 0;  // of its tokens
    std::size_t to = 0;
    SearchPath path;
  };
  bool goes_on_ = false;  // behind mistakes
  bool waits_ = false;    // what fails is tried again at the end
  std::vector<Waiting> waiting_;
  std::vector<Error> mistakes_;
  std::map<std::string, int> left_out_;
  bool has_extension_ = false;  ///< CREATE EXTENSION came: functions of its own
  LeftOut known_left_out_;      // by an earlier reading
  LeftOut to_leave_out_;
  std::vector<std::string> notes_;
  TriggerSwitches switches_{source_, catalog_, application_, notes_};
};

}  // namespace txscope::sql
