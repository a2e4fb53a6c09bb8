#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/text/token.h"

namespace txscope::sql {

/// MySQL's and MariaDB's statements, by recursive descent, as trees of
/// PostgreSQL's parser.  Locations are offsets in the file.  What means another
/// thing than PostgreSQL's node of that kind is left to the Analyzer, which
/// knows whose text it reads.
class MysqlParser {
 public:
  using Node = PgQuery__Node;
  using List = std::vector<Node*>;

  /// `text` stands at `offset` of the source.
  MysqlParser(const Source& source, std::string_view text,
              std::uint32_t offset);

  /// One statement, to the end of the text.
  [[nodiscard]] std::shared_ptr<MysqlStatement> statement();
  /// SELECT with the expression as its one target.
  [[nodiscard]] std::shared_ptr<MysqlStatement> expression();
  /// SELECT NULL::type.
  [[nodiscard]] std::shared_ptr<MysqlStatement> type();

 private:
  static constexpr int kDeepest = 200;

  // Tokens.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end_;
  }
  [[nodiscard]] bool is(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).is(word);
  }
  bool accept(std::string_view word);
  /// All of these words, one after the other, or none.
  bool accept_all(std::initializer_list<std::string_view> words);
  void expect(std::string_view word);
  [[nodiscard]] std::int32_t location() const;
  [[nodiscard]] Span here() const { return span_of(peek()); }
  [[nodiscard]] Span span_of(const Token& token) const;
  /// From a token to the last one that was read.
  [[nodiscard]] Span since(std::size_t first) const;
  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void unsupported(std::string_view what,
                                std::string hint = {}) const;
  void finish() const;
  /// Over everything in parentheses, the token here being the first one.
  void skip_parentheses();
  struct Depth;

  // Names.
  [[nodiscard]] bool is_name() const;
  std::string name(std::string_view what);
  [[nodiscard]] std::string known(const Token& token) const;
  Node* name_node(std::string_view what) { return nodes_.string(name(what)); }
  /// (a, b), with the length of prefixes and ASC, DESC read over.
  List name_list();
  PgQuery__RangeVar* table_name();
  PgQuery__Alias* alias(bool is_required_as);
  List qualified_name(std::string_view what);

  // expression.cpp, primary.cpp, expression_node.cpp
  Node* expr();
  Node* or_expr();
  Node* xor_expr();
  Node* and_expr();
  Node* not_expr();
  Node* boolean_primary();
  Node* predicate();
  Node* bit_expr(int least = 0);
  Node* interval_sum(Node* left, bool is_minus, std::int32_t where);
  Node* unary();
  Node* primary();
  Node* postfix(Node* value);
  Node* next_value(std::int32_t where);
  Node* column_ref();
  Node* case_expr();
  Node* parenthesized();
  Node* literal();
  List expr_list();
  Node* bool_node(PgQuery__BoolExprType kind, List args, std::int32_t where);
  Node* op(std::string_view name, Node* a, Node* b, std::int32_t where);
  Node* a_expr(PgQuery__AExprKind kind, std::string_view name, Node* a, Node* b,
               std::int32_t where);
  Node* text_node(std::string_view value, std::int32_t where);
  Node* number_node(std::string_view digits, std::int32_t where);
  Node* integer_node(std::int32_t value, std::int32_t where);
  Node* null_node(std::int32_t where);
  Node* negated(Node* value, std::int32_t where);
  Node* sub_link(PgQuery__SubLinkType kind, Node* test, Node* query,
                 std::int32_t where);

  // function.cpp
  Node* function();
  Node* function_call(std::string name, std::int32_t where);
  std::optional<Node*> special_function(std::string_view name,
                                        std::int32_t where);
  std::optional<Node*> special_argument(std::string_view name,
                                        std::int32_t where);
  Node* aggregate(std::string_view name, std::int32_t where);
  Node* over(PgQuery__FuncCall* call);
  PgQuery__WindowDef* window();
  void frame_bound(PgQuery__WindowDef& window, bool is_end);
  Node* call(std::string_view name, List args, std::int32_t where);
  Node* cast(Node* value, PgQuery__TypeName* type, std::int32_t where);
  Node* now(PgQuery__SQLValueFunctionOp what, std::int32_t where);
  std::string unit();

  std::string table_collation_;  ///< of the CREATE TABLE that is read

  // type.cpp
  struct ColumnType {
    PgQuery__TypeName* type = nullptr;
    bool is_unsigned = false;
    bool is_binary = false;
    std::string collation;
    List labels;          ///< of ENUM
    bool is_set = false;  ///< SET
    std::string name;
    bool is_serial = false;
  };
  ColumnType column_type();
  static void collate(PgQuery__TypeName& type, std::string_view collation);
  PgQuery__TypeName* cast_type();
  PgQuery__TypeName* type_named(std::string_view name, std::int32_t where,
                                std::initializer_list<std::int32_t> sizes = {});

  // select.cpp
  Node* select_statement();
  Node* query_expression();
  PgQuery__SelectStmt* query_term();
  PgQuery__SelectStmt* query_primary();
  PgQuery__SelectStmt* plain_select();
  void fetch_first(PgQuery__SelectStmt& select);
  void order_and_limit(PgQuery__SelectStmt& select);
  void locking(PgQuery__SelectStmt& select);
  PgQuery__WithClause* with_clause();
  List select_items();
  List order_by();
  void into();
  List from_list();
  Node* joined_table();
  Node* table_factor();
  [[nodiscard]] bool is_query_start() const;
  [[nodiscard]] bool is_joined_query() const;

  // change.cpp
  Node* insert(bool replaces);
  PgQuery__SelectStmt* value_rows();
  List set_items();
  PgQuery__OnConflictClause* on_duplicate();
  void returning(std::size_t& count, Node**& items);
  Node* update();
  Node* remove();
  bool name_columns(PgQuery__JoinExpr& join);
  Node* all_joined(const List& tables);
  Node* split_target(Node* tables, std::string_view wanted, List& others,
                     List& conditions);
  Node* all_of(const List& conditions);

  // table.cpp
  Node* create_table(bool is_temporary);
  void table_element(PgQuery__CreateStmt& table, List& elements);
  Node* column(const std::string& name, std::int32_t where);
  void column_options(PgQuery__ColumnDef& column, const ColumnType& type,
                      List& constraints);
  void type_checks(const std::string& column, const ColumnType& type,
                   List& constraints, std::int32_t where);
  bool table_constraint(List& elements, PgQuery__RangeVar* table);
  PgQuery__Constraint* constraint(PgQuery__ConstrType kind, std::int32_t where);
  void reference(PgQuery__Constraint& constraint);
  void index_options();
  std::optional<std::int64_t> table_options();
  void partitions();
  Node* index(PgQuery__RangeVar* table, const std::string& name,
              bool is_unique);
  List key_parts();
  Node* create_index(bool is_unique);
  Node* default_value();

  // alter.cpp
  Node* alter_table();
  void alter(PgQuery__RangeVar* table, List& commands);
  void redefine(const std::string& old, List& commands,
                PgQuery__RangeVar* table);
  Node* command(PgQuery__AlterTableType kind, std::string_view name, Node* def);
  Node* rename_table();

  // statement.cpp, definition.cpp, session_statement.cpp
  Node* create();
  Node* create_sequence();
  Node* create_view();
  Node* create_routine(bool is_procedure);
  Node* create_trigger();
  Node* drop();
  Node* truncate();
  Node* call_statement();
  Node* transaction();
  Node* set_statement();
  void assignment();
  Node* harmless(Node* node);
  void definer();
  void skip_statement();
  std::size_t end_of_expression();

  const Source& source_;
  const MysqlState& state_;
  std::string_view text_;
  std::uint32_t offset_;
  std::vector<Token> tokens_;
  Token end_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_on_duplicate_ = false;
  std::shared_ptr<MysqlStatement> made_;
  Nodes& nodes_;
};

/// Deeper by one as long as it lives; refuses what is too deep.
struct MysqlParser::Depth {
  explicit Depth(MysqlParser& parser) : parser_(parser) {
    if (++parser.depth_ > kDeepest)
      parser.source_.fail(parser.here(), "this is nested too deeply");
  }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth() { --parser_.depth_; }
  MysqlParser& parser_;
};

}  // namespace txscope::sql
