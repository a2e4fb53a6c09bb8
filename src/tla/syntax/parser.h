#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/fixity.h"
#include "tla/syntax/syntax.h"
#include "tla/syntax/token.h"

namespace txscope::tla {

/// Deeper nesting than any person writes; keeps recursion over expressions
/// within the stack.
inline constexpr std::uint32_t kDeepestExpr = 1000;

/// A recursive-descent parser over the tokens of one module; private to
/// parse_module().  Expressions are in expression_parser.cpp, brackets in
/// bracket_parser.cpp, units of modules in module_parser.cpp.
///
/// Junction lists.  `fence_` is the column of the innermost bullet; a token at
/// or left of it does not exist for the expression being parsed, which is
/// how alignment ends an item (Lamport, Specifying Systems, Section 15.2.2).
class Parser {
 public:
  Parser(Tokens tokens, const Source& source);

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool at_symbol(std::string_view s, std::size_t ahead = 0) const;
  [[nodiscard]] bool at_keyword(std::string_view s) const;
  [[nodiscard]] bool at(TokenKind kind, std::size_t ahead = 0) const;
  bool accept_symbol(std::string_view symbol);
  bool accept_keyword(std::string_view word);
  void expect_symbol(std::string_view symbol, std::string_view after);
  void expect_keyword(std::string_view word, std::string_view after);
  std::string expect_identifier(std::string_view what);
  const Token& take();

  void parse_module(Module& module);

 private:
  // expression_parser.cpp
  const Expr* expression(const Fixity* outer = nullptr,
                         std::string_view outer_symbol = {});
  const Expr* operand();
  const Expr* prefix_operation(const Token& op, const Fixity& fixity);
  const Expr* applied_symbol();
  [[nodiscard]] bool at_label() const;
  const Expr* label();
  bool part(Expr& e);
  const Expr* suffixes(const Expr* base);
  const Expr* primary();
  const Expr* junction();
  const Expr* name();
  std::vector<const Expr*> arguments();
  const Expr* argument();
  const Expr* quantifier(ExprKind kind);
  const Expr* choose();
  const Expr* conditional();
  const Expr* case_expression();
  const Expr* let();
  const Expr* lambda();
  const Expr* fairness();
  const Expr* number();
  const Expr* binary(const Token& op, const Expr* left, const Expr* right);

  // bracket_parser.cpp
  const Expr* square_bracket();
  const Expr* record(bool is_set);
  const Expr* except(const Token& open, const Expr* base);
  const Expr* function(const Token& open, const Expr* first);
  const Expr* brace();
  const Expr* angle_bracket();
  const Expr* subscript();
  Bound bound();
  std::vector<Bound> bounds();
  Bound as_bound(const Expr* membership);
  [[nodiscard]] bool is_bound(const Expr* e) const;

  // module_parser.cpp
  void header(Module& module);
  void unit(Module& module);
  void declarations(std::vector<Param>& into);
  Param declaration();
  void theorem(Module& module);
  void skip_theorem();
  [[nodiscard]] bool starts_definition() const;
  void definition(bool is_local, Module& module);
  LetItem definition_item(bool is_local);
  std::vector<Param> parameters();
  void instance_body(InstanceDef& instance);
  void note_pluscal(Module& module);

  Expr& make(ExprKind kind, const Spot& spot);
  const Expr* finish(Expr& e);
  void check_depth(const Expr& e) const;
  [[noreturn]] void unexpected(std::string_view wanted) const;

  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  Tokens tokens_;
  const Source& source_;
  std::size_t next_ = 0;
  std::uint32_t fence_ = 0;
  std::uint32_t nesting_ = 0;
  Token fenced_;                     // what peek() shows beyond the fence
  const Expr* in_parens_ = nullptr;  // the last expression in parentheses
  Module* module_ = nullptr;         // owner of new nodes
};

}  // namespace txscope::tla
