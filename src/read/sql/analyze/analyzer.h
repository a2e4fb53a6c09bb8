#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/sql/builtin.h"
#include "model/sql/dialect.h"
#include "read/sql/analyze/names.h"
#include "read/sql/schema/catalog.h"
#include "read/sql/schema/types.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

/// Gives the names and types in a statement their meaning, by PostgreSQL's
/// rules (chapters 10 and 43.11.1 of its manual), and refuses what is not in
/// our fragment.
class Analyzer {
 public:
  Analyzer(const Tree& tree, const Catalog& catalog, const Names* names,
           Lifter* lifter = nullptr);

  /// Whose rules of types and order are meant; PostgreSQL's unless told.
  void speak(Dialect dialect) { dialect_ = dialect; }

  /// SELECT, INSERT, UPDATE, DELETE or MERGE.
  [[nodiscard]] DbStatement statement();
  /// The one target of a tree from parse_expression().
  [[nodiscard]] Expr expression();
  /// An expression over the columns of a row (CHECK), or of no table.
  [[nodiscard]] Expr of_row(const Node& node, const Table* table,
                            TableId id = kNone<TableId>);
  /// The routine of the file that a call means; none has the name: null.
  [[nodiscard]] const Signature* meant(const PgQuery__FuncCall& call);
  /// The arguments of a call, one per parameter: converted, defaults filled in,
  /// OUT parameters of a function NULL.
  /// Those that stand at an offset in `open` are of the parameter's type.
  [[nodiscard]] std::vector<Expr> arguments(
      const PgQuery__FuncCall& call, const Signature& routine,
      const std::set<std::size_t>& open = {});

  [[nodiscard]] bool looks_at_tables() const { return looks_at_tables_; }
  /// Hands the parts that an expression() has to the statement that runs it.
  void give_parts(DbStatement& statement) { finish_parts(statement); }
  /// Where variables are named, in ascending order.
  [[nodiscard]] std::vector<DbStatement::Mention> mentions() const;
  /// Where a record IS [NOT] NULL, which has no text for a database.
  [[nodiscard]] std::optional<Span> record_test() const { return record_test_; }
  [[nodiscard]] const std::vector<std::uint32_t>& lifted() const {
    return lifted_;
  }

 private:
  struct ColumnName {
    std::string name;
    Type type;
    bool is_merged = false;  // by USING into one of the same name before
    bool is_moved = false;   // to the front of its join by USING
    // Relations and columns that a FULL JOIN has merged into this one: without
    // its table it is the first of them that is not NULL.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> others = {};
  };
  /// What * stands for: a relation's columns that stand nowhere else, or one
  /// column.
  struct StarItem {
    std::uint32_t relation = 0;
    std::optional<std::uint32_t> column;
  };
  struct RelationNames {
    std::string name;
    std::vector<ColumnName> columns;
    TableId table = kNone<TableId>;
    bool is_visible = true;    // false: not in the part of FROM we are in
    bool is_nullable = false;  // a side that an outer join may lack
    bool is_subquery = false;
    bool is_scalar = false;  // a function whose name is its one column, too
  };
  /// What aggregates are told when they may not stand somewhere.
  enum class Clause : std::uint8_t {
    Target,
    Where,
    On,
    GroupBy,
    Having,
    OrderBy,
    Limit,
    Values,
    Set,
    Returning,
    Check,
    Aggregate,
    Window,
  };
  [[nodiscard]] static std::string_view clause_name(Clause clause);
  struct Level {
    std::vector<RelationNames> relations;
    std::vector<StarItem> star_order;  // as FROM names them
    std::vector<Aggregate> aggregates;
    std::vector<WindowCall> windows;
    NodeList named_windows;  // of WINDOW
    bool has_aggregate = false;
    Query* query = nullptr;   // while its columns are read
    bool gives_rows = false;  // one of them is a function that does
    Clause clause = Clause::Target;
  };

  // analyze_expression.cpp
  Expr expr(const Node* node);
  Expr dispatch(const Node& node);
  Expr column_ref(const PgQuery__ColumnRef& ref);
  std::optional<Expr> find_column(std::span<const std::string> name, Span at);
  /// A column as it is named without its table, `up` queries out.
  Expr merged_column(std::uint32_t up, std::uint32_t relation,
                     std::uint32_t column, Span at) const;
  [[noreturn]] void unknown_name(std::span<const std::string> name, Span at);
  Expr variable(Names::Found found, Span at);
  Expr constant_of(const PgQuery__AConst& node);
  Expr bool_expr(const PgQuery__BoolExpr& node);
  Expr case_expr(const PgQuery__CaseExpr& node);
  Expr boolean_test(const PgQuery__BooleanTest& node);
  Expr null_test(const PgQuery__NullTest& node);
  std::optional<Expr> record_null_test(const PgQuery__NullTest& node);
  Expr type_cast(const PgQuery__TypeCast& node);
  Expr sub_link(const PgQuery__SubLink& node);
  Expr in_query(const PgQuery__SubLink& node);
  Expr boolean(const Node* node, std::string_view where);
  /// Refuses a subquery in what we would evaluate several times.
  void refuse_query(const Expr& e, std::string_view where) const;
  std::vector<Expr> exprs(NodeList nodes);
  /// Converts all to their common type.
  Type match(std::vector<Expr>& all, std::string_view what);

  // analyze_operator.cpp
  Expr a_expr(const PgQuery__AExpr& node);
  Expr binary(std::string_view op, Expr a, Expr b, Span at);
  Expr comparison(Op op, Expr a, Expr b, Span at, std::string_view name);
  Expr arithmetic(Op op, Expr a, Expr b, Span at, std::string_view name);
  void check_ordered(Op op, const Type& type, Span at,
                     std::string_view name) const;
  Expr concatenation(Expr a, Expr b, Span at);
  Expr like(const PgQuery__AExpr& node);
  Expr regular_expression(std::string_view op, Expr a, Expr b, Span at);
  Expr between(const PgQuery__AExpr& node);
  Expr in_list(const PgQuery__AExpr& node);
  Expr row_in_list(const PgQuery__AExpr& node);
  Expr scalar_in_list(const PgQuery__AExpr& node);
  Expr unary(std::string_view op, const Node* operand, Span at);
  [[noreturn]] void no_operator(std::string_view op, const Expr& a,
                                const Expr& b, Span at);

  std::optional<Expr> time_arithmetic(Op op, Expr& a, Expr& b, Span at,
                                      std::string_view name);

  // analyze_number.cpp
  std::optional<Expr> number_function(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at);

  // analyze_builtin.cpp
  std::optional<Expr> identity_function(const PgQuery__FuncCall& node,
                                        std::string_view name, Span at);
  std::optional<Expr> password_function(const PgQuery__FuncCall& node,
                                        std::string_view name, Span at);
  std::optional<Expr> more_builtin(const PgQuery__FuncCall& node,
                                   std::string_view name, Span at);
  std::optional<Expr> plain_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> time_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  std::optional<Expr> json_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  std::optional<Expr> other_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> make_interval(const PgQuery__FuncCall& node, Span at);
  std::optional<Expr> overlaps(const PgQuery__FuncCall& node, Span at);
  Expr array_of_rows(const PgQuery__SubLink& node);
  Expr row_as_json(std::vector<Target> row, Type type, Span at) const;
  Expr make_builtin(Builtin function, Type type, std::vector<Expr> args,
                    Span at) const;
  Expr now(Type type, Span at) const;
  Expr sql_value(const PgQuery__SQLValueFunction& node);

  // analyze_more.cpp
  std::optional<Expr> more_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  std::optional<Expr> setting(const PgQuery__FuncCall& node,
                              std::string_view name, Span at);
  std::optional<Expr> json_path_function(const PgQuery__FuncCall& node,
                                         std::string_view name, Span at);
  Expr between_symmetric(const PgQuery__AExpr& node);
  Expr similar(const PgQuery__AExpr& node);
  Expr power(Expr a, Expr b, Span at);
  /// x LIKE ANY (ARRAY[...]): each item by itself.
  Expr any_pattern(const PgQuery__AExpr& node);
  /// x < ANY (SELECT ...)
  Expr any_row(const PgQuery__SubLink& node);
  Expr any_of(Expr value, Expr array, std::string_view op, bool is_all,
              Span at);

  // analyze_array.cpp
  Expr array_expr(const PgQuery__AArrayExpr& node, std::optional<Type> wanted);
  Expr indirection(const PgQuery__AIndirection& node);
  Expr any_array(const PgQuery__AExpr& node);
  std::optional<Expr> array_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> container_operator(std::string_view op, Expr& a, Expr& b,
                                         Span at);

  // analyze_range.cpp
  std::optional<Expr> range_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  /// lower(range), isempty(range), ...
  std::optional<Expr> property_of_range(std::string_view name, Expr& range,
                                        Span at);
  std::optional<Expr> range_operator(std::string_view op, Expr& a, Expr& b,
                                     Span at);

  // analyze_function.cpp
  Expr func_call(const PgQuery__FuncCall& node);
  std::optional<Expr> builtin(const PgQuery__FuncCall& node,
                              std::string_view name, Span at);
  [[nodiscard]] bool takes_next_number(const Node& value,
                                       const Column& column) const;
  void set_updated_columns(Update& update) const;
  // mysql.cpp
  std::optional<Expr> mysql_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  /// pg_advisory_xact_lock(...) and the like; nothing: another function.
  std::optional<Expr> lock_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);

  // analyze_aggregate.cpp
  std::optional<Expr> aggregate(const PgQuery__FuncCall& node,
                                std::string_view name, Span at);
  std::optional<Expr> collecting_aggregate(const PgQuery__FuncCall& node,
                                           std::string_view name, Span at);
  /// The clause that an aggregate stands in, if it may stand there.
  Clause aggregate_clause(const PgQuery__FuncCall& node, Span at);
  Expr aggregate_call(Aggregate aggregate, const PgQuery__FuncCall& node,
                      Span at);

  // analyze_window.cpp
  std::optional<Expr> window_function(const PgQuery__FuncCall& node,
                                      std::string_view name, Span at);
  /// Refuses OVER where it may not stand.
  void check_window(Span at);
  Expr window_call(WindowCall call, Type type, const PgQuery__FuncCall& node,
                   Span at);
  void window_of(const PgQuery__WindowDef& definition, WindowCall& call);
  const PgQuery__WindowDef& named_window(std::string_view name, Span at);
  void frame(const PgQuery__WindowDef& definition, WindowCall& call);
  Expr frame_offset(const Node& node, const WindowCall& call);

  // analyze_call.cpp
  Expr own_function(const PgQuery__FuncCall& node, const Signature& function,
                    Span at);
  /// The type of an expression, which is not kept.
  Type type_of(const Node& node);
  [[noreturn]] void unknown_function(std::string_view name,
                                     const std::vector<Expr>& args, Span at);

  // analyze_set.cpp
  struct CommonTable {
    std::string name;
    std::shared_ptr<const Query> query;
    std::vector<std::string> columns;
    /// Of a name that its own query uses: how often, and how many expressions
    /// are around that.
    std::uint32_t uses = 0;
    std::uint32_t links = 0;
  };
  /// How many names it adds; they go when the statement or query ends.
  std::size_t open_with(const PgQuery__WithClause* with);
  void close_with(std::size_t count) {
    common_tables_.resize(common_tables_.size() - count);
  }
  std::optional<std::uint32_t> add_named_query(Query& query,
                                               const PgQuery__RangeVar& node);
  std::uint32_t add_query(Query& query, std::shared_ptr<const Query> inner,
                          RelationNames names, std::vector<std::string> columns,
                          const PgQuery__Alias* alias, Span at,
                          bool is_lateral);
  std::shared_ptr<Query> set_operation(const PgQuery__SelectStmt& node);
  std::shared_ptr<Query> combined_query(const PgQuery__SelectStmt& node);
  /// Makes one of the parts of a set, which get its types.
  void match_parts(Query& set, Query& a, Query& b);

  // analyze_recursive.cpp
  /// A query of WITH RECURSIVE: name and columns, as far as they are given.
  void open_recursive(const PgQuery__CommonTableExpr& cte);
  /// Its second part, which may name it.
  std::shared_ptr<Query> recursive_part(const PgQuery__SelectStmt& node,
                                        CommonTable table, Query& set,
                                        const Query& first);
  void use_recursive(CommonTable& table, Span at);
  void check_recursive(const Query& query);
  std::shared_ptr<Query> values_query(const PgQuery__SelectStmt& node);

  // analyze_rows.cpp
  std::shared_ptr<Query> rows_of_call(const PgQuery__FuncCall& call);
  std::uint32_t add_function(Query& query, const PgQuery__RangeFunction& node);
  std::optional<Target> rows_target(const Node& value);
  std::shared_ptr<Query> recordset(const PgQuery__FuncCall& call,
                                   const std::string& name,
                                   const PgQuery__RangeFunction& node);
  std::shared_ptr<Query> set_function(SetKind kind, const std::string& name,
                                      std::vector<Expr> args, Span at);

  // analyze_record.cpp
  /// The columns of a row that is named as a whole: t, t.*, NEW, NEW.*.
  std::optional<std::vector<Target>> whole_row(const Node& node);
  /// The same of a record, which is named so.
  std::optional<std::vector<Target>> record_row(const std::string& name,
                                                Span at);
  [[nodiscard]] bool is_row(const Node* node);
  std::vector<Expr> row(const Node& node);
  Expr row_comparison(const PgQuery__AExpr& node);
  Expr row_distinction(const PgQuery__AExpr& node);
  Expr row_order(std::vector<Expr> a, std::vector<Expr> b, std::string_view op,
                 Span at);
  Expr whole_row_as_json(const Node& node, std::vector<Target> row, Type type,
                         Span at);

  // analyze_view.cpp
  struct WrittenView {
    std::shared_ptr<const Table> shape;  // with the view's names
    std::vector<std::uint32_t> columns;  // that it shows
    std::optional<Expr> where;
  };
  Relation view_target(const PgQuery__RangeVar& node, const View& written);
  [[nodiscard]] const Table& written_table(TableId id) const;
  std::optional<Expr> shown_rows(std::optional<Expr> where);
  std::shared_ptr<Query> rows_of_own(const PgQuery__FuncCall& call);

  // analyze_composite.cpp
  /// A table's row, or a record, that is named as a value.
  std::optional<Expr> row_named(const std::string& name, Span at);
  /// ROW(...)
  Expr row_constructor(const Node& node);
  /// (row).field
  Expr field(Expr row, std::string_view name, Span at);
  std::optional<Expr> named_field(const PgQuery__AIndirection& node);
  [[nodiscard]] Span parenthesized_field(Span name) const;
  /// (row).* of an expression
  std::optional<std::vector<Target>> all_fields(const Node& node);
  Expr row_null_test(Expr row, bool is_not_null, Span at);

  // analyze_part.cpp
  /// A statement inside of this one that runs by itself.
  struct Part {
    const void* node = nullptr;  // what it is made of
    StatementPart made;
    std::shared_ptr<Query> rows;       // what it gives
    std::vector<std::size_t> sources;  // other parts whose rows it looks at
  };
  /// The rows of the part that `node` is; made if it is new.
  std::shared_ptr<Query> part(const Node& node, Span at,
                              std::uint64_t max_rows);
  /// The same as a query that may stand anywhere.
  std::shared_ptr<Query> part_query(const Node& node, Span at,
                                    std::uint64_t max_rows);
  /// Puts the parts into the order in which they run.
  void finish_parts(DbStatement& statement);
  void look_at_part(const Query* rows);
  DbStatement change(const Node& node);

  // analyze_query.cpp
  std::shared_ptr<Query> query(const PgQuery__SelectStmt& node);
  /// `max_rows`: more are never looked at; 0: all are.
  std::shared_ptr<Query> subquery(const Node* node, Span at,
                                  std::uint64_t max_rows = 0);
  void refuse_clauses(const PgQuery__SelectStmt& node);
  void from_clause(Query& query, const PgQuery__SelectStmt& node);
  std::vector<std::uint32_t> from_item(Query& query, const Node& node,
                                       bool is_right_side);
  std::vector<std::uint32_t> join(Query& query, const PgQuery__JoinExpr& node,
                                  bool is_right_side);
  std::uint32_t add_table(Query& query, const PgQuery__RangeVar& node);
  std::uint32_t add_subquery(Query& query, const PgQuery__RangeSubselect& node);
  void add_relation(Query& query, Relation relation, RelationNames names);
  void check_full_join(const Join& join, const std::vector<std::uint32_t>& left,
                       std::uint32_t right);
  /// `shown`: where * begins to show this join.
  Expr using_condition(const PgQuery__JoinExpr& node, std::size_t shown,
                       const std::vector<std::uint32_t>& left,
                       const std::vector<std::uint32_t>& right);
  std::vector<Target> target_list(NodeList nodes);
  void expand_star(const PgQuery__ColumnRef& ref, std::vector<Target>& targets);
  void group_by(Query& query, NodeList nodes);
  std::optional<Expr> output_column(const Query& query, const Node& node,
                                    std::string_view clause);
  void locking(Query& query, NodeList nodes);
  RelationNames names_of(TableId table, std::string name) const;
  [[nodiscard]] std::string key_of(const PgQuery__RangeVar& node) const;
  TableId table(const PgQuery__RangeVar& node);

  // analyze_order.cpp
  SortKey sort_key(const PgQuery__SortBy& item, Expr e);
  void order_by(Query& query, NodeList nodes);
  void distinct_on(Query& query, NodeList nodes);
  void limit(Query& query, const PgQuery__SelectStmt& node);

  // analyze_group.cpp
  void check_grouping(const Query& query);
  void check_grouped(const Query& query, const Expr& e, std::uint32_t level);
  void check_grouped(const Query& query, const Query& inner,
                     std::uint32_t level);
  [[nodiscard]] bool is_key_grouped(const Query& query,
                                    std::uint32_t relation) const;

  // analyze_change.cpp
  DbStatement insert(const PgQuery__InsertStmt& node);
  DbStatement update(const PgQuery__UpdateStmt& node);
  DbStatement remove(const PgQuery__DeleteStmt& node);
  enum class Write : std::uint8_t { Insert, Update, Delete };
  void check_writable(const PgQuery__RangeVar& node, TableId id, Write write,
                      const std::vector<SetColumn>& set) const;
  Relation target(const PgQuery__RangeVar& node);
  /// WHERE of an UPDATE or DELETE, if there is one.
  std::optional<Expr> where_of(const Node* node);
  /// Its RETURNING, with which it ends.
  std::vector<Target> returning_of(NodeList nodes);
  void insert_rows(Insert& insert, const PgQuery__SelectStmt& node);
  void insert_fields(Insert& insert, std::vector<Target> fields);
  void insert_query(Insert& insert, const Node& node);
  void check_width(const Insert& insert, std::size_t width) const;
  void check_generated(const Insert& insert) const;
  std::vector<std::uint32_t> insert_columns(const Table& table, NodeList nodes);
  // analyze_merge.cpp
  DbStatement merge(const PgQuery__MergeStmt& node);
  Merge::Arm merge_arm(const PgQuery__MergeWhenClause& node,
                       const PgQuery__MergeStmt& statement, Merge& merge);
  Insert merge_insert(const PgQuery__MergeWhenClause& node,
                      const Relation& target);
  OnConflict on_conflict(const PgQuery__OnConflictClause& node,
                         const Relation& target);
  // analyze_conflict.cpp
  std::vector<std::uint32_t> arbiters(const PgQuery__InferClause& node,
                                      TableId id);
  struct Inferred;
  Inferred inferred(const PgQuery__InferClause& node, TableId id);
  struct OtherTables {
    NodeList from;
    const Node* where = nullptr;
  };
  std::shared_ptr<Query> joined_query(const OtherTables& others,
                                      const Node* value);
  Expr joined_exists(const OtherTables& others);
  Expr joined_value(const OtherTables& others, const Node* value);
  Expr selected_column(const PgQuery__MultiAssignRef& multi, Span at);
  std::vector<SetColumn> set_clause(NodeList nodes, const Table& table,
                                    const OtherTables* others = nullptr);
  Expr assigned(Expr e, const Column& column);

  void check_runs(const Signature& routine) const;
  [[nodiscard]] const Source& source() const { return tree_.source(); }
  [[nodiscard]] Level& level() { return *levels_.back(); }
  [[nodiscard]] Expr make(Op op, Type type, std::vector<Expr> args,
                          Span at) const;

  const Tree& tree_;
  const Catalog& catalog_;
  const Names* names_;
  Lifter* lifter_;
  const SearchPath* path_ = nullptr;  // of a view; else the catalog's
  Dialect dialect_ = Dialect::Postgresql;
  bool is_renamed_ = false;  // the function has our name already
  std::vector<std::unique_ptr<Level>> levels_;  // of queries, innermost last
  std::vector<DbStatement::Mention> mentions_;
  std::vector<std::uint32_t> lifted_;       // slots of calls taken out
  std::vector<CommonTable> common_tables_;  // of WITH, innermost last
  std::vector<Part> parts_;
  // Of the statement or part that is being read.
  std::vector<std::size_t> sources_;
  std::optional<CommonTable> recursive_;  // whose UNION comes next
  std::uint32_t recursions_ = 0;
  std::uint32_t links_ = 0;  // subqueries in expressions that we are in
  std::uint32_t depth_ = 0;
  std::uint32_t conditional_ = 0;  // under AND, CASE, ...
  bool looks_at_tables_ = false;
  bool has_parameters_ = false;  // $1, ... are columns of the outermost query
  std::optional<WrittenView> written_view_;  // the target of the statement
  std::optional<Span> record_test_;
};

/// The name that PostgreSQL gives to a value that has none; empty: it has none.
[[nodiscard]] std::string title_of(const Node& node);
/// The same value whatever the row: structure and names, not places.
[[nodiscard]] bool is_same(const Expr& a, const Expr& b);
/// Whether it names a column of the query that is `level`s out.
[[nodiscard]] bool mentions_column(const Expr& e, std::uint32_t level);
[[nodiscard]] bool is_same(const WindowCall& a, const WindowCall& b);
/// PARTITION BY and ORDER BY are.
[[nodiscard]] bool has_same_order(const WindowCall& a, const WindowCall& b);
[[nodiscard]] bool has_aggregate(const Expr& e);
[[nodiscard]] bool has_window(const Expr& e);
[[nodiscard]] bool has_query(const Expr& e);

/// The names of functions that are nothing but their parameters' types.
void add_plain_names(std::vector<std::string>& names);

}  // namespace txscope::sql
