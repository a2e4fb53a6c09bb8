// Literals, names, parentheses, CASE: what stands between operators.

#include "read/sql/mysql/syntax/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::syntax {

Node* Expressions::postfix(Node* value) {
  for (;;) {
    if (accept("collate")) {
      const std::int32_t where = location();
      if (!peek().is_name() && peek().kind != TokenKind::String)
        fail("a collation");
      auto* text = nodes_.type_named("text", where);
      all_.types.collate(*text, tokens_[at_++].word);
      value = nodes_.cast(value, text, where);
      continue;
    }
    if (is("->") || is("->>")) {
      const std::int32_t where = location();
      const bool is_text = is("->>");
      ++at_;
      if (peek().kind != TokenKind::String) fail("a path");
      Node* path = literal();
      Node* found = nodes_.call("json_extract", {value, path}, where);
      value = is_text ? nodes_.call("json_unquote", {found}, where) : found;
      continue;
    }
    if (is(":="))
      unsupported("an assignment inside an expression is",
                  "use SET, or SELECT ... INTO");
    return value;
  }
}

Node* Expressions::literal() {
  const Token& token = peek();
  const std::int32_t where = location();
  if (token.kind == TokenKind::Number) {
    ++at_;
    return nodes_.number_node(token.word, where);
  }
  if (token.kind == TokenKind::String) {
    std::string all = token.word;
    ++at_;
    while (peek().kind == TokenKind::String) all += tokens_[at_++].word;
    return nodes_.text_node(all, where);
  }
  if (accept("null")) return nodes_.null_node(where);
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

Node* Expressions::primary() {
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
    Node* link =
        nodes_.sub_link(PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK, nullptr,
                        all_.queries.query_expression(), where);
    expect(")");
    return link;
  }
  if (is("row") && is("(", 1)) {
    ++at_;
    return parenthesized();
  }
  if (is("?")) {
    // A value that is left open: EXECUTE gives them in their order.
    ++at_;
    auto* made = nodes_.make<PgQuery__ParamRef>();
    made->number = ++all_.open_values;
    made->location = where;
    return nodes_.wrap(made);
  }
  if (is("next") && is("value", 1) && is("for", 2)) {
    at_ += 3;
    return next_value(where);
  }
  if (is("previous") && is("value", 1))
    unsupported("PREVIOUS VALUE FOR is", "keep the number in a variable");
  if ((is("nextval") || is("lastval")) && is("(", 1)) {
    if (is("lastval"))
      unsupported("LASTVAL() is", "keep the number in a variable");
    at_ += 2;
    Node* value = next_value(where);
    expect(")");
    return value;
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
    return nodes_.cast(literal(), nodes_.type_named(type, where), where);
  }
  if (token.is_name()) {
    const bool is_variable =
        token.kind == TokenKind::Word && token.word.starts_with('@');
    if (is_variable && token.word.starts_with("@@"))
      unsupported("a variable of the server here is");
    if (!is_variable && is("(", 1)) return all_.functions.function();
    return all_.functions.function_call("", where);
  }
  fail("an expression");
}

/// Of a sequence, by its name, as PostgreSQL's nextval() is told it.
Node* Expressions::next_value(std::int32_t where) {
  std::string called = name("a sequence");
  while (accept(".")) called = name("a sequence");
  return nodes_.call("nextval", {nodes_.text_node("\"" + called + "\"", where)},
                     where);
}

Node* Expressions::column_ref() {
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
Node* Expressions::parenthesized() {
  const std::int32_t where = location();
  expect("(");
  if (all_.queries.is_query_start()) {
    Node* link = nodes_.sub_link(PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK, nullptr,
                                 all_.queries.query_expression(), where);
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

List Expressions::expr_list() {
  List items;
  do {
    items.push_back(expr());
  } while (accept(","));
  return items;
}

Node* Expressions::case_expr() {
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

}  // namespace txscope::sql::syntax
