#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/txn/parser.h"

namespace txscope::txn {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  Operator op;
  int precedence;  // higher binds tighter, as in C
};

constexpr auto kBinary = std::to_array<BinaryOperator>({
    {"||", Operator::Or, 1},
    {"&&", Operator::And, 2},
    {"|", Operator::BitOr, 3},
    {"^", Operator::BitXor, 4},
    {"&", Operator::BitAnd, 5},
    {"==", Operator::Equal, 6},
    {"!=", Operator::NotEqual, 6},
    {"<", Operator::Less, 7},
    {"<=", Operator::LessEqual, 7},
    {">", Operator::Greater, 7},
    {">=", Operator::GreaterEqual, 7},
    {"<<", Operator::ShiftLeft, 8},
    {">>", Operator::ShiftRight, 8},
    {"+", Operator::Add, 9},
    {"-", Operator::Subtract, 9},
    {"*", Operator::Multiply, 10},
    {"/", Operator::Divide, 10},
    {"%", Operator::Remainder, 10},
});

const BinaryOperator* binary_operator(const Token& token) {
  if (token.kind != TokenKind::Symbol) return nullptr;
  for (const BinaryOperator& row : kBinary) {
    if (token.text == row.symbol) return &row;
  }
  return nullptr;
}

struct Function {
  std::string_view name;
  Operator op;
  std::size_t arity;
};
constexpr auto kFunctions = std::to_array<Function>({
    {"min", Operator::Min, 2},
    {"max", Operator::Max, 2},
    {"abs", Operator::Abs, 1},
});

}  // namespace

ExprId Parser::parse_expression() {
  if (++nesting_ > Program::kMaxNesting) {
    fail(peek().at, "the expression is nested too deeply",
         "at most 256 levels; use locals for parts of it");
  }
  const ExprId result = parse_conditional();
  --nesting_;
  return result;
}

ExprId Parser::parse_conditional() {
  const ExprId condition = parse_binary(1);
  if (!peek().is("?")) return condition;
  const Span at = next().at;
  const ExprId yes = parse_expression();
  expect(":", "in a conditional expression");
  const ExprId no = parse_expression();
  return make(Operator::Conditional, at, condition, yes, no);
}

ExprId Parser::parse_binary(int least) {
  ExprId left = parse_unary();
  for (;;) {
    const BinaryOperator* row = binary_operator(peek());
    if (row == nullptr || row->precedence < least) return left;
    const Span at = next().at;
    const ExprId right = parse_binary(row->precedence + 1);
    left = make(row->op, at, left, right);
  }
}

ExprId Parser::parse_unary() {
  const Token& token = peek();
  const Operator op = token.is("-")   ? Operator::Negate
                      : token.is("!") ? Operator::Not
                      : token.is("~") ? Operator::Complement
                                      : Operator::Constant;
  if (op == Operator::Constant) return parse_primary();
  const Span at = next().at;
  if (op == Operator::Negate && peek().kind == TokenKind::Number &&
      peek().value == kMinMagnitude) {
    next();
    return make_constant(INT64_MIN, at);
  }
  if (++nesting_ > Program::kMaxNesting) {
    fail(at, "the expression is nested too deeply", "at most 256 levels");
  }
  const ExprId operand = parse_unary();
  --nesting_;
  return make(op, at, operand);
}

ExprId Parser::parse_primary() {
  const Token& token = peek();
  if (token.kind == TokenKind::Number) {
    if (token.value >= kMinMagnitude) {
      fail(token.at,
           "the number " + std::string(token.text) + " is out of range",
           "values are 64-bit signed integers, up to 9223372036854775807");
    }
    next();
    return make_constant(static_cast<std::int64_t>(token.value), token.at);
  }
  if (accept("(")) {
    ++ignore_newlines_;
    const ExprId inner = parse_expression();
    if (!peek().is(")")) {
      fail(peek().at, "expected ')', found " + describe(peek()),
           "the parenthesis was opened on line " +
               std::to_string(token.at.line));
    }
    --ignore_newlines_;  // so that a newline right after it counts
    ++at_;
    return inner;
  }
  if (is_read()) {
    fail(token.at, "'read' cannot appear inside an expression",
         "read into a local first: v = read x");
  }
  if (token.is("?")) {
    fail(token.at, "'?' can only be an initial value or an argument");
  }
  if (token.is_word()) {
    next();
    return tokens_[at_].is("(") ? parse_function(token) : parse_name(token);
  }
  if (token.kind == TokenKind::Newline) {
    fail(token.at, "expected an expression before the end of the line",
         "a newline ends the statement; put a longer one in parentheses");
  }
  fail(token.at, "expected an expression, found " + describe(token));
}

ExprId Parser::parse_function(const Token& name) {
  const auto* row =
      std::find_if(kFunctions.begin(), kFunctions.end(),
                   [&name](const Function& f) { return f.name == name.text; });
  if (row == kFunctions.end()) {
    fail(name.at, "unknown function '" + std::string(name.text) + "'",
         transactions_.contains(name.text)
             ? "transactions are called in sessions only"
             : "there are min(a,b), max(a,b) and abs(a)");
  }
  expect("(", "after a function's name");
  ++ignore_newlines_;
  std::vector<ExprId> args;
  if (!peek().is(")")) {
    do {
      args.push_back(parse_expression());
    } while (accept(","));
  }
  if (!peek().is(")")) {
    fail(peek().at, "expected ')' or ',', found " + describe(peek()));
  }
  --ignore_newlines_;
  ++at_;
  if (args.size() != row->arity) {
    fail(name.at, std::string(name.text) + " takes " +
                      std::to_string(row->arity) + " argument" +
                      (row->arity == 1 ? "" : "s") + ", not " +
                      std::to_string(args.size()));
  }
  return make(row->op, name.at, args[0],
              args.size() > 1 ? args[1] : kNone<ExprId>);
}

ExprId Parser::parse_name(const Token& name) {
  if (scope_ == Scope::Transaction) {
    const auto local = locals_.find(name.text);
    if (local != locals_.end()) {
      return make_leaf(Operator::Local, name.at, local->second.index);
    }
  }
  const bool has_calls = scope_ == Scope::Condition || scope_ == Scope::Assume;
  if (has_calls && tokens_[at_].is(".")) {
    return parse_local_of(name);
  }
  const auto constant = consts_.find(name.text);
  if (constant != consts_.end()) {
    return make_constant(constant->second, name.at);
  }
  if (tables_.contains(name.text)) return parse_final_value(name);
  unknown_name(name);
}

ExprId Parser::parse_final_value(const Token& name) {
  const std::string text(name.text);
  switch (scope_) {
    case Scope::Constant:
      fail(name.at, "'" + text + "' is a variable; its value is not constant");
    case Scope::Transaction:
      fail(name.at, "the place '" + text + "' cannot appear in an expression",
           "read it into a local first: v = read " + text);
    case Scope::Condition:
    case Scope::Assume: break;
  }
  --at_;
  const RowRef row = parse_place();
  const ExprId e = make_leaf(Operator::FinalRow, name.at, row.table.index);
  if (!row.key.empty()) {
    program_.exprs[e.index].arg[0] = row.key[0];
    depths_[e.index] = depths_[row.key[0].index] + 1;
  }
  return e;
}

ExprId Parser::parse_local_of(const Token& session_name) {
  expect(".", "after the session");
  const Token& label = expect_name("a transaction's label");
  expect(".", "after the label");
  const Token& local_name = expect_name("a local");

  std::vector<std::string> names;
  LocalRef ref;
  for (; ref.session < program_.sessions.size(); ++ref.session) {
    names.push_back(program_.sessions[ref.session].name);
    if (names.back() == session_name.text) break;
  }
  if (ref.session == program_.sessions.size()) {
    fail(session_name.at,
         "unknown session '" + std::string(session_name.text) + "'",
         suggestion(session_name.text, names));
  }
  const ProgramSession& session = program_.sessions[ref.session];
  names.clear();
  for (; ref.call < session.calls.size(); ++ref.call) {
    names.push_back(session.calls[ref.call].label);
    if (names.back() == label.text) break;
  }
  if (ref.call == session.calls.size()) {
    fail(label.at,
         "session '" + session.name + "' has no transaction labelled '" +
             std::string(label.text) + "'",
         suggestion(label.text, names));
  }
  const auto& locals = program_.at(session.calls[ref.call].transaction).locals;
  const auto found = std::find(locals.begin(), locals.end(), local_name.text);
  if (found == locals.end()) {
    fail(local_name.at,
         "transaction '" + std::string(label.text) + "' has no local '" +
             std::string(local_name.text) + "'",
         suggestion(local_name.text, locals));
  }
  ref.local = LocalId(static_cast<std::size_t>(found - locals.begin()));
  const Transaction& called = program_.at(session.calls[ref.call].transaction);
  if (scope_ == Scope::Assume && ref.local.index >= called.parameters) {
    fail(local_name.at,
         "'" + std::string(local_name.text) + "' is not a parameter of '" +
             called.name + "'",
         "a top-level assume speaks of inputs: initial values and parameters");
  }
  program_.local_refs.push_back(ref);
  Span at = session_name.at;
  at.length = local_name.at.offset + local_name.at.length - at.offset;
  return make_leaf(Operator::LocalOf, at,
                   static_cast<std::uint32_t>(program_.local_refs.size() - 1));
}

ExprId Parser::make_leaf(Operator op, Span at, std::uint32_t ref) {
  Expr e;
  e.op = op;
  e.at = at;
  e.ref = ref;
  program_.exprs.push_back(e);
  depths_.push_back(1);
  return ExprId(program_.exprs.size() - 1);
}

ExprId Parser::make_constant(std::int64_t value, Span at) {
  const ExprId e = make_leaf(Operator::Constant, at, 0);
  program_.exprs[e.index].constant = value;
  return e;
}

ExprId Parser::make(Operator op, Span at, ExprId a, ExprId b, ExprId c) {
  if (const auto value = folded(op, a, b, c)) return make_constant(*value, at);
  std::uint32_t depth = 0;
  for (const ExprId arg : {a, b, c}) {
    if (arg != kNone<ExprId>) depth = std::max(depth, depths_[arg.index]);
  }
  if (depth >= Program::kMaxDepth) {
    fail(at, "the expression is nested too deeply",
         "at most 1000 operators on a path; use locals for parts of it");
  }
  Expr e;
  e.op = op;
  e.at = at;
  e.arg = {a, b, c};
  program_.exprs.push_back(e);
  depths_.push_back(depth + 1);
  return ExprId(program_.exprs.size() - 1);
}

/// The value of an operator on constants.  One that would fail is left to
/// fail where it is executed.
std::optional<std::int64_t> Parser::folded(Operator op, ExprId a, ExprId b,
                                           ExprId c) const {
  if (!is_constant(a)) return std::nullopt;
  const std::int64_t x = program_.at(a).constant;
  if (op == Operator::Conditional) {
    const ExprId chosen = x != 0 ? b : c;
    if (!is_constant(chosen)) return std::nullopt;
    return program_.at(chosen).constant;
  }
  if (op == Operator::And && x == 0) return 0;
  if (op == Operator::Or && x != 0) return 1;
  if (b != kNone<ExprId> && !is_constant(b)) return std::nullopt;
  const std::int64_t y = b == kNone<ExprId> ? 0 : program_.at(b).constant;
  if (op == Operator::And || op == Operator::Or) return y != 0;
  const Computed result = compute(op, x, y);
  if (result.fault != Fault::None) return std::nullopt;
  return result.value;
}

std::int64_t Parser::parse_constant_expression() {
  const Scope outer = scope_;
  scope_ = Scope::Constant;
  ExprId e = parse_expression();
  scope_ = outer;
  while (!is_constant(e)) {
    // Everything is constant here, so some operator failed: the innermost one
    // that would be evaluated.
    const Expr& node = program_.at(e);
    ExprId culprit = kNone<ExprId>;
    if (node.op == Operator::Conditional && is_constant(node.arg[0])) {
      culprit =
          program_.at(node.arg[0]).constant != 0 ? node.arg[1] : node.arg[2];
    } else {
      for (const ExprId arg : node.arg) {
        if (arg != kNone<ExprId> && !is_constant(arg)) {
          culprit = arg;
          break;
        }
      }
    }
    if (culprit == kNone<ExprId>) {
      const std::int64_t b =
          is_constant(node.arg[1]) ? program_.at(node.arg[1]).constant : 0;
      const Fault fault =
          compute(node.op, program_.at(node.arg[0]).constant, b).fault;
      fail(node.at,
           std::string(txscope::describe(fault)) + " in a constant expression");
    }
    e = culprit;
  }
  return program_.at(e).constant;
}

void Parser::check_index(TableId table, ExprId index) {
  if (!is_constant(index)) return;
  const std::int64_t i = program_.at(index).constant;
  const Table& t = program_.at(table);
  if (i >= 0 && static_cast<std::uint64_t>(i) < t.rows.size()) return;
  fail(program_.at(index).at, "index " + std::to_string(i) + " is out of range",
       "the elements are " + t.name + "[0] to " + t.name + "[" +
           std::to_string(t.rows.size() - 1) + "]");
}

void Parser::unknown_name(const Token& name) {
  std::vector<std::string> names;
  for (const auto& [text, value] : consts_) names.push_back(text);
  if (scope_ == Scope::Transaction) {
    for (const auto& [text, id] : locals_) names.push_back(text);
  }
  if (scope_ == Scope::Condition || scope_ == Scope::Assume) {
    for (const auto& [text, id] : tables_) names.push_back(text);
  }
  std::string hint = suggestion(name.text, names);
  if (const_names_.contains(name.text)) {
    hint = "the constant '" + std::string(name.text) +
           "' is declared further down; move it up";
  } else if (hint.empty() && scope_ == Scope::Condition) {
    hint =
        "a condition speaks of final values of variables, and of locals as "
        "session.label.local";
  } else if (scope_ == Scope::Transaction && name.is("read")) {
    hint = "read into a local first: v = read x";
  } else if (hint.empty() && scope_ == Scope::Transaction) {
    hint = "no statement of this transaction assigns it";
  }
  fail(name.at, "unknown name '" + std::string(name.text) + "'",
       std::move(hint));
}

}  // namespace txscope::txn
