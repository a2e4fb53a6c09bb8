// Expressions, by MySQL's precedence: OR, XOR, AND, NOT, comparisons, BETWEEN
// and the like, | & << + * ^, signs, !, BINARY and COLLATE.

#include <array>
#include <utility>

#include "read/sql/mysql/parser.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

using Node = PgQuery__Node;

Node* MysqlParser::bool_node(PgQuery__BoolExprType kind, List args,
                             std::int32_t where) {
  auto* made = nodes_.make<PgQuery__BoolExpr>();
  made->boolop = kind;
  made->location = where;
  nodes_.set(made->n_args, made->args, args);
  return nodes_.wrap(made);
}

Node* MysqlParser::a_expr(PgQuery__AExprKind kind, std::string_view name,
                          Node* a, Node* b, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AExpr>();
  made->kind = kind;
  made->location = where;
  made->lexpr = a;
  made->rexpr = b;
  nodes_.set(made->n_name, made->name, {nodes_.string(name)});
  return nodes_.wrap(made);
}

Node* MysqlParser::op(std::string_view name, Node* a, Node* b,
                      std::int32_t where) {
  return a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_OP, name, a, b, where);
}

Node* MysqlParser::text_node(std::string_view value, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_SVAL;
  made->sval = nodes_.make<PgQuery__String>();
  made->sval->sval = nodes_.text(value);
  return nodes_.wrap(made);
}

Node* MysqlParser::integer_node(std::int32_t value, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_IVAL;
  made->ival = nodes_.make<PgQuery__Integer>();
  made->ival->ival = value;
  return nodes_.wrap(made);
}

Node* MysqlParser::number_node(std::string_view digits, std::int32_t where) {
  const bool is_small =
      digits.size() <= 9 &&
      digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_small) return integer_node(std::stoi(std::string(digits)), where);
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->val_case = PG_QUERY__A__CONST__VAL_FVAL;
  made->fval = nodes_.make<PgQuery__Float>();
  made->fval->fval = nodes_.text(digits);
  return nodes_.wrap(made);
}

Node* MysqlParser::null_node(std::int32_t where) {
  auto* made = nodes_.make<PgQuery__AConst>();
  made->location = where;
  made->isnull = 1;
  return nodes_.wrap(made);
}

Node* MysqlParser::negated(Node* value, std::int32_t where) {
  return bool_node(PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR, {value}, where);
}

Node* MysqlParser::sub_link(PgQuery__SubLinkType kind, Node* test, Node* query,
                            std::int32_t where) {
  auto* made = nodes_.make<PgQuery__SubLink>();
  made->sub_link_type = kind;
  made->testexpr = test;
  made->subselect = query;
  made->location = where;
  return nodes_.wrap(made);
}

Node* MysqlParser::expr() {
  const Depth depth(*this);
  return or_expr();
}

Node* MysqlParser::or_expr() {
  const std::int32_t where = location();
  List all = {xor_expr()};
  const bool pipes = !state_.modes_at(peek().offset).pipes_concat;
  while (is("or") || (pipes && is("||"))) {
    ++at_;
    all.push_back(xor_expr());
  }
  if (all.size() == 1) return all[0];
  return bool_node(PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR, all, where);
}

Node* MysqlParser::xor_expr() {
  Node* left = and_expr();
  while (is("xor")) {
    const std::int32_t where = location();
    ++at_;
    left = op("<#>", left, and_expr(), where);
  }
  return left;
}

Node* MysqlParser::and_expr() {
  const std::int32_t where = location();
  List all = {not_expr()};
  while (is("and") || is("&&")) {
    ++at_;
    all.push_back(not_expr());
  }
  if (all.size() == 1) return all[0];
  return bool_node(PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR, all, where);
}

Node* MysqlParser::not_expr() {
  const std::int32_t where = location();
  if (!accept("not")) return boolean_primary();
  const Depth depth(*this);
  return negated(not_expr(), where);
}

/// Comparisons, which associate to the left, and IS.
Node* MysqlParser::boolean_primary() {
  constexpr std::array<std::string_view, 8> kComparisons = {
      "=", "<=>", "<", "<=", ">", ">=", "<>", "!="};
  Node* left = predicate();
  for (;;) {
    const std::int32_t where = location();
    if (accept("is")) {
      const bool is_not = accept("not");
      if (accept("null") || accept("unknown")) {
        auto* test = nodes_.make<PgQuery__NullTest>();
        test->arg = left;
        test->location = where;
        test->nulltesttype = is_not ? PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL
                                    : PG_QUERY__NULL_TEST_TYPE__IS_NULL;
        left = nodes_.wrap(test);
        continue;
      }
      const bool is_true = is("true");
      if (!is_true && !is("false")) fail("NULL, TRUE, FALSE or UNKNOWN");
      ++at_;
      auto* test = nodes_.make<PgQuery__BooleanTest>();
      test->arg = left;
      test->location = where;
      test->booltesttype =
          is_true ? (is_not ? PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE
                            : PG_QUERY__BOOL_TEST_TYPE__IS_TRUE)
                  : (is_not ? PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE
                            : PG_QUERY__BOOL_TEST_TYPE__IS_FALSE);
      left = nodes_.wrap(test);
      continue;
    }
    std::string_view found;
    for (const std::string_view each : kComparisons)
      if (is(each)) found = each;
    if (found.empty()) return left;
    ++at_;
    if (found == "<=>") {
      left = a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT, "=", left,
                    predicate(), where);
      continue;
    }
    if (is("all") || is("any") || is("some")) {
      const bool is_all = is("all");
      ++at_;
      Node* link = sub_link(is_all ? PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK
                                   : PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK,
                            left, nullptr, where);
      expect("(");
      link->sub_link->subselect = query_expression();
      expect(")");
      const std::string_view same = found == "!=" ? "<>" : found;
      nodes_.set(link->sub_link->n_oper_name, link->sub_link->oper_name,
                 {nodes_.string(same)});
      left = link;
      continue;
    }
    left = op(found == "!=" ? "<>" : found, left, predicate(), where);
  }
}

/// [NOT] IN, BETWEEN, LIKE, REGEXP.
Node* MysqlParser::predicate() {
  Node* left = bit_expr();
  const std::int32_t where = location();
  const bool is_not = is("not") && !is("null", 1);
  const std::size_t ahead = is_not ? 1 : 0;
  if (is("in", ahead)) {
    at_ += ahead + 1;
    expect("(");
    if (is_query_start()) {
      Node* link = sub_link(PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK, left,
                            query_expression(), where);
      expect(")");
      return is_not ? negated(link, where) : link;
    }
    const List items = expr_list();
    expect(")");
    return a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_IN, is_not ? "<>" : "=", left,
                  nodes_.list(items), where);
  }
  if (is("between", ahead)) {
    at_ += ahead + 1;
    Node* low = bit_expr();
    expect("and");
    Node* high = predicate();
    return a_expr(is_not ? PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN
                         : PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN,
                  is_not ? "NOT BETWEEN" : "BETWEEN", left,
                  nodes_.list({low, high}), where);
  }
  if (is("like", ahead)) {
    at_ += ahead + 1;
    Node* pattern = unary();
    if (accept("escape")) {
      const Token& mark = peek();
      if (mark.kind != TokenKind::String || mark.word != "\\")
        unsupported("LIKE ... ESCAPE is", "escape with a backslash");
      ++at_;
    }
    return a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_LIKE, is_not ? "!~~" : "~~",
                  left, pattern, where);
  }
  if (is("regexp", ahead) || is("rlike", ahead)) {
    at_ += ahead + 1;
    return op(is_not ? "!~*" : "~*", left, bit_expr(), where);
  }
  if (is("sounds") && is("like", 1)) unsupported("SOUNDS LIKE is");
  if (is("member") && is("of", 1)) unsupported("MEMBER OF is");
  if (is_not) fail("IN, BETWEEN, LIKE or REGEXP");
  return left;
}

namespace {

struct Operator {
  std::string_view word;
  int strength;
  std::string_view node;
};
constexpr std::array<Operator, 13> kOperators = {{{"|", 1, "|"},
                                                  {"&", 2, "&"},
                                                  {"<<", 3, "<<"},
                                                  {">>", 3, ">>"},
                                                  {"+", 4, "+"},
                                                  {"-", 4, "-"},
                                                  {"*", 5, "*"},
                                                  {"/", 5, "/"},
                                                  {"%", 5, "%"},
                                                  {"mod", 5, "%"},
                                                  {"div", 5, "div"},
                                                  {"^", 6, "#"},
                                                  {"||", 7, "||"}}};

}  // namespace

Node* MysqlParser::bit_expr(int least) {
  const Depth depth(*this);
  Node* left = unary();
  for (;;) {
    const Operator* found = nullptr;
    for (const Operator& each : kOperators)
      if (is(each.word)) found = &each;
    if (found == nullptr || found->strength < least) return left;
    if (found->word == "||" && !state_.modes_at(peek().offset).pipes_concat)
      return left;
    const std::int32_t where = location();
    ++at_;
    if (is("interval") && found->strength == 4) {
      left = interval_sum(left, found->word == "-", where);
      continue;
    }
    Node* right = bit_expr(found->strength + 1);
    left = found->word == "||" ? call("concat", {left, right}, where)
                               : op(found->node, left, right, where);
  }
}

/// time + INTERVAL n unit
Node* MysqlParser::interval_sum(Node* left, bool is_minus, std::int32_t where) {
  expect("interval");
  Node* count = expr();
  const std::int32_t unit_at = location();
  Node* unit_node = text_node(unit(), unit_at);
  return call(is_minus ? "date_sub" : "date_add", {left, count, unit_node},
              where);
}

Node* MysqlParser::unary() {
  const Depth depth(*this);
  const std::int32_t where = location();
  if (accept("-")) {
    Node* value = unary();
    return op("-", nullptr, value, where);
  }
  if (accept("+")) return unary();
  if (accept("~")) return op("~", nullptr, unary(), where);
  if (accept("!")) return negated(unary(), where);
  if (is("binary") && !is("(", 1)) {
    ++at_;
    return unary();
  }
  if (is("interval") && !is("(", 1)) {
    // INTERVAL n unit + time
    ++at_;
    Node* count = expr();
    const std::int32_t unit_at = location();
    Node* unit_node = text_node(unit(), unit_at);
    expect("+");
    Node* time = bit_expr(5);
    return call("date_add", {time, count, unit_node}, where);
  }
  return postfix(primary());
}

Node* MysqlParser::postfix(Node* value) {
  for (;;) {
    if (accept("collate")) {
      if (!peek().is_name() && peek().kind != TokenKind::String)
        fail("a collation");
      ++at_;
      continue;
    }
    if (is("->") || is("->>")) {
      const std::int32_t where = location();
      const bool is_text = is("->>");
      ++at_;
      if (peek().kind != TokenKind::String) fail("a path");
      Node* path = literal();
      Node* found = call("json_extract", {value, path}, where);
      value = is_text ? call("json_unquote", {found}, where) : found;
      continue;
    }
    if (is(":="))
      unsupported("an assignment inside of an expression is",
                  "use SET, or SELECT ... INTO");
    return value;
  }
}

Node* MysqlParser::literal() {
  const Token& token = peek();
  const std::int32_t where = location();
  if (token.kind == TokenKind::Number) {
    ++at_;
    return number_node(token.word, where);
  }
  if (token.kind == TokenKind::String) {
    std::string all = token.word;
    ++at_;
    while (peek().kind == TokenKind::String) all += tokens_[at_++].word;
    return text_node(all, where);
  }
  if (accept("null")) return null_node(where);
  if (is("true") || is("false")) {
    auto* made = nodes_.make<PgQuery__AConst>();
    made->location = where;
    made->val_case = PG_QUERY__A__CONST__VAL_BOOLVAL;
    made->boolval = nodes_.make<PgQuery__Boolean>();
    made->boolval->boolval = is("true");
    ++at_;
    return nodes_.wrap(made);
  }
  fail("a value");
}

Node* MysqlParser::primary() {
  const Token& token = peek();
  const std::int32_t where = location();
  if (at_ >= tokens_.size()) fail("an expression");
  if (token.kind == TokenKind::Number || token.kind == TokenKind::String ||
      is("null") || is("true") || is("false"))
    return literal();
  if (is("(")) return parenthesized();
  if (is("case")) return case_expr();
  if (is("exists") && is("(", 1)) {
    at_ += 2;
    Node* link = sub_link(PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK, nullptr,
                          query_expression(), where);
    expect(")");
    return link;
  }
  if (is("row") && is("(", 1)) {
    ++at_;
    return parenthesized();
  }
  if (is("?")) {
    // A value that is left open: who asks has put another one in its place.
    ++at_;
    auto* made = nodes_.make<PgQuery__ParamRef>();
    made->number = 0;
    made->location = where;
    return nodes_.wrap(made);
  }
  if (is("default")) {
    if (is("(", 1)) unsupported("DEFAULT(column) is");
    ++at_;
    auto* made = nodes_.make<PgQuery__SetToDefault>();
    made->location = where;
    return nodes_.wrap(made);
  }
  const bool is_dated = (is("date") || is("time") || is("timestamp")) &&
                        peek(1).kind == TokenKind::String;
  if (is_dated) {
    const std::string_view type = is("date")   ? "date"
                                  : is("time") ? "time"
                                               : "timestamp";
    ++at_;
    return cast(literal(), type_named(type, where), where);
  }
  if (token.is_name()) {
    const bool is_variable =
        token.kind == TokenKind::Word && token.word.starts_with('@');
    if (is_variable && token.word.starts_with("@@"))
      unsupported("a variable of the server here is");
    if (!is_variable && is("(", 1)) return function();
    return function_call("", where);
  }
  fail("an expression");
}

Node* MysqlParser::column_ref() {
  auto* ref = nodes_.make<PgQuery__ColumnRef>();
  ref->location = location();
  List fields = {nodes_.string(known(tokens_[at_++]))};
  while (is(".") && fields.size() < 3) {
    if (is("*", 1)) {
      at_ += 2;
      fields.push_back(nodes_.wrap(nodes_.make<PgQuery__AStar>()));
      break;
    }
    if (!peek(1).is_name()) break;
    fields.push_back(nodes_.string(known(peek(1))));
    at_ += 2;
  }
  nodes_.set(ref->n_fields, ref->fields, fields);
  return nodes_.wrap(ref);
}

/// A subquery, a row, or an expression.
Node* MysqlParser::parenthesized() {
  const std::int32_t where = location();
  expect("(");
  if (is_query_start()) {
    Node* link = sub_link(PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK, nullptr,
                          query_expression(), where);
    expect(")");
    return link;
  }
  const List items = expr_list();
  expect(")");
  if (items.size() == 1) return items[0];
  auto* row = nodes_.make<PgQuery__RowExpr>();
  row->location = where;
  row->row_format = PG_QUERY__COERCION_FORM__COERCE_IMPLICIT_CAST;
  nodes_.set(row->n_args, row->args, items);
  return nodes_.wrap(row);
}

MysqlParser::List MysqlParser::expr_list() {
  List items;
  do {
    items.push_back(expr());
  } while (accept(","));
  return items;
}

Node* MysqlParser::case_expr() {
  auto* made = nodes_.make<PgQuery__CaseExpr>();
  made->location = location();
  expect("case");
  if (!is("when")) made->arg = expr();
  List whens;
  while (is("when")) {
    auto* when = nodes_.make<PgQuery__CaseWhen>();
    when->location = location();
    ++at_;
    when->expr = expr();
    expect("then");
    when->result = expr();
    whens.push_back(nodes_.wrap(when));
  }
  if (whens.empty()) fail("WHEN");
  if (accept("else")) made->defresult = expr();
  expect("end");
  nodes_.set(made->n_args, made->args, whens);
  return nodes_.wrap(made);
}

}  // namespace txscope::sql
