#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/program.h"
#include "read/txn/token.h"

namespace txscope::txn {

/// Thrown inside this folder only; read_txn() turns it into a Result.
struct Failure {
  Error error;
};

/// Recursive descent over the tokens, resolving names as it goes.
///
/// Declarations may use each other whatever their order, so a first look
/// (split) cuts the file into declarations; then constants and variables are
/// read, then transactions, sessions, and properties at last.  Recursion is
/// limited by Program::kMaxNesting, for blocks as for expressions.
class Parser {
 public:
  Parser(Program& program, const std::vector<Token>& tokens)
      : program_(program), tokens_(tokens) {}

  void run();

 private:
  struct Declaration {
    std::size_t token;  // of its keyword
    std::string_view keyword;
  };
  /// Whose names an expression may use.
  enum class Scope { Constant, Transaction, Condition, Assume };

  // declarations.cpp
  void split();
  void require_nothing_before(std::size_t token);
  void check_braces();
  [[nodiscard]] bool stands_outside(std::size_t token) const;
  void declare_names();
  void parse_const();
  void parse_var();
  std::vector<Value> parse_initialiser(std::size_t size);
  Value parse_initial_value();
  void parse_txn();
  void parse_session(std::uint32_t position);
  void parse_call(ProgramSession& session, std::uint32_t position);
  std::vector<Value> parse_arguments(const Token& name,
                                     const Transaction& callee);
  void parse_property();
  void parse_assumption();
  void require_session();

  // statements.cpp
  TransactionId parse_transaction(std::string name, Span at,
                                  const std::vector<Token>& parameters);
  void collect_locals(std::size_t open_brace);
  void declare_local(const Token& name);
  Block parse_block();
  Statement parse_statement();
  Statement parse_assignment();
  [[nodiscard]] std::string changing(const std::string& name,
                                     const std::string& sign) const;
  Statement parse_write();
  Statement parse_if();
  Statement parse_for();
  Statement parse_while();
  Statement parse_assert();
  RowRef parse_place();
  LocalId local(const Token& name);
  PropertyId property(PropertyKind kind, std::string name, Span at);
  std::optional<std::string> parse_property_name();
  Span since(std::size_t first_token) const;

  // expressions.cpp
  ExprId parse_expression();
  ExprId parse_conditional();
  ExprId parse_binary(int least);
  ExprId parse_unary();
  ExprId parse_primary();
  ExprId parse_function(const Token& name);
  ExprId parse_name(const Token& name);
  ExprId parse_final_value(const Token& name);
  ExprId parse_local_of(const Token& session);
  ExprId make(Operator op, Span at, ExprId a, ExprId b = kNone<ExprId>,
              ExprId c = kNone<ExprId>);
  ExprId make_leaf(Operator op, Span at, std::uint32_t ref);
  ExprId make_constant(std::int64_t value, Span at);
  std::optional<std::int64_t> folded(Operator op, ExprId a, ExprId b,
                                     ExprId c) const;
  [[nodiscard]] bool is_constant(ExprId e) const {
    return e != kNone<ExprId> && program_.at(e).op == Operator::Constant;
  }
  std::int64_t parse_constant_expression();
  void check_index(TableId table, ExprId index);
  [[noreturn]] void unknown_name(const Token& name);

  // cursor.  A word is reserved only where the grammar has it and nothing else
  // could stand there.
  /// At the start of a line, or behind ';' or a brace.
  [[nodiscard]] bool starts_line(std::size_t token) const;
  /// `var`, `session` and so on at the start of a line.
  [[nodiscard]] bool starts_declaration(std::size_t token) const;
  /// The word begins a statement; followed by '=' it is a local.
  [[nodiscard]] bool is_word_of_statement(std::string_view word) const;
  /// `read`, and what is read behind it.
  [[nodiscard]] bool is_read() const;
  [[nodiscard]] const Token& peek();
  const Token& next();
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol, std::string_view after);
  const Token& expect_name(std::string_view what);
  void skip_newlines();
  void end_statement(std::string_view what);
  [[noreturn]] void fail(Span at, std::string what, std::string hint = {});

  Program& program_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  int ignore_newlines_ = 0;  // inside parentheses, brackets, initialisers
  std::uint32_t nesting_ = 0;
  std::vector<Declaration> declarations_;
  std::map<std::string, std::int64_t, std::less<>> consts_;
  std::map<std::string, Span, std::less<>> const_names_;
  std::map<std::string, TableId, std::less<>> tables_;
  std::map<std::string, TransactionId, std::less<>> transactions_;
  Scope scope_ = Scope::Constant;
  Transaction* transaction_ = nullptr;  // being parsed
  std::map<std::string, LocalId, std::less<>> locals_;
  std::vector<std::uint32_t> depths_;       // of expressions, by ExprId
  std::array<std::uint32_t, 3> unnamed_{};  // by kind; called by number
};

}  // namespace txscope::txn
