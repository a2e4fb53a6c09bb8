#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {

/// A variable of several values: record, %ROWTYPE.
struct Record {
  struct Field {
    std::string name;
    std::uint32_t slot = 0;
    Type type;
  };
  std::vector<Field> fields;
  bool has_shape = false;  ///< a `record` gets it from its assignments
  bool has_had_others = false;
  std::vector<std::uint32_t> shaped_in;  ///< lists of statements, outer first
  bool is_row = false;  ///< of a table: values are converted to its types
};

/// CURSOR or refcursor.
struct Cursor {
  CursorId id;
  std::optional<DbStatement> query;  ///< of a bound cursor
  std::vector<Record::Field> parameters;
  /// What FETCH brings; of an unbound cursor known after OPEN.
  std::vector<Target> columns;
};

/// What a name in a block stands for.
struct Binding {
  enum class Kind : std::uint8_t { Scalar, Record, Cursor };
  Kind kind = Kind::Scalar;
  std::uint32_t slot = 0;  ///< of a scalar
  std::size_t which = 0;   ///< record or cursor
  bool is_constant = false;
};

/// Where a row of values goes.
struct Into {
  std::vector<std::uint32_t> slots;
  std::vector<Type> types;
};

/// A routine while it is read: its variables and the names they have in each
/// block, and the way from text to expressions and statements.
class RoutineBuilder : public Names, public Lifter {
 public:
  RoutineBuilder(const Source& source, const Catalog& catalog);

  Routine routine;
  /// LANGUAGE sql: columns hide parameters.
  bool has_sql_rules = false;

  // Names.
  std::optional<Found> find(std::span<const std::string> name, Span at,
                            bool is_column) const override;
  std::vector<Found> record(const std::string& name, Span at) const override;
  std::optional<Expr> is_no_record(const std::string& name,
                                   Span at) const override;
  std::shared_ptr<const Query> rows(const std::string& name) const override {
    const auto found = transition_.find(name);
    return found != transition_.end() ? found->second : nullptr;
  }
  std::optional<Found> parameter(std::uint32_t number) const override;
  bool counts_from_zero(std::uint32_t slot) const override {
    return is_trigger && slot == trigger_arguments_slot_;
  }
  bool column_wins() const override { return has_sql_rules; }
  std::vector<std::string> candidates() const override;

  // Lifter: the call goes into the block of `lifting_into`.
  std::uint32_t lift(const Signature& function, std::vector<Expr> arguments,
                     Span at) override;
  std::uint32_t lift_row(std::vector<Expr> fields, Type type, Span at) override;
  std::uint32_t lift_lock(ExplicitLock lock, Type type,
                          std::vector<DbStatement::Mention> mentions,
                          Span at) override;
  /// Where calls go that are taken out of expressions.
  void lift_into(PlBlock& block) { lifting_into_ = &block; }
  std::uint32_t lift_row_count(Span at) override;
  /// LOCK TABLE.
  void lock_table(const Tree& tree, PlBlock& block) const;

  std::uint32_t add_slot(std::string name, Type type, Span at);
  void add_parameters(const Signature& signature);
  /// OUT slots for the columns of a row that the function returns, where its
  /// parameters are none.
  void add_columns(const Signature& signature);
  /// The slots that a trigger's function has, and their names; then WHEN, and
  /// what the function does if it is true.
  void begin_trigger(const TriggerText& text);
  void finish_trigger(const TriggerText& text, PlBlock body);
  bool is_trigger = false;
  /// What a name or TG_ARGV[i] of a trigger's function always is.
  [[nodiscard]] std::optional<std::string> constant_text(
      std::string_view name) const;
  [[nodiscard]] std::optional<std::string> trigger_argument(
      std::size_t i) const {
    if (i >= trigger_arguments_.size()) return std::nullopt;
    return trigger_arguments_[i];
  }
  /// From here on a statement sees no variables but these, as $1, $2, ...:
  /// that of EXECUTE.
  void see_only(std::vector<Found> values) { seen_ = std::move(values); }
  void see_all() { seen_.reset(); }
  /// SELECT ... FROM f(...) of a function of the file as a call.
  bool call_in_from(const Tree& tree, std::optional<Span> into_span,
                    const std::vector<std::pair<Binding, Span>>& targets,
                    PlBlock& block);
  /// Assigns the fields of a row to slots.
  void spread(Expr row, const std::vector<std::uint32_t>& slots, Span at,
              PlBlock& block);
  /// The same to a record or row variable.
  void assign_row(const Binding& target, Span where, Expr row, Span at,
                  PlBlock& block);
  /// The fields of a parameter of a composite type are variables of their own.
  void open_parameters(PlBlock& block);
  /// A script: variables are declared by their first assignment, and rows need
  /// no destination.
  bool is_script = false;
  /// A variable of a script that gets its type from its first value.
  Binding declare_by_use(const std::string& name, Span at);
  void settle_type(std::uint32_t slot, const Type& type);
  /// Plain SQL knows no FOUND.
  void hide_found() { scopes_[0].names.erase("found"); }
  void open_scope(std::string label);
  void close_scope() { scopes_.pop_back(); }
  void declare(const std::string& name, Binding binding, Span at);
  [[nodiscard]] const Binding* binding(std::span<const std::string> name) const;
  std::size_t add_record() {
    records_.emplace_back();
    return records_.size() - 1;
  }
  Record& record(std::size_t i) { return records_[i]; }
  std::size_t add_cursor(const std::string& name, bool is_bound);
  Cursor& cursor(std::size_t i) { return cursors_[i]; }
  LabelId add_label() { return LabelId(routine.labels++); }

  /// The expression in `text`, for the routine itself to evaluate; what it
  /// needs from the database is put into `before`.
  [[nodiscard]] Expr expression(const std::vector<Token>& tokens, Span text,
                                PlBlock& before);
  [[nodiscard]] Expr condition(const std::vector<Token>& tokens, Span text,
                               PlBlock& before, std::string_view what);
  [[nodiscard]] bool has_lifted_call(const std::vector<Token>& tokens,
                                     Span text) const;
  [[nodiscard]] Expr step_by_step(const std::vector<Token>& tokens,
                                  const std::vector<Span>& pieces, bool is_and,
                                  PlBlock& before, std::string_view what);
  /// A value as an assignment to a variable converts it.
  [[nodiscard]] Expr assigned(Expr e, Type to, std::string_view name) const;
  void check_assignable(Type from, Type to, std::string_view name,
                        Span at) const;
  void assign(std::uint32_t slot, Expr value, Span at, PlBlock& block) const;

  /// A statement for the database, with the calls that come before it.
  [[nodiscard]] DbStatement statement(const Tree& tree, PlBlock& before);
  /// The columns that its rows have.
  [[nodiscard]] static const std::vector<Target>& columns(
      const DbStatement& statement);
  /// The slots that a row of these columns is assigned to; shapes records.
  [[nodiscard]] Into into(const std::vector<std::pair<Binding, Span>>& targets,
                          const std::vector<Target>& columns, Span at);
  void shape(Record& record, const std::string& name,
             const std::vector<Target>& columns, Span at);
  /// Executes a statement; one that is nothing but a call becomes that call.
  void set_constraints(const Tree& tree, PlBlock& out);
  void execute(const Tree& tree, std::optional<Span> into_span,
               const std::vector<std::pair<Binding, Span>>& targets,
               bool is_strict, bool is_expression, PlBlock& block);
  void call(const Tree& tree, PlBlock& block);

  /// Enters a list of statements (a branch, a loop's body) and leaves it.
  void enter(bool is_loop);
  void leave() { path_.pop_back(); }

  [[nodiscard]] const Source& source() const { return source_; }
  [[nodiscard]] const Catalog& catalog() const { return catalog_; }
  [[nodiscard]] const Variable& variable(std::uint32_t slot) const {
    return routine.variables[slot];
  }

 private:
  struct Scope {
    std::string label;
    std::map<std::string, Binding, std::less<>> names;
  };
  [[nodiscard]] std::optional<Found> in_binding(
      const Binding& binding, std::span<const std::string> rest, Span at,
      bool is_column) const;
  [[nodiscard]] bool is_shaped_here(const Record& record) const;
  [[nodiscard]] bool may_reshape(const Record& record) const;
  void refuse_record_test(const Analyzer& analyzer) const;
  void refuse_in_stable(Span at, std::string_view what) const;
  [[nodiscard]] bool is_lone_lock(const DbStatement& statement,
                                  const PlBlock& before,
                                  std::size_t first) const;
  [[nodiscard]] bool is_lone_call(const DbStatement& statement,
                                  const PlBlock& before,
                                  std::size_t first) const;

  const Source& source_;
  const Catalog& catalog_;
  std::vector<Scope> scopes_;
  std::map<std::string, std::shared_ptr<const Query>> transition_;
  std::deque<Record> records_;
  std::deque<Cursor> cursors_;
  PlBlock* lifting_into_ = nullptr;
  std::optional<std::vector<Found>> seen_;
  /// Parameters of composite types, and the records that they are.
  std::vector<std::pair<std::uint32_t, std::size_t>> row_parameters_;
  std::map<std::string, std::string, std::less<>> constant_texts_;
  std::vector<std::string> trigger_arguments_;
  std::uint32_t trigger_arguments_slot_ = 0;
  std::vector<std::uint32_t> path_;  // the lists of statements we are in
  std::vector<bool> is_loop_;        // by number of a list
};

/// In a trigger's function: TG_OP = name.
[[nodiscard]] Expr is_operation(std::string_view name, Span at);

/// The type that a TypeName node names in a routine: also table.column%TYPE.
[[nodiscard]] Type routine_type(const Tree& tree, const Catalog& catalog,
                                const PgQuery__TypeName& type);

}  // namespace txscope::sql
