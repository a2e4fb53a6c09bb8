// Expressions, by MySQL's precedence: OR, XOR, AND, NOT, comparisons, BETWEEN
// and the like, | & << + * ^, signs, !, BINARY and COLLATE.

#include <array>

#include "read/sql/mysql/syntax/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::syntax {

Node* Expressions::expr() {
  const Depth depth(all_);
  return or_expr();
}

Node* Expressions::or_expr() {
  const std::int32_t where = location();
  List all = {xor_expr()};
  const bool pipes = !state_.modes_at(peek().offset).pipes_concat;
  while (is("or") || (pipes && is("||"))) {
    ++at_;
    all.push_back(xor_expr());
  }
  if (all.size() == 1) return all[0];
  return nodes_.bool_node(PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR, all, where);
}

Node* Expressions::xor_expr() {
  Node* left = and_expr();
  while (is("xor")) {
    const std::int32_t where = location();
    ++at_;
    left = nodes_.op("<#>", left, and_expr(), where);
  }
  return left;
}

Node* Expressions::and_expr() {
  const std::int32_t where = location();
  List all = {not_expr()};
  while (is("and") || is("&&")) {
    ++at_;
    all.push_back(not_expr());
  }
  if (all.size() == 1) return all[0];
  return nodes_.bool_node(PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR, all, where);
}

Node* Expressions::not_expr() {
  const std::int32_t where = location();
  if (!accept("not")) return boolean_primary();
  const Depth depth(all_);
  return nodes_.negated(not_expr(), where);
}

/// Comparisons, which associate to the left, and IS.
Node* Expressions::boolean_primary() {
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
      left = nodes_.a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT, "=",
                           left, predicate(), where);
      continue;
    }
    if (is("all") || is("any") || is("some")) {
      const bool is_all = is("all");
      ++at_;
      Node* link =
          nodes_.sub_link(is_all ? PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK
                                 : PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK,
                          left, nullptr, where);
      expect("(");
      link->sub_link->subselect = all_.queries.query_expression();
      expect(")");
      const std::string_view same = found == "!=" ? "<>" : found;
      nodes_.set(link->sub_link->n_oper_name, link->sub_link->oper_name,
                 {nodes_.string(same)});
      left = link;
      continue;
    }
    left = nodes_.op(found == "!=" ? "<>" : found, left, predicate(), where);
  }
}

/// The pattern with backslashes instead of the character that stands here.
Node* Expressions::escaped(Node* pattern, std::int32_t where) {
  const Token& mark = peek();
  const bool is_usual = mark.kind == TokenKind::String && mark.word == "\\";
  const bool is_known = pattern->node_case == PG_QUERY__NODE__NODE_A_CONST &&
                        pattern->a_const->sval != nullptr &&
                        mark.kind == TokenKind::String && mark.word.size() == 1;
  if (!is_usual && !is_known)
    unsupported("LIKE ... ESCAPE of this kind is", "escape with a backslash");
  ++at_;
  if (is_usual) return pattern;
  // Whatever stands behind it is itself.
  std::string made;
  const std::string_view written = pattern->a_const->sval->sval;
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool is_mark = written[i] == mark.word[0];
    if (is_mark && i + 1 < written.size()) ++i;
    if (is_mark || written[i] == '\\') made += '\\';
    made += written[i];
  }
  return nodes_.text_node(made, where);
}

/// [NOT] IN, BETWEEN, LIKE, REGEXP.
Node* Expressions::predicate() {
  Node* left = bit_expr();
  const std::int32_t where = location();
  const bool is_not = is("not") && !is("null", 1);
  const std::size_t ahead = is_not ? 1 : 0;
  if (is("in", ahead)) {
    at_ += ahead + 1;
    expect("(");
    if (all_.queries.is_query_start()) {
      Node* link = nodes_.sub_link(PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK, left,
                                   all_.queries.query_expression(), where);
      expect(")");
      return is_not ? nodes_.negated(link, where) : link;
    }
    const List items = expr_list();
    expect(")");
    return nodes_.a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_IN, is_not ? "<>" : "=",
                         left, nodes_.list(items), where);
  }
  if (is("between", ahead)) {
    at_ += ahead + 1;
    Node* low = bit_expr();
    expect("and");
    Node* high = predicate();
    return nodes_.a_expr(is_not ? PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN
                                : PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN,
                         is_not ? "NOT BETWEEN" : "BETWEEN", left,
                         nodes_.list({low, high}), where);
  }
  if (is("like", ahead)) {
    at_ += ahead + 1;
    Node* pattern = unary();
    if (accept("escape")) pattern = escaped(pattern, where);
    return nodes_.a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_LIKE,
                         is_not ? "!~~" : "~~", left, pattern, where);
  }
  if (is("regexp", ahead) || is("rlike", ahead)) {
    at_ += ahead + 1;
    return nodes_.op(is_not ? "!~*" : "~*", left, bit_expr(), where);
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

Node* Expressions::bit_expr(int least) {
  const Depth depth(all_);
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
    left = found->word == "||" ? nodes_.call("concat", {left, right}, where)
                               : nodes_.op(found->node, left, right, where);
  }
}

/// time + INTERVAL n unit
Node* Expressions::interval_sum(Node* left, bool is_minus, std::int32_t where) {
  expect("interval");
  Node* count = expr();
  const std::int32_t unit_at = location();
  Node* unit_node = nodes_.text_node(all_.functions.unit(), unit_at);
  return nodes_.call(is_minus ? "date_sub" : "date_add",
                     {left, count, unit_node}, where);
}

Node* Expressions::unary() {
  const Depth depth(all_);
  const std::int32_t where = location();
  if (accept("-")) {
    Node* value = unary();
    return nodes_.op("-", nullptr, value, where);
  }
  if (accept("+")) return unary();
  if (accept("~")) return nodes_.op("~", nullptr, unary(), where);
  if (accept("!")) return nodes_.negated(unary(), where);
  if (accept("binary")) {
    auto* bytes = nodes_.type_named("text", where);
    all_.types.collate(*bytes, "binary");
    return nodes_.cast(unary(), bytes, where);
  }
  if (is("interval") && !is("(", 1)) {
    // INTERVAL n unit + time
    ++at_;
    Node* count = expr();
    const std::int32_t unit_at = location();
    Node* unit_node = nodes_.text_node(all_.functions.unit(), unit_at);
    expect("+");
    Node* time = bit_expr(5);
    return nodes_.call("date_add", {time, count, unit_node}, where);
  }
  return postfix(primary());
}

}  // namespace txscope::sql::syntax
