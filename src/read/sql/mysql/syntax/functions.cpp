// Calls of functions, and the words that are called like ones.

#include <algorithm>
#include <array>

#include "read/sql/mysql/syntax/rooms.h"
#include "read/sql/schema/types.h"

namespace txscope::sql::syntax {

Node* Functions::now(PgQuery__SQLValueFunctionOp what, std::int32_t where) {
  if (accept("(")) {
    if (peek().kind == TokenKind::Number) ++at_;
    expect(")");
  }
  auto* made = nodes_.make<PgQuery__SQLValueFunction>();
  made->op = what;
  made->location = where;
  return nodes_.wrap(made);
}

/// DAY, HOUR_MINUTE, ...: as the Analyzer is told it.
std::string Functions::unit() {
  constexpr std::array<std::string_view, 20> kUnits = {"microsecond",
                                                       "second",
                                                       "minute",
                                                       "hour",
                                                       "day",
                                                       "week",
                                                       "month",
                                                       "quarter",
                                                       "year",
                                                       "year_month",
                                                       "day_hour",
                                                       "day_minute",
                                                       "day_second",
                                                       "hour_minute",
                                                       "hour_second",
                                                       "minute_second",
                                                       "day_microsecond",
                                                       "hour_microsecond",
                                                       "minute_microsecond",
                                                       "second_microsecond"};
  const std::string& word = peek().word;
  const bool is_sql = word.starts_with("sql_tsi_");
  const std::string_view plain =
      is_sql ? std::string_view(word).substr(8) : std::string_view(word);
  const auto found = std::find(kUnits.begin(), kUnits.end(), plain);
  if (peek().kind != TokenKind::Word) fail("a unit of time");
  if (found == kUnits.end()) fail("a unit of time");
  ++at_;
  return std::string(*found);
}

Node* Functions::function() {
  const std::int32_t where = location();
  const std::string name = peek().word;
  // A quoted name is one of the file's own functions.
  if (peek().kind == TokenKind::Word) {
    if (auto special = special_argument(name, where)) return *special;
  }
  return function_call(name, where);
}

/// A name, which may turn out to be that of a column, or a call.
Node* Functions::function_call(std::string name, std::int32_t where) {
  if (peek().kind == TokenKind::Word) {
    if (auto special = special_function(peek().word, where)) return *special;
  }
  const bool is_qualified_call = is(".", 1) && is("(", 3);
  constexpr std::array<std::string_view, 10> kReserved = {
      "if",     "left",     "right",    "mod",    "insert",
      "repeat", "interval", "database", "schema", "replace"};
  if (peek().is_reserved && is("(", 1) &&
      std::find(kReserved.begin(), kReserved.end(), peek().word) ==
          kReserved.end())
    fail("an expression");
  if (!is("(", 1) && !is_qualified_call) {
    const Token& token = peek();
    const bool is_variable = token.word.starts_with('@');
    if (token.is_reserved && !is_variable) fail("an expression");
    return all_.expressions.column_ref();
  }
  if (is_qualified_call) {
    at_ += 2;
    name = peek().word;
  }
  if (peek().kind == TokenKind::Quoted || is_qualified_call)
    name = known(peek());
  ++at_;
  constexpr std::array<std::string_view, 13> kAggregates = {
      "count",  "sum",     "min",          "max",          "avg",
      "std",    "stddev",  "variance",     "group_concat", "bit_and",
      "bit_or", "bit_xor", "json_arrayagg"};
  if (std::find(kAggregates.begin(), kAggregates.end(), name) !=
      kAggregates.end())
    return aggregate(name, where);
  expect("(");
  List args;
  if (!is(")")) args = all_.expressions.expr_list();
  expect(")");
  Node* made = nodes_.call(state_.name(name), args, where);
  return is("over") ? over(made->func_call) : made;
}

/// What needs no parentheses.
std::optional<Node*> Functions::special_function(std::string_view name,
                                                 std::int32_t where) {
  const bool has_parentheses = is("(", 1);
  const bool is_bare = name == "current_timestamp" || name == "current_date" ||
                       name == "current_time" || name == "localtime" ||
                       name == "localtimestamp" || name == "utc_timestamp" ||
                       name == "utc_date" || name == "utc_time" ||
                       name == "current_user";
  if (!has_parentheses && !is_bare) return std::nullopt;
  if (is(".", 1)) return std::nullopt;
  if (name == "current_timestamp" || name == "now" || name == "localtime" ||
      name == "localtimestamp" || name == "sysdate" ||
      name == "utc_timestamp") {
    ++at_;
    return now(PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP, where);
  }
  if (name == "current_date" || name == "curdate" || name == "utc_date") {
    ++at_;
    return now(PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE, where);
  }
  if (name == "current_time" || name == "curtime" || name == "utc_time") {
    ++at_;
    return now(PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME, where);
  }
  if (name == "current_user" && !has_parentheses) {
    ++at_;
    return nodes_.call("current_user", {}, where);
  }
  return std::nullopt;
}

/// What stands in its parentheses is no list of expressions.
std::optional<Node*> Functions::special_argument(std::string_view name,
                                                 std::int32_t where) {
  const auto open = [&] {
    at_ += 1;
    expect("(");
  };
  const auto close = [&](Node* made) {
    expect(")");
    return made;
  };
  if (name == "cast") {
    open();
    Node* value = all_.expressions.expr();
    expect("as");
    PgQuery__TypeName* type = all_.types.cast_type();
    return close(nodes_.cast(value, type, where));
  }
  if (name == "convert") {
    open();
    Node* value = all_.expressions.expr();
    if (accept("using")) {
      ++at_;
      return close(value);
    }
    expect(",");
    PgQuery__TypeName* type = all_.types.cast_type();
    return close(nodes_.cast(value, type, where));
  }
  if (name == "extract") {
    open();
    const std::int32_t unit_at = location();
    Node* field = nodes_.text_node(unit(), unit_at);
    expect("from");
    Node* value = all_.expressions.expr();
    return close(nodes_.call("extract", {field, value}, where));
  }
  if (name == "position") {
    open();
    Node* part = all_.expressions.bit_expr();
    expect("in");
    Node* whole = all_.expressions.expr();
    return close(nodes_.call("locate", {part, whole}, where));
  }
  if (name == "trim") {
    open();
    std::string_view which = "trim";
    bool has_word = true;
    if (accept("leading")) {
      which = "ltrim";
    } else if (accept("trailing")) {
      which = "rtrim";
    } else {
      has_word = accept("both");
    }
    if (has_word && accept("from"))
      return close(nodes_.call(which, {all_.expressions.expr()}, where));
    Node* first = all_.expressions.expr();
    if (accept("from"))
      return close(nodes_.call(which, {all_.expressions.expr(), first}, where));
    return close(nodes_.call(which, {first}, where));
  }
  if (name == "substring" || name == "substr" || name == "mid") {
    open();
    List args = {all_.expressions.expr()};
    if (accept("from")) {
      args.push_back(all_.expressions.expr());
      if (accept("for")) args.push_back(all_.expressions.expr());
    } else {
      while (accept(",")) args.push_back(all_.expressions.expr());
    }
    return close(nodes_.call("substring", args, where));
  }
  if (name == "date_add" || name == "adddate" || name == "date_sub" ||
      name == "subdate") {
    open();
    const bool adds = name == "date_add" || name == "adddate";
    Node* time = all_.expressions.expr();
    expect(",");
    Node* count = nullptr;
    Node* field = nullptr;
    if (accept("interval")) {
      count = all_.expressions.expr();
      const std::int32_t unit_at = location();
      field = nodes_.text_node(unit(), unit_at);
    } else {
      count = all_.expressions.expr();
      field = nodes_.text_node("day", where);
    }
    return close(nodes_.call(adds ? "date_add" : "date_sub",
                             {time, count, field}, where));
  }
  if (name == "timestampdiff" || name == "timestampadd") {
    open();
    const std::int32_t unit_at = location();
    Node* field = nodes_.text_node(unit(), unit_at);
    expect(",");
    Node* a = all_.expressions.expr();
    expect(",");
    Node* b = all_.expressions.expr();
    return close(name == "timestampadd"
                     ? nodes_.call("date_add", {b, a, field}, where)
                     : nodes_.call("timestampdiff", {field, a, b}, where));
  }
  if (name == "values" || name == "value") {
    if (!all_.in_on_duplicate)
      unsupported("VALUES() outside ON DUPLICATE KEY UPDATE is");
    open();
    if (!is_name()) fail("a column");
    Node* ref = all_.expressions.column_ref();
    PgQuery__ColumnRef& column = *ref->column_ref;
    nodes_.set(column.n_fields, column.fields,
               {nodes_.string("excluded"), column.fields[column.n_fields - 1]});
    return close(ref);
  }
  if (name == "ifnull" || name == "coalesce" || name == "nvl") {
    open();
    auto* made = nodes_.make<PgQuery__CoalesceExpr>();
    made->location = where;
    nodes_.set(made->n_args, made->args, all_.expressions.expr_list());
    return close(nodes_.wrap(made));
  }
  if (name == "nullif") {
    open();
    Node* a = all_.expressions.expr();
    expect(",");
    Node* b = all_.expressions.expr();
    return close(
        nodes_.a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF, "=", a, b, where));
  }
  if (name == "isnull") {
    open();
    auto* test = nodes_.make<PgQuery__NullTest>();
    test->location = where;
    test->nulltesttype = PG_QUERY__NULL_TEST_TYPE__IS_NULL;
    test->arg = all_.expressions.expr();
    return close(nodes_.wrap(test));
  }
  if (name == "match") unsupported("MATCH ... AGAINST is");
  if (name == "char") {
    open();
    List args = all_.expressions.expr_list();
    if (accept("using")) ++at_;
    return close(nodes_.call("char", args, where));
  }
  return std::nullopt;
}

/// COUNT(*), SUM(DISTINCT x), GROUP_CONCAT(x ORDER BY y SEPARATOR ', ').
Node* Functions::aggregate(std::string_view name, std::int32_t where) {
  expect("(");
  Node* made = nodes_.call(name, {}, where);
  PgQuery__FuncCall& node = *made->func_call;
  if (name == "count" && accept("*")) {
    node.agg_star = 1;
  } else {
    if (accept("distinct")) node.agg_distinct = 1;
    (void)accept("all");
    List args = all_.expressions.expr_list();
    if (name == "group_concat") {
      args = {nodes_.call("concat", args, where)};
      if (is("order"))
        nodes_.set(node.n_agg_order, node.agg_order, all_.queries.order_by());
      if (is("limit")) unsupported("GROUP_CONCAT with LIMIT is");
      args.push_back(accept("separator") ? all_.expressions.literal()
                                         : nodes_.text_node(",", where));
    }
    nodes_.set(node.n_args, node.args, args);
  }
  expect(")");
  return is("over") ? over(&node) : made;
}

Node* Functions::over(PgQuery__FuncCall* node) {
  expect("over");
  if (is("(")) {
    node->over = window();
  } else {
    node->over = nodes_.make<PgQuery__WindowDef>();
    node->over->location = location();
    node->over->name = nodes_.text(name("a window"));
  }
  return nodes_.wrap(node);
}

namespace {

// PostgreSQL's FRAMEOPTION_... of parsenodes.h.
enum Frame : std::int32_t {
  kFrameNonDefault = 0x1,
  kFrameRange = 0x2,
  kFrameRows = 0x4,
  kFrameBetween = 0x10,
  kFrameStartUnboundedPreceding = 0x20,
  kFrameEndUnboundedPreceding = 0x40,
  kFrameStartUnboundedFollowing = 0x80,
  kFrameEndUnboundedFollowing = 0x100,
  kFrameStartCurrentRow = 0x200,
  kFrameEndCurrentRow = 0x400,
  kFrameStartOffsetPreceding = 0x800,
  kFrameEndOffsetPreceding = 0x1000,
  kFrameStartOffsetFollowing = 0x2000,
  kFrameEndOffsetFollowing = 0x4000,
};

}  // namespace

void Functions::frame_bound(PgQuery__WindowDef& window, bool is_end) {
  const auto set = [&](std::int32_t start, std::int32_t end) {
    window.frame_options |= is_end ? end : start;
  };
  if (accept_all({"current", "row"}))
    return set(kFrameStartCurrentRow, kFrameEndCurrentRow);
  if (accept("unbounded")) {
    if (accept("preceding"))
      return set(kFrameStartUnboundedPreceding, kFrameEndUnboundedPreceding);
    expect("following");
    return set(kFrameStartUnboundedFollowing, kFrameEndUnboundedFollowing);
  }
  (is_end ? window.end_offset : window.start_offset) = all_.expressions.expr();
  if (accept("preceding"))
    return set(kFrameStartOffsetPreceding, kFrameEndOffsetPreceding);
  expect("following");
  set(kFrameStartOffsetFollowing, kFrameEndOffsetFollowing);
}

PgQuery__WindowDef* Functions::window() {
  auto* made = nodes_.make<PgQuery__WindowDef>();
  made->location = location();
  made->frame_options =
      kFrameRange | kFrameStartUnboundedPreceding | kFrameEndCurrentRow;
  expect("(");
  if (is_name() && !is("partition") && !is("rows") && !is("range"))
    made->refname = nodes_.text(name("a window"));
  if (accept_all({"partition", "by"}))
    nodes_.set(made->n_partition_clause, made->partition_clause,
               all_.expressions.expr_list());
  if (is("order"))
    nodes_.set(made->n_order_clause, made->order_clause,
               all_.queries.order_by());
  if (is("rows") || is("range")) {
    made->frame_options =
        kFrameNonDefault | (is("rows") ? kFrameRows : kFrameRange);
    ++at_;
    if (accept("between")) {
      made->frame_options |= kFrameBetween;
      frame_bound(*made, false);
      expect("and");
      frame_bound(*made, true);
    } else {
      frame_bound(*made, false);
      made->frame_options |= kFrameEndCurrentRow;
    }
  }
  expect(")");
  return made;
}

}  // namespace txscope::sql::syntax
