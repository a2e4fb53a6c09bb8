// Expressions, by MySQL's precedence: OR, XOR, AND, NOT, comparisons, BETWEEN
// and the like, | & << + * ^, signs, !, BINARY and COLLATE.

#include <array>
#include <utility>

#include "read/sql/mysql/parser.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

using Node = PgQuery__Node;

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
  if (accept("binary")) {
    auto* bytes = type_named("text", where);
    collate(*bytes, "binary");
    return cast(unary(), bytes, where);
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

}  // namespace txscope::sql
