#include <algorithm>

#include "base/suggest.h"
#include "read/txn/parser.h"

namespace txscope::txn {
namespace {

constexpr std::uint64_t kMaxElements = 1u << 20;  // of all arrays together

/// What behind `var` or `session` says that it is one, and no name.
bool can_follow_declarator(const Token& token) {
  return token.is_word() || token.is("{") || token.kind == TokenKind::Number ||
         token.kind == TokenKind::String;
}

}  // namespace

void Parser::run() {
  check_braces();
  split();
  declare_names();
  const auto each = [this](std::string_view keyword, auto&& parse) {
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
      if (declarations_[i].keyword != keyword) continue;
      at_ = declarations_[i].token;
      parse();
      require_nothing_before(i + 1 < declarations_.size()
                                 ? declarations_[i + 1].token
                                 : tokens_.size());
    }
  };
  each("const", [this] { parse_const(); });
  each("var", [this] { parse_var(); });
  each("txn", [this] { parse_txn(); });
  std::uint32_t position = 0;
  each("session", [&] { parse_session(++position); });
  require_session();
  each("invariant", [this] { parse_property(); });
  each("assert", [this] { parse_property(); });
  each("exists", [this] { parse_property(); });
  each("assume", [this] { parse_assumption(); });
}

/// Braces first: one that is missing would be reported far from its place.
void Parser::check_braces() {
  std::vector<Span> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.is("{")) open.push_back(token.at);
    if (token.is("}")) {
      if (open.empty()) fail(token.at, "'}' without a '{' before it");
      open.pop_back();
    }
    if (!open.empty() && stands_outside(i)) {
      fail(token.at,
           "'" + std::string(token.text) + "' cannot appear inside a block",
           "is a '}' missing? the block was opened on line " +
               std::to_string(open.back().line));
    }
  }
  if (!open.empty()) {
    fail(open.back(), "this '{' is never closed", "add the missing '}'");
  }
}

/// A declaration that no block has: not a local, a label or a call of that
/// name.
bool Parser::stands_outside(std::size_t i) const {
  const Token& token = tokens_[i];
  const bool outermost = token.is("session") || token.is("var") ||
                         token.is("const") || token.is("invariant");
  if (!outermost || !starts_line(i)) return false;
  return can_follow_declarator(tokens_[i + 1]);
}

/// Finds where each declaration starts: outside of all brackets.
void Parser::split() {
  int depth = 0;
  int parentheses = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
    if (token.is("(")) ++parentheses;
    if (token.is(")")) --parentheses;
    if (depth > 0 || !starts_declaration(i)) continue;
    // One that is never closed shall not hide what follows.
    if (parentheses > 0 && !can_follow_declarator(tokens_[i + 1])) continue;
    parentheses = 0;
    declarations_.push_back({i, token.text});
  }
  require_nothing_before(declarations_.empty() ? tokens_.size()
                                               : declarations_[0].token);
}

/// What lies between here and the next declaration must be empty.
void Parser::require_nothing_before(std::size_t end) {
  static const std::vector<std::string> kKeywords = {
      "var",       "const",  "txn",    "session",
      "invariant", "assert", "exists", "assume"};
  for (; at_ < end; ++at_) {
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::Newline || token.kind == TokenKind::End ||
        token.is(";")) {
      continue;
    }
    std::string hint =
        token.kind == TokenKind::Name ? suggestion(token.text, kKeywords) : "";
    if (hint.empty()) {
      hint =
          "declarations begin with var, const, txn, session, invariant, "
          "assert, exists or assume";
    }
    fail(token.at, "expected a declaration, found " + describe(token),
         std::move(hint));
  }
}

/// What variables and transactions are called, before anything uses them.
void Parser::declare_names() {
  std::vector<std::string_view> transactions;
  for (const Declaration& declaration : declarations_) {
    const bool names = declaration.keyword == "var" ||
                       declaration.keyword == "const" ||
                       declaration.keyword == "txn";
    if (!names) continue;
    at_ = declaration.token + 1;
    const Token& name = expect_name("a name");
    const std::string text(name.text);
    if (declaration.keyword == "txn") {
      if (std::find(transactions.begin(), transactions.end(), name.text) !=
          transactions.end()) {
        fail(name.at, "the transaction '" + text + "' is declared twice");
      }
      transactions.push_back(name.text);
      continue;
    }
    if (tables_.contains(text) || const_names_.contains(text)) {
      fail(name.at, "the name '" + text + "' is declared twice");
    }
    if (declaration.keyword == "const") {
      const_names_.emplace(text, name.at);
      continue;
    }
    Table table;
    table.name = text;
    table.at = name.at;
    tables_.emplace(text, TableId(program_.tables.size()));
    program_.tables.push_back(std::move(table));
  }
}

void Parser::parse_const() {
  next();
  const Token& name = next();
  expect("=", "after the name of a constant");
  const std::int64_t value = parse_constant_expression();
  consts_.emplace(name.text, value);
  end_statement("the declaration");
}

void Parser::parse_var() {
  next();
  const Token& name = next();
  Table& table = program_.tables[tables_.find(name.text)->second.index];
  std::size_t size = 1;
  if (accept("[")) {
    const Token& count = next();
    if (count.kind != TokenKind::Number) {
      fail(count.at,
           "expected the size of the array, found " + describe(count));
    }
    if (count.value == 0) fail(count.at, "an array needs an element");
    std::uint64_t total = count.value;
    for (const Table& other : program_.tables) total += other.rows.size();
    if (total > kMaxElements) {
      fail(count.at, "the arrays are too large",
           "at most 1048576 elements together");
    }
    expect("]", "after the size of the array");
    size = static_cast<std::size_t>(count.value);
    table.columns.push_back({"index"});
    table.key_columns = 1;
  }
  table.columns.push_back({"value"});
  std::vector<Value> values(size, Value(std::int64_t{0}));
  if (accept("=")) values = parse_initialiser(table.key_columns ? size : 0);
  table.rows.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    Row row;
    if (table.key_columns) row.emplace_back(static_cast<std::int64_t>(i));
    row.push_back(values[i]);
    table.rows.push_back(std::move(row));
  }
  end_statement("the declaration");
}

/// `size` is 0 for a register.
std::vector<Value> Parser::parse_initialiser(std::size_t size) {
  const Token& open = peek();
  if (!accept("{")) {
    return std::vector<Value>(std::max<std::size_t>(size, 1),
                              parse_initial_value());
  }
  if (size == 0) {
    fail(open.at, "a register has one initial value, not a list",
         "var name[n] = {...} declares an array");
  }
  ++ignore_newlines_;
  std::vector<Value> values;
  do {
    values.push_back(parse_initial_value());
  } while (accept(","));
  if (!peek().is("}")) {
    fail(peek().at, "expected '}' or ',', found " + describe(peek()));
  }
  --ignore_newlines_;
  ++at_;
  if (values.size() != size) {
    fail(open.at, "the array has " + std::to_string(size) +
                      " elements, the list has " +
                      std::to_string(values.size()));
  }
  return values;
}

Value Parser::parse_initial_value() {
  const Token& token = peek();
  if (accept("?")) {
    if (!program_.arbitrary) program_.arbitrary = token.at;
    return Arbitrary{};
  }
  return parse_constant_expression();
}

void Parser::parse_txn() {
  next();
  const Token& name = next();
  expect("(", "after the name of a transaction");
  ++ignore_newlines_;
  std::vector<Token> parameters;
  if (!peek().is(")")) {
    do {
      parameters.push_back(expect_name("a parameter"));
    } while (accept(","));
  }
  if (!peek().is(")")) {
    fail(peek().at, "expected ')' or ',', found " + describe(peek()));
  }
  --ignore_newlines_;
  ++at_;
  const TransactionId id =
      parse_transaction(std::string(name.text), name.at, parameters);
  transactions_.emplace(name.text, id);
}

void Parser::parse_session(std::uint32_t position) {
  ProgramSession session;
  session.at = next().at;
  session.name = "s" + std::to_string(position);
  if (peek().is_word()) {
    session.at = peek().at;
    session.name = expect_name("the name of a session").text;
  }
  for (const ProgramSession& other : program_.sessions) {
    if (other.name == session.name) {
      fail(session.at, "the session '" + session.name + "' is declared twice",
           "unnamed sessions are called s1, s2, ... by position");
    }
  }
  skip_newlines();
  expect("{", "after the session");
  for (std::uint32_t item = 1;;) {
    skip_newlines();
    if (accept(";")) continue;
    if (accept("}")) break;
    parse_call(session, item++);
  }
  program_.sessions.push_back(std::move(session));
}

void Parser::parse_call(ProgramSession& session, std::uint32_t position) {
  Call call;
  call.label = "t" + std::to_string(position);
  call.at = peek().at;
  if (peek().is_word() && tokens_[at_ + 1].is(":")) {
    call.label = next().text;
    next();
    skip_newlines();
  }
  for (const Call& other : session.calls) {
    if (other.label == call.label) {
      fail(call.at, "the label '" + call.label + "' is used twice",
           "unlabelled transactions are called t1, t2, ... by position");
    }
  }
  const std::size_t first = at_;
  if (peek().is("txn") && !tokens_[at_ + 1].is("(")) {
    next();
    if (peek().is_word()) {
      fail(peek().at, "a transaction in a session has no name",
           "label it: " + std::string(peek().text) + ": txn { ... }");
    }
    call.transaction = parse_transaction(call.label, call.at, {});
    call.at = since(first);
    session.calls.push_back(std::move(call));
    return;
  }
  const Token& name = expect_name("a call or 'txn'");
  const auto found = transactions_.find(name.text);
  if (found == transactions_.end()) {
    std::vector<std::string> names;
    for (const auto& [text, id] : transactions_) names.push_back(text);
    fail(name.at, "unknown transaction '" + std::string(name.text) + "'",
         suggestion(name.text, names));
  }
  call.transaction = found->second;
  call.arguments = parse_arguments(name, program_.at(call.transaction));
  call.at = since(first);
  session.calls.push_back(std::move(call));
  end_statement("the call");
}

std::vector<Value> Parser::parse_arguments(const Token& name,
                                           const Transaction& callee) {
  expect("(", "after the name of the transaction");
  ++ignore_newlines_;
  std::vector<Value> arguments;
  if (!peek().is(")")) {
    do {
      arguments.push_back(parse_initial_value());
    } while (accept(","));
  }
  if (!peek().is(")")) {
    fail(peek().at, "expected ')' or ',', found " + describe(peek()));
  }
  --ignore_newlines_;
  ++at_;
  if (arguments.size() != callee.parameters) {
    std::string signature = callee.name + "(";
    for (std::uint32_t i = 0; i < callee.parameters; ++i) {
      signature += (i > 0 ? ", " : "") + callee.locals[i];
    }
    fail(name.at,
         callee.name + " takes " + std::to_string(callee.parameters) +
             " argument" + (callee.parameters == 1 ? "" : "s") + ", not " +
             std::to_string(arguments.size()),
         "it is declared as " + signature + ")");
  }
  return arguments;
}

void Parser::parse_property() {
  const std::size_t first = at_;
  const Token& keyword = next();
  const PropertyKind kind = keyword.is("invariant") ? PropertyKind::Invariant
                            : keyword.is("assert")  ? PropertyKind::Assert
                                                    : PropertyKind::Exists;
  std::optional<std::string> name = parse_property_name();
  const std::uint32_t number = ++unnamed_[static_cast<std::size_t>(kind)];
  static constexpr std::array<std::string_view, 3> kPrefix = {"", "a", "e"};
  if (!name)
    name = std::string(kPrefix[static_cast<std::size_t>(kind)]) +
           std::to_string(number);
  EndCondition end;
  end.property = property(kind, std::move(*name), tokens_[first].at);
  scope_ = Scope::Condition;
  end.condition = parse_expression();
  scope_ = Scope::Constant;
  // A witness is found as a violation is: where the opposite is false.
  if (kind == PropertyKind::Exists)
    end.condition = make(Operator::Not, since(first), end.condition);
  end.at = since(first);
  end_statement("the declaration");
  program_.end_conditions.push_back(end);
}

void Parser::parse_assumption() {
  const std::size_t first = at_;
  next();
  InputAssumption assumption;
  std::optional<std::string> name = parse_property_name();
  if (!name) name = "line " + std::to_string(tokens_[first].at.line);
  assumption.name = std::move(*name);
  scope_ = Scope::Assume;
  assumption.condition = parse_expression();
  scope_ = Scope::Constant;
  assumption.at = since(first);
  end_statement("the declaration");
  program_.assumptions.push_back(std::move(assumption));
}

void Parser::require_session() {
  if (!program_.sessions.empty()) return;
  fail(tokens_.back().at, "the program has no session",
       "session { txn { ... } } runs a transaction");
}

}  // namespace txscope::txn
