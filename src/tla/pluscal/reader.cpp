#include <algorithm>
#include <array>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word,
               const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What ends an expression wherever it stands.
constexpr std::array<std::string_view, 27> kDelimiters = {
    ";",     "do",        "then",   ":=",      "begin", "variable", "variables",
    "||",    "end",       "else",   "elsif",   "if",    "either",   "or",
    "while", "with",      "call",   "return",  "goto",  "print",    "assert",
    "skip",  "procedure", "define", "process", "fair",  "macro"};

/// Before these no semicolon is needed.
constexpr std::array<std::string_view, 13> kClosers = {
    "end",       "begin",   "else", "elsif",  "or", "do", "macro",
    "procedure", "process", "fair", "define", "}",  "{"};

constexpr std::array<std::string_view, 16> kStatementWords = {
    "while", "if",   "assert", "print", "else", "elsif", "either", "or",
    "end",   "with", "when",   "await", "skip", "call",  "return", "goto"};

/// What PlusCal calls := may also be written as one character.
bool is_same(const Token& token, std::string_view text) {
  return token.kind != TokenKind::String && token.text == text;
}

/// A recursive-descent parser of both syntaxes: P (`begin ... end`) and C
/// (braces).  Expressions are runs of tokens that end at a delimiter.
class Reader {
 public:
  Reader(const Source& source, std::size_t begin)
      : source_(source), tokens_(tokenize_algorithm(source, begin)) {}

  Algorithm run();

 private:
  const Token& peek(std::size_t ahead = 0) const {
    return tokens_.all[std::min(next_ + ahead, tokens_.all.size() - 1)];
  }
  bool at(std::string_view text, std::size_t ahead = 0) const {
    return is_same(peek(ahead), text);
  }
  const Token& take() {
    const Token& token = peek();
    if (token.kind == TokenKind::End && tokens_.fault) throw *tokens_.fault;
    if (next_ + 1 < tokens_.all.size()) ++next_;
    return token;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
  }
  [[noreturn]] void unexpected(const std::string& wanted) const;
  void expect(std::string_view text);
  std::string identifier(const std::string& what);
  void semicolon();
  void comma_or_semicolon();
  bool equal_or_in();
  void open_body();
  void close_body(std::string_view word);

  Formula formula(const std::string& of);
  Piece piece_of(const Token& token, std::uint32_t first_line) const;

  bool at_declarations_end() const;
  std::vector<Declaration> declarations();
  Declaration declaration(bool may_be_in);
  void definitions();
  MacroDefinition macro();
  Procedure procedure();
  Process process();
  void routine(Routine& routine, std::string_view word);

  bool at_label() const;
  void label(Statement& statement);
  bool at_sequence_end() const;
  Statements sequence();
  void labelled(Statements& into);
  Statements c_statement();
  Statement statement();
  Statement new_statement(StatementKind kind);
  Statement if_statement();
  Statement either();
  Statement while_statement();
  Statement with();
  Statement with_rest(Statement with);
  Statement one_formula(StatementKind kind, const std::string& of);
  Statement call();
  Statement go_to();
  Statement macro_call();
  Statement assignment();
  std::vector<Formula> arguments();
  std::string goto_target();

  const Source& source_;
  AlgorithmTokens tokens_;
  std::size_t next_ = 0;
  bool is_c_ = false;
  bool is_in_macro_ = false;
  Routine* routine_ = nullptr;  // whose labels and calls are collected
  Algorithm algorithm_;
};

void Reader::unexpected(const std::string& wanted) const {
  const Token& token = peek();
  if (token.kind == TokenKind::End && tokens_.fault) throw *tokens_.fault;
  fail(token.spot, "expected " + wanted + " in the algorithm, found " +
                       (token.kind == TokenKind::End
                            ? "the end of its comment"
                            : "'" + std::string(token.text) + "'"));
}

void Reader::expect(std::string_view text) {
  if (!accept(text)) unexpected("'" + std::string(text) + "'");
}

std::string Reader::identifier(const std::string& what) {
  if (peek().kind != TokenKind::Identifier) unexpected(what);
  return std::string(take().text);
}

/// A semicolon may be left out before what closes a statement.
void Reader::semicolon() {
  if (peek().kind == TokenKind::End || is_one_of(peek().text, kClosers)) return;
  if (accept(";")) return;
  if (is_one_of(peek().text, kStatementWords))
    fail(peek().spot, "a ; is missing before '" + std::string(peek().text) +
                          "' in the algorithm");
  unexpected("';'");
}

void Reader::comma_or_semicolon() {
  if (!accept(",")) semicolon();
}

bool Reader::equal_or_in() {
  if (accept("=")) return true;
  if (accept("\\in")) return false;
  unexpected("'=' or '\\in'");
}

void Reader::open_body() { expect(is_c_ ? "{" : "begin"); }

void Reader::close_body(std::string_view word) {
  if (is_c_) return expect("}");
  expect("end");
  expect(word);
}

Piece Reader::piece_of(const Token& token, std::uint32_t first_line) const {
  Piece piece;
  piece.text = source_.text.substr(token.offset, token.length);
  piece.kind = token.kind;
  piece.line = token.spot.line - first_line;
  piece.column = token.indent;
  piece.spot = token.spot;
  return piece;
}

/// Tokens up to a delimiter, or to a comma or bracket that does not belong to
/// them.  A comma after \A or \E is part of the quantifier.
Formula Reader::formula(const std::string& of) {
  Formula result;
  int depth = 0;
  bool in_quantifier = false;
  const Token first = peek();
  std::string_view before;
  for (;; take()) {
    const Token& token = peek();
    if (token.kind == TokenKind::End) break;
    const bool is_text = token.kind == TokenKind::String;
    const std::string_view text = is_text ? std::string_view() : token.text;
    const bool may_be_field = token.kind == TokenKind::Identifier &&
                              (before == "." || before == "[" || before == ",");
    if (is_one_of(text, kDelimiters) && !may_be_field) break;
    if (depth == 0 && ((text == "," && !in_quantifier) || text == ")" ||
                       text == "}" || text == "]" || text == ">>"))
      break;
    if (text == "(" || text == "[" || text == "{" || text == "<<") ++depth;
    if (text == ")" || text == "]" || text == "}" || text == ">>" ||
        text == "]_" || text == ">>_")
      --depth;
    if (depth == 0 && (text == "\\A" || text == "\\E")) in_quantifier = true;
    if (depth == 0 && text == ":") in_quantifier = false;
    before = is_text ? " " : text;
    result.pieces.push_back(piece_of(token, first.spot.line));
  }
  if (result.empty()) unexpected(of);
  if (depth > 0)
    fail(result.spot(), "a bracket of this expression is not closed before '" +
                            std::string(peek().text) + "'");
  return result;
}

Algorithm Reader::run() {
  expect("--");
  algorithm_.is_fair = accept("fair");
  algorithm_.spot = peek().spot;
  expect("algorithm");
  algorithm_.name = identifier("the name of the algorithm");
  is_c_ = accept("{");
  if (at("variable") || at("variables")) algorithm_.variables = declarations();
  if (accept("define")) definitions();
  while (at("macro")) algorithm_.macros.push_back(macro());
  while (at("procedure")) algorithm_.procedures.push_back(procedure());
  while (at("process") || (at("fair") && (at("process", 1) || at("+", 1))))
    algorithm_.processes.push_back(process());
  if (!algorithm_.is_parallel()) {
    if (accept("fair")) algorithm_.is_fair = true;  // of version 1.5
    routine_ = &algorithm_.main;
    algorithm_.main.spot = algorithm_.spot;
    open_body();
    algorithm_.main.body = sequence();
    if (is_c_) expect("}");
  }
  if (is_c_) {
    expect("}");
  } else {
    expect("end");
    expect("algorithm");
  }
  return std::move(algorithm_);
}

bool Reader::at_declarations_end() const {
  constexpr std::array<std::string_view, 7> kEnds = {
      "begin", "{", "procedure", "process", "fair", "define", "macro"};
  return peek().kind == TokenKind::End || is_one_of(peek().text, kEnds);
}

std::vector<Declaration> Reader::declarations() {
  std::vector<Declaration> all;
  take();  // variable or variables
  while (!at_declarations_end()) {
    all.push_back(declaration(true));
    comma_or_semicolon();
  }
  return all;
}

Declaration Reader::declaration(bool may_be_in) {
  Declaration one;
  one.spot = peek().spot;
  one.name = identifier("a variable");
  if (at("=") || (may_be_in && at("\\in"))) {
    one.is_equal = equal_or_in();
    one.value = formula("the value of " + one.name);
  } else {
    algorithm_.has_default = true;
    one.value =
        formula_of({{"defaultInitValue", TokenKind::Identifier}}, one.spot);
  }
  return one;
}

void Reader::definitions() {
  if (is_c_) expect("{");
  algorithm_.definitions = formula("definitions");
  if (is_c_) {
    expect("}");
  } else {
    expect("end");
    expect("define");
  }
  accept(";");
}

MacroDefinition Reader::macro() {
  MacroDefinition result;
  take();
  result.spot = peek().spot;
  result.name = identifier("the name of a macro");
  expect("(");
  while (!at(")")) {
    if (!result.parameters.empty()) expect(",");
    result.parameters.push_back(identifier("a parameter"));
  }
  take();
  is_in_macro_ = true;
  open_body();
  result.body = sequence();
  close_body("macro");
  is_in_macro_ = false;
  accept(";");
  return result;
}

void Reader::routine(Routine& routine, std::string_view word) {
  if (at("variable") || at("variables")) routine.variables = declarations();
  routine_ = &routine;
  open_body();
  routine.body = sequence();
  close_body(word);
  routine_ = nullptr;
  accept(";");
}

Procedure Reader::procedure() {
  Procedure result;
  take();
  result.spot = peek().spot;
  result.name = identifier("the name of a procedure");
  expect("(");
  while (!at(")")) {
    if (!result.parameters.empty()) expect(",");
    result.parameters.push_back(declaration(false));
  }
  take();
  routine(result, "procedure");
  for (const Declaration& variable : result.variables)
    if (!variable.is_equal)
      fail(variable.spot,
           "a variable of a procedure has one initial value, not one of a set",
           "write = instead of \\in");
  return result;
}

Process Reader::process() {
  Process result;
  if (accept("fair"))
    result.fairness =
        accept("+") ? ProcessFairness::Strong : ProcessFairness::Weak;
  expect("process");
  if (is_c_) expect("(");
  result.spot = peek().spot;
  result.name = identifier("the name of a process");
  result.is_one = equal_or_in();
  result.id = formula("the identifier of the process");
  if (is_c_) expect(")");
  routine(result, "process");
  return result;
}

bool Reader::at_label() const {
  return peek().kind == TokenKind::Identifier &&
         !is_one_of(peek().text, kStatementWords) && at(":", 1);
}

void Reader::label(Statement& statement) {
  if (!at_label()) return;
  statement.label_spot = peek().spot;
  statement.label = std::string(take().text);
  if (is_in_macro_) fail(statement.label_spot, "a macro must not have labels");
  if (statement.label == "Done" || statement.label == "Error")
    fail(statement.label_spot,
         statement.label + " is a label of the translation's own",
         "call it otherwise");
  take();
  algorithm_.has_labels = true;
  if (routine_ == nullptr) return;
  if (accept("+")) {
    routine_->plus_labels.push_back(statement.label);
    algorithm_.has_fair_labels = true;
  } else if (accept("-")) {
    routine_->minus_labels.push_back(statement.label);
    algorithm_.has_fair_labels = true;
  }
}

bool Reader::at_sequence_end() const {
  if (peek().kind == TokenKind::End) return true;
  if (is_c_) return at("}");
  return at("end") || at("else") || at("elsif") || at("or");
}

Statements Reader::sequence() {
  Statements all;
  while (!at_sequence_end()) labelled(all);
  if (all.empty() && is_c_) unexpected("a statement");
  return all;
}

/// A statement, or several in braces, of which the first has the label.
void Reader::labelled(Statements& into) {
  Statement holder;
  label(holder);
  Statements read;
  if (is_c_ && accept("{")) {
    read = sequence();
    expect("}");
    semicolon();
  } else {
    read.push_back(statement());
  }
  if (!holder.label.empty()) {
    Statement& first = read.front();
    if (!first.label.empty())
      fail(first.label_spot, "this statement has two labels");
    first.label = std::move(holder.label);
    first.label_spot = holder.label_spot;
  }
  std::move(read.begin(), read.end(), std::back_inserter(into));
}

Statements Reader::c_statement() {
  Statements all;
  labelled(all);
  return all;
}

Statement Reader::new_statement(StatementKind kind) {
  Statement result;
  result.kind = kind;
  result.spot = peek().spot;
  return result;
}

Statement Reader::statement() {
  if (at("if")) return if_statement();
  if (at("either")) return either();
  if (at("while")) return while_statement();
  if (at("with")) return with();
  if (at("when") || at("await"))
    return one_formula(StatementKind::Await, "a condition");
  if (at("print")) return one_formula(StatementKind::Print, "an expression");
  if (at("assert")) return one_formula(StatementKind::Assert, "a condition");
  if (at("call")) return call();
  if (at("goto")) return go_to();
  if (at("skip") || at("return")) {
    Statement result =
        new_statement(at("skip") ? StatementKind::Skip : StatementKind::Return);
    take();
    semicolon();
    return result;
  }
  if (peek().kind != TokenKind::Identifier) unexpected("a statement");
  if (at("(", 1)) return macro_call();
  return assignment();
}

Statement Reader::if_statement() {
  Statement result = new_statement(StatementKind::If);
  const bool is_outer = at("if");
  take();
  if (is_c_) expect("(");
  result.formula = formula("a condition");
  if (is_c_) expect(")");
  result.clauses.resize(2);
  if (is_c_) {
    result.clauses[0] = c_statement();
    if (accept("else")) result.clauses[1] = c_statement();
    return result;
  }
  expect("then");
  result.clauses[0] = sequence();
  if (at("elsif"))
    result.clauses[1].push_back(if_statement());
  else if (accept("else"))
    result.clauses[1] = sequence();
  if (!is_outer) return result;
  expect("end");
  expect("if");
  semicolon();
  return result;
}

Statement Reader::either() {
  Statement result = new_statement(StatementKind::Either);
  take();
  do {
    result.clauses.push_back(is_c_ ? c_statement() : sequence());
    if (result.clauses.back().empty())
      fail(peek().spot, "a clause of either has no statement");
  } while (accept("or"));
  if (!is_c_) {
    expect("end");
    expect("either");
    semicolon();
  }
  if (result.clauses.size() < 2) fail(result.spot, "this either has no or");
  return result;
}

Statement Reader::while_statement() {
  Statement result = new_statement(StatementKind::While);
  take();
  if (is_c_) expect("(");
  result.formula = formula("a condition");
  if (is_c_) {
    expect(")");
    result.clauses.push_back(c_statement());
    return result;
  }
  expect("do");
  result.clauses.push_back(sequence());
  if (result.clauses[0].empty())
    fail(result.spot, "this while has no statement in it");
  expect("end");
  expect("while");
  semicolon();
  return result;
}

Statement Reader::with() {
  Statement result = new_statement(StatementKind::With);
  take();
  if (is_c_) expect("(");
  return with_rest(std::move(result));
}

/// `with a \in S, b = 1` is one `with` inside of another.
Statement Reader::with_rest(Statement with) {
  const Spot spot = with.spot;
  with.name = identifier("a variable");
  with.is_equal = equal_or_in();
  with.formula = formula("the value of " + with.name);
  if (!is_c_ || !at(")")) comma_or_semicolon();
  if (!is_c_ && accept("do")) {
    with.clauses.push_back(sequence());
    expect("end");
    expect("with");
    semicolon();
  } else if (is_c_ && accept(")")) {
    with.clauses.push_back(c_statement());
  } else {
    Statement inner = new_statement(StatementKind::With);
    inner.spot = spot;
    with.clauses.push_back({});
    with.clauses.back().push_back(with_rest(std::move(inner)));
  }
  if (with.clauses.back().empty())
    fail(spot, "this with has no statement in it");
  return with;
}

Statement Reader::one_formula(StatementKind kind, const std::string& of) {
  Statement result = new_statement(kind);
  take();
  result.formula = formula(of);
  semicolon();
  return result;
}

std::vector<Formula> Reader::arguments() {
  std::vector<Formula> all;
  expect("(");
  while (!at(")")) {
    if (!all.empty()) expect(",");
    all.push_back(formula("an argument"));
  }
  take();
  return all;
}

std::string Reader::goto_target() {
  algorithm_.has_goto = true;
  std::string target = identifier("a label");
  if (target == "Done") algorithm_.has_goto_done = true;
  return target;
}

Statement Reader::call() {
  Statement result = new_statement(StatementKind::Call);
  take();
  result.name = identifier("the name of a procedure");
  result.arguments = arguments();
  semicolon();
  if (routine_ != nullptr) {
    auto& calls = routine_->calls;
    if (std::find(calls.begin(), calls.end(), result.name) == calls.end())
      calls.push_back(result.name);
  }
  if (accept("return")) {
    result.kind = StatementKind::CallReturn;
    semicolon();
  } else if (accept("goto")) {
    result.kind = StatementKind::CallGoto;
    result.target = goto_target();
    semicolon();
  }
  return result;
}

Statement Reader::go_to() {
  Statement result = new_statement(StatementKind::Goto);
  take();
  result.target = goto_target();
  semicolon();
  return result;
}

Statement Reader::macro_call() {
  Statement result = new_statement(StatementKind::Macro);
  result.name = std::string(take().text);
  result.arguments = arguments();
  semicolon();
  return result;
}

Statement Reader::assignment() {
  Statement result = new_statement(StatementKind::Assign);
  do {
    Assignment one;
    one.spot = peek().spot;
    one.variable = identifier("a variable");
    if (!at(":=")) one.subscript = formula("':='");
    expect(":=");
    one.value = formula("a value");
    result.assignments.push_back(std::move(one));
  } while (accept("||"));
  semicolon();
  return result;
}

}  // namespace

Algorithm read_algorithm(const Source& source, std::size_t begin) {
  return Reader(source, begin).run();
}

}  // namespace txscope::tla::pluscal
