#include "fuzz/sql_exec/generator.h"

#include <algorithm>
#include <utility>

namespace txscope::test {
namespace {

Draft typed(const std::string& type, std::vector<Draft> parts) {
  return Draft(type, std::move(parts));
}

bool is_integer(const std::string& type) {
  return type == "smallint" || type == "integer" || type == "bigint";
}

}  // namespace

std::string Generator::any_type() {
  static const std::vector<std::string> kTypes = {
      "smallint", "integer", "integer", "bigint", "numeric",
      "boolean",  "text",    "text",    "date",   "timestamp"};
  return pick(kTypes);
}

std::string Generator::literal(const std::string& type) {
  if (chance(is_risky_ ? 0.03 : 0.1)) return "NULL::" + type;
  if (is_integer(type)) {
    static const std::vector<std::string> kEdges = {"32767",
                                                    "(-32768)",
                                                    "2147483647",
                                                    "(-2147483648)",
                                                    "9223372036854775807",
                                                    "0"};
    if (is_risky_ && variables_.empty() && chance(0.2)) {
      const std::size_t most = type == "smallint"  ? 2
                               : type == "integer" ? 4
                                                   : 6;
      return "CAST(" + kEdges[below(most)] + " AS " + type + ")";
    }
    // A constant that fails in a routine does so once: after an error its
    // session plans the expression in another way.
    auto value = random_.between(-3, 12);
    if (!variables_.empty() && value == 0) value = 1;
    const std::string number =
        value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
    return type == "integer" ? number : number + "::" + type;
  }
  if (type == "numeric") {
    static const std::vector<std::string> kNumbers = {
        "0.5", "1.00", "1.0",    "2.25", "(-1.5)", "100.0",
        "0.0", "7.3",  "12.345", "3.0",  "0.01",   "(-0.05)"};
    return pick(kNumbers);
  }
  if (type == "boolean") return chance(0.5) ? "true" : "false";
  if (type == "date") {
    static const std::vector<std::string> kDates = {
        "'2024-02-28'", "'2024-03-01'", "'1999-12-31'", "'2000-01-01'"};
    return pick(kDates) + "::date";
  }
  if (type == "timestamp") {
    static const std::vector<std::string> kTimes = {
        "'2024-02-28 12:00'", "'2024-02-28'", "'1999-12-31 23:59:59.5'"};
    return pick(kTimes) + "::timestamp";
  }
  static const std::vector<std::string> kTexts = {
      "''", "'a'", "'B'", "'ab'", "'a%'", "'b_c'", "'Zoë'", "'  x'", "'a'"};
  return pick(kTexts) + "::text";
}

Draft Generator::leaf(const std::string& type) {
  std::vector<std::string> names;
  for (const Named& variable : variables_)
    if (variable.type == type) names.push_back(variable.name);
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    // Names of inner queries are likelier.
    if (i + 1 < scopes_.size() && chance(0.6)) continue;
    for (const Named& column : scopes_[i])
      if (column.type == type) names.push_back(column.name);
  }
  Draft leaf(!names.empty() && chance(0.75) ? pick(names) : literal(type));
  leaf.kind = type;
  return leaf;
}

Draft Generator::expr(const std::string& type, int depth) {
  if (depth <= 0 || chance(0.25)) return leaf(type);
  if (chance(0.2)) return generic(type, depth);
  if (is_integer(type)) return integer(type, depth);
  if (type == "numeric") return numeric(depth);
  if (type == "boolean") return boolean(depth);
  if (type == "text") return text(depth);
  if (type == "timestamp")
    return typed(type, {"CAST(", expr("date", depth - 1), " AS timestamp)"});
  return date(depth);
}

Draft Generator::generic(const std::string& type, int depth) {
  if (chance(0.25) && !is_in_function_) {
    for (const Function& function : functions_) {
      if (function.type != type || chance(0.3)) continue;
      return typed(type, {function.name + "(", expr("integer", depth - 1), ", ",
                          expr("text", depth - 1), ")"});
    }
  }
  switch (below(6)) {
    case 0:
      return typed(type, {"(CASE WHEN ", expr("boolean", depth - 1), " THEN ",
                          expr(type, depth - 1), " ELSE ",
                          expr(type, depth - 1), " END)"});
    case 1:
      return typed(type,
                   {"(CASE ", expr("integer", depth - 1), " WHEN ",
                    expr("integer", depth - 1), " THEN ", expr(type, depth - 1),
                    " WHEN 3 THEN ", expr(type, depth - 1), " END)"});
    case 2:
      return typed(type, {"COALESCE(", expr(type, depth - 1), ", ",
                          expr(type, depth - 1), ")"});
    case 3:
      return typed(type, {"NULLIF(", expr(type, depth - 1), ", ",
                          expr(type, depth - 1), ")"});
    case 4:
      if (type == "boolean") break;
      return typed(type,
                   {chance(0.5) ? "GREATEST(" : "LEAST(", expr(type, depth - 1),
                    ", ", expr(type, depth - 1), ")"});
    default:
      if (!tables_.empty() && !is_risky_) return scalar_query(type, depth - 1);
      break;
  }
  return expr(type, depth - 1);
}

Draft Generator::integer(const std::string& type, int depth) {
  if (chance(0.15) && type == "integer")
    return typed(type, {"length(", expr("text", depth - 1), ")"});
  if (chance(0.1) && type == "integer")
    return typed(type, {"(", expr("date", depth - 1), " - ",
                        expr("date", depth - 1), ")"});
  if (chance(0.1) && (is_risky_ || type == "bigint"))
    return typed(type,
                 {"CAST(", expr(is_risky_ ? "numeric" : "integer", depth - 1),
                  " AS " + type + ")"});
  const std::string other = type == "bigint" && chance(0.5) ? "integer" : type;
  switch (is_risky_ ? below(9) : below(5)) {
    case 0:
      return typed(type, {"(", expr(type, depth - 1), " + ",
                          expr(other, depth - 1), ")"});
    case 1:
      return typed(type, {"(", expr(type, depth - 1), " - ",
                          expr(other, depth - 1), ")"});
    case 2: return typed(type, {"(- ", expr(type, depth - 1), ")"});
    case 3: return typed(type, {"abs(", expr(type, depth - 1), ")"});
    case 4:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.5) ? " / " : " % ",
                    (chance(0.5) ? "3::" : "(-4)::") + type, ")"});
    case 5:
      return typed(type, {"(", expr(type, depth - 1), " * ",
                          expr(other, depth - 1), ")"});
    default:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.5) ? " / " : " % ",
                    expr(other, depth - 1), ")"});
  }
}

Draft Generator::numeric(int depth) {
  const std::string type = "numeric";
  switch (is_risky_ ? below(13) : below(9)) {
    case 0:
    case 1:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.5) ? " + " : " - ",
                    expr(type, depth - 1), ")"});
    case 2:
      return typed(type,
                   {"(", expr(type, depth - 1), " * ",
                    expr(chance(0.5) ? "integer" : type, depth - 1), ")"});
    case 3:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.7) ? " / " : " % ",
                    chance(0.5) ? "3.0" : "0.07", ")"});
    case 4:
      return typed(type, {"round(", expr(type, depth - 1),
                          ", " + std::to_string(random_.between(-2, 3)) + ")"});
    case 5:
      return typed(
          type, {chance(0.5) ? "floor(" : "ceil(", expr(type, depth - 1), ")"});
    case 6: return typed(type, {"abs(", expr(type, depth - 1), ")"});
    case 7:
      return typed(type, {"CAST(", expr("integer", depth - 1), " AS numeric)"});
    case 8: return typed(type, {"round(", expr(type, depth - 1), ")"});
    case 9:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.7) ? " / " : " % ",
                    expr(type, depth - 1), ")"});
    default:
      return typed(type, {"CAST(", expr(type, depth - 1), " AS numeric(",
                          chance(0.5) ? "4,1" : "6,3", "))"});
  }
}

Draft Generator::boolean(int depth) {
  const std::string type = "boolean";
  static const std::vector<std::string> kComparisons = {
      " = ",
      " <> ",
      " < ",
      " <= ",
      " > ",
      " >= ",
      " IS DISTINCT FROM ",
      " IS NOT DISTINCT FROM "};
  const std::string operand = any_type();
  const std::string no = chance(0.3) ? "NOT " : "";
  switch (below(12)) {
    case 0:
    case 1:
      return typed(type,
                   {"(", expr(type, depth - 1), chance(0.5) ? " AND " : " OR ",
                    expr(type, depth - 1), ")"});
    case 2: return typed(type, {"(NOT ", expr(type, depth - 1), ")"});
    case 3:
      return typed(type, {"(", expr(operand, depth - 1),
                          chance(0.5) ? " IS NULL)" : " IS NOT NULL)"});
    case 4:
      return typed(type, {"(", expr(type, depth - 1),
                          chance(0.5)   ? " IS TRUE)"
                          : chance(0.5) ? " IS NOT FALSE)"
                                        : " IS UNKNOWN)"});
    case 5:
      return typed(type, {"(", expr(operand, depth - 1), " " + no + "BETWEEN ",
                          leaf(operand), " AND ", leaf(operand), ")"});
    case 6:
      return typed(type, {"(", expr(operand, depth - 1), " " + no + "IN (",
                          leaf(operand), ", ", leaf(operand), ", ",
                          leaf(operand), "))"});
    case 7:
      return typed(type, {"(", expr("text", depth - 1), " " + no + "LIKE ",
                          chance(0.5)   ? "'a%'"
                          : chance(0.5) ? "'_%b'"
                                        : "'%\\_c'",
                          ")"});
    case 8:
      if (tables_.empty() || is_risky_) break;
      return typed(type, {"(", expr(operand, depth - 1), " " + no + "IN (",
                          select({operand}, depth - 1, false), "))"});
    case 9:
      if (tables_.empty() || is_risky_) break;
      return typed(type, {"(" + no + "EXISTS (",
                          select({any_type()}, depth - 1, false), "))"});
    default: break;
  }
  // Integers of different sizes compare, too.
  const std::string other = is_integer(operand) && chance(0.3)   ? "bigint"
                            : is_integer(operand) && chance(0.2) ? "numeric"
                                                                 : operand;
  return typed(type, {"(", expr(operand, depth - 1), pick(kComparisons),
                      expr(other, depth - 1), ")"});
}

Draft Generator::text(int depth) {
  const std::string type = "text";
  switch (below(5)) {
    case 0:
    case 1:
      return typed(type, {"(", expr(type, depth - 1), " || ",
                          expr(type, depth - 1), ")"});
    case 2:
      return typed(type, {chance(0.5) ? "lower(" : "upper(",
                          expr(type, depth - 1), ")"});
    case 3: {
      static const std::vector<std::string> kFrom = {
          "integer", "numeric", "boolean", "date", "timestamp"};
      return typed(type, {"CAST(", expr(pick(kFrom), depth - 1), " AS text)"});
    }
    default:
      return typed(type,
                   {"CAST(", expr(type, depth - 1), " AS varchar(3))::text"});
  }
}

Draft Generator::date(int depth) {
  if (chance(0.2))
    return typed("date", {"CAST(", expr("timestamp", depth - 1), " AS date)"});
  return typed("date", {"(", expr("date", depth - 1),
                        chance(0.5) ? " + " : " - ", leaf("integer"), ")"});
}

Draft Generator::aggregate(const std::string& type, int depth) {
  // One over names of an outer query would be the outer query's.
  std::vector<Names> outer(scopes_.begin(), scopes_.end() - 1);
  scopes_.erase(scopes_.begin(), scopes_.end() - 1);
  Draft result = own_aggregate(type, depth);
  scopes_.insert(scopes_.begin(), outer.begin(), outer.end());
  return result;
}

Draft Generator::own_aggregate(const std::string& type, int depth) {
  const std::string distinct = !is_plain_ && chance(0.25) ? "DISTINCT " : "";
  if (type == "bigint" && chance(0.7)) {
    if (chance(0.4)) return typed(type, {"count(*)"});
    if (chance(0.5))
      return typed(type, {"count(" + distinct, expr(any_type(), depth), ")"});
    return typed(type, {"sum(" + distinct, expr("integer", depth), ")"});
  }
  if (type == "numeric" && chance(0.7)) {
    const bool is_sum = chance(0.5);
    static const std::vector<std::string> kSummands = {"numeric", "bigint"};
    static const std::vector<std::string> kAveraged = {"numeric", "integer",
                                                       "bigint"};
    return typed(type,
                 {(is_sum ? "sum(" : "avg(") + distinct,
                  expr(pick(is_sum ? kSummands : kAveraged), depth), ")"});
  }
  if (type == "boolean")
    return typed(
        type, {chance(0.5) ? "bool_and(" : "bool_or(", expr(type, depth), ")"});
  return typed(type, {chance(0.5) ? "min(" : "max(", expr(type, depth), ")"});
}

Draft Generator::scalar_query(const std::string& type, int depth) {
  scopes_.emplace_back();
  Draft source = from(1, 0);
  Draft condition = maybe_where(depth);
  Draft value = aggregate(type, 1);
  scopes_.pop_back();
  return typed(type, {"(SELECT ", value, source, condition, ")"});
}

Draft Generator::from(std::size_t relations, int depth) {
  Draft all("", {" FROM "});
  for (std::size_t i = 0; i < relations; ++i) {
    const std::string alias = fresh("r");
    Names columns;
    Draft relation;
    if (depth > 0 && chance(0.2)) {
      const std::vector<std::string> types = {any_type(), any_type()};
      // Not correlated: there is no LATERAL.
      std::vector<Names> outer;
      std::swap(outer, scopes_);
      const Draft inner = select(types, depth - 1, chance(0.3));
      std::swap(outer, scopes_);
      relation = Draft("", {"(", inner, ") AS " + alias});
      columns = {{alias + ".c0", types[0]}, {alias + ".c1", types[1]}};
    } else {
      const TableInfo& table = tables_[below(tables_.size())];
      relation = Draft(table.name + " " + alias);
      for (const Named& column : table.columns)
        columns.push_back({alias + "." + column.name, column.type});
    }
    std::size_t kind = i == 0 ? 0 : below(3);
    // A RIGHT JOIN only of two; after a comma an ON may not mention what is
    // before it.
    const bool is_right = i == 1 && relations == 2 && kind == 2 && chance(0.3);
    const bool is_full = i > 0 && kind == 2 && !is_right && chance(0.3);
    const bool is_comma = i > 0 && i + 1 == relations && chance(0.2);
    if (is_comma) kind = 0;
    if (i > 0)
      all.parts.emplace_back(is_comma    ? ", "
                             : kind == 0 ? " CROSS JOIN "
                             : kind == 1 ? " JOIN "
                             : is_right  ? " RIGHT JOIN "
                             : is_full   ? " FULL JOIN "
                                         : " LEFT JOIN ");
    all.parts.push_back(relation);
    Names& scope = scopes_.back();
    scope.insert(scope.end(), columns.begin(), columns.end());
    if (i > 0 && kind != 0) {
      all.parts.emplace_back(" ON ");
      if (is_full || chance(0.5)) {
        all.parts.emplace_back(columns[0].name + " = ");
        all.parts.push_back(leaf(columns[0].type));
        if (is_full && chance(0.3))
          all.parts.push_back(Draft("opt", {" AND ", boolean(1)}));
      } else {
        all.parts.push_back(boolean(2));
      }
    }
  }
  return all;
}

Draft Generator::maybe_where(int depth) {
  if (chance(0.3)) return {};
  return Draft("opt", {" WHERE ", boolean(depth)});
}

Draft Generator::select(const std::vector<std::string>& types, int depth,
                        bool is_ordered) {
  const bool is_outermost = std::exchange(is_outermost_, false);
  scopes_.emplace_back();
  const std::size_t relations = depth > 1 ? 1 + below(3) : 1;
  const Draft source = from(relations, depth);
  const Draft condition = maybe_where(std::min(depth, 3));
  const bool is_grouped = chance(0.25);
  const bool is_distinct = !is_grouped && chance(0.2);
  Draft targets("", {});
  Draft group;
  Names& scope = scopes_.back();
  std::vector<Named> keys;
  if (is_grouped && chance(0.8) && !scope.empty()) {
    for (std::size_t i = 0; i < 1 + below(2); ++i)
      keys.push_back(scope[below(scope.size())]);
    if (chance(0.2))
      for (Named& key : keys)
        if (key.type == "integer") key.name = "(" + key.name + " % 2)";
    group = Draft("", {" GROUP BY " + keys[0].name});
    for (std::size_t i = 1; i < keys.size(); ++i)
      group.parts.emplace_back(", " + keys[i].name);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) targets.parts.emplace_back(", ");
    Draft target;
    if (!is_grouped && chance(0.2)) {
      target = window(types[i], Names(scopes_.back()), std::min(depth, 1),
                      is_outermost);
    } else if (!is_grouped) {
      target = expr(types[i], std::min(depth, 3));
    } else {
      const auto key =
          std::find_if(keys.begin(), keys.end(),
                       [&](const Named& k) { return k.type == types[i]; });
      target = key != keys.end() && chance(0.6) ? Draft(key->name)
                                                : aggregate(types[i], 1);
      // Over groups, which their keys tell apart.
      if (types[i] != "boolean" && chance(0.2))
        target = Draft(
            "", {"CAST(max(", target,
                 ") OVER (" + (keys.empty() ? "" : "ORDER BY " + keys[0].name) +
                     ") AS " + types[i] + ")"});
    }
    targets.parts.push_back(target);
    targets.parts.emplace_back(" AS c" + std::to_string(i));
  }
  if (is_grouped && chance(0.3)) {
    Draft having(
        "opt", {" HAVING ", aggregate("bigint", 1), " > ", literal("bigint")});
    group = Draft("", {group, having});
  }
  const Names names = scopes_.back();
  scopes_.pop_back();
  Draft tail;
  std::string first_key;
  if (is_ordered) {
    tail = Draft("", {});
    std::vector<std::size_t> order(types.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i + 1;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[below(i)]);
    std::string by = " ORDER BY ";
    first_key = std::to_string(order[0]);
    if (!is_grouped && !is_distinct && chance(0.2)) {
      first_key = names[below(names.size())].name;
      by += first_key + (chance(0.5) ? " DESC, " : ", ");
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      by += (i > 0 ? ", " : "") + std::to_string(order[i]);
      if (chance(0.4)) by += " DESC";
      if (chance(0.3)) by += chance(0.5) ? " NULLS FIRST" : " NULLS LAST";
    }
    tail.parts.emplace_back(by);
    if (chance(0.5))
      tail.parts.push_back(Draft(
          "opt", {" LIMIT " + (chance(0.05) ? std::string("NULL")
                                            : std::to_string(below(5)))}));
    if (chance(0.3))
      tail.parts.push_back(
          Draft("opt", {" OFFSET " + std::to_string(below(3))}));
  }
  std::string head = is_distinct ? "SELECT DISTINCT " : "SELECT ";
  if (is_ordered && !is_distinct && chance(0.15))
    head = "SELECT DISTINCT ON (" + first_key + ") ";
  return Draft("", {head, targets, source, condition, group, tail});
}

std::vector<Draft> Generator::functions() {
  std::vector<Draft> all;
  for (std::size_t i = 0; i < 1 + below(3); ++i) {
    const Function function{"f" + std::to_string(i), any_type()};
    variables_ = {{"x", "integer"}, {"y", "text"}};
    is_in_function_ = true;
    const std::string head = "CREATE FUNCTION " + function.name +
                             "(x integer, y text) RETURNS " + function.type +
                             (chance(0.2) ? " STRICT" : "") + " LANGUAGE ";
    if (chance(0.5)) {
      // A query of one row: what SQL functions return is their first one.
      all.push_back(Draft("", {head + "sql STABLE AS $$ ",
                               select({function.type}, 1, true), " $$"}));
    } else {
      all.push_back(Draft("", {head + "plpgsql STABLE AS $$ DECLARE v " +
                                   function.type + "; BEGIN IF ",
                               expr("boolean", 2), " THEN RETURN ",
                               expr(function.type, 2), "; END IF; v := ",
                               expr(function.type, 2), "; RETURN v; END $$"}));
    }
    is_in_function_ = false;
    variables_.clear();
    functions_.push_back(function);
  }
  return all;
}

Draft Generator::query() {
  if (chance(0.1)) return recursive_query();
  std::vector<std::string> types;
  for (std::size_t i = 0; i < 1 + below(3); ++i) types.push_back(any_type());
  is_outermost_ = true;
  return select(types, 1 + static_cast<int>(below(3)), chance(0.5));
}

Draft Generator::risky() {
  is_risky_ = true;
  Draft all;
  const TableInfo& table = tables_[below(tables_.size())];
  if (!table.key.empty()) {
    scopes_.push_back(table.columns);
    const Draft target = expr(any_type(), 4);
    scopes_.pop_back();
    std::string where;
    for (const std::string& column : table.key)
      where += (where.empty() ? " WHERE " : " AND ") + column + " = " +
               std::to_string(1 + below(3));
    all = Draft("", {"SELECT ", target, " FROM " + table.name + where});
  } else {
    all = Draft("", {"SELECT ", leaf(any_type())});
  }
  is_risky_ = false;
  return all;
}

Draft Generator::row_values(const TableInfo& table, int key) {
  Draft row("", {"("});
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Named& column = table.columns[i];
    if (i > 0) row.parts.emplace_back(", ");
    const bool is_key = std::find(table.key.begin(), table.key.end(),
                                  column.name) != table.key.end();
    if (is_key && i == 0)
      row.parts.emplace_back(std::to_string(key));
    else if (is_key)
      row.parts.emplace_back(std::to_string(1 + below(3)));
    else
      row.parts.emplace_back(literal(column.type));
  }
  row.parts.emplace_back(")");
  return row;
}

Draft Generator::table(const std::string& name) {
  TableInfo info;
  info.name = name;
  const std::size_t kind = below(4);
  Draft all("", {"CREATE TABLE " + name + " ("});
  if (kind == 0) {
    info.columns = {{"a", "integer"}, {"b", "integer"}};
    info.key = {"a", "b"};
    all.parts.emplace_back("a integer, b integer");
  } else if (kind == 1) {
    info.columns = {{"a", "integer"}};
    all.parts.emplace_back("a integer");
  } else {
    info.columns = {{"id", "integer"}};
    info.key = {"id"};
    all.parts.emplace_back("id integer PRIMARY KEY");
  }
  for (std::size_t i = 0; i < 2 + below(4); ++i) {
    const std::string column = "c" + std::to_string(i);
    const std::string type = any_type();
    std::string spelled = type;
    if (type == "text" && chance(0.4)) spelled = "varchar(4)";
    if (type == "numeric" && chance(0.5)) spelled = "numeric(6,2)";
    std::string rest = column + " " + spelled;
    if (chance(0.15)) rest += " NOT NULL";
    if (chance(0.2)) rest += " DEFAULT " + literal(type);
    if (chance(0.1)) {
      rest += " UNIQUE";
      info.unique.push_back(column);
    }
    if (is_integer(type) && chance(0.15))
      rest += " CHECK (" + column + " >= -2)";
    if (type == "integer" && chance(0.25)) {
      for (const TableInfo& parent : tables_) {
        if (parent.key.size() != 1) continue;
        static const std::vector<std::string> kActions = {
            "",
            " ON DELETE CASCADE",
            " ON DELETE SET NULL",
            " ON DELETE RESTRICT",
            " ON UPDATE CASCADE",
            " ON UPDATE SET NULL ON DELETE CASCADE",
            " DEFERRABLE INITIALLY DEFERRED",
            " ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"};
        rest += " REFERENCES " + parent.name + pick(kActions);
        break;
      }
    }
    all.parts.push_back(Draft("", {", " + rest}));
    info.columns.push_back({column, type});
  }
  if (chance(0.2) && kind != 1)
    all.parts.emplace_back(chance(0.5)   ? ", s serial"
                           : chance(0.5) ? ", s integer GENERATED ALWAYS AS "
                                           "IDENTITY"
                                         : ", s bigint GENERATED BY DEFAULT AS "
                                           "IDENTITY (START WITH 5)");
  if (chance(0.15)) {
    all.parts.emplace_back(", UNIQUE (c0, c1)");
    info.unique.insert(info.unique.end(), {"c0", "c1"});
  }
  if (kind == 0) {
    for (const TableInfo& parent : tables_)
      if (parent.key.size() == 2 && chance(0.5)) {
        all.parts.emplace_back(", FOREIGN KEY (a, b) REFERENCES " +
                               parent.name +
                               (chance(0.5) ? " ON DELETE CASCADE" : ""));
        break;
      }
  }
  if (kind == 0) all.parts.emplace_back(", PRIMARY KEY (a, b)");
  all.parts.emplace_back(")");
  tables_.push_back(info);
  return all;
}

std::vector<Draft> Generator::schema() {
  std::vector<Draft> all;
  const std::size_t count = 1 + below(3);
  for (std::size_t t = 0; t < count; ++t)
    all.push_back(table("t" + std::to_string(t)));
  for (const TableInfo& info : tables_) {
    if (!chance(0.25)) continue;
    const auto column = [&] {
      return info.columns[below(info.columns.size())].name;
    };
    all.push_back("CREATE UNIQUE INDEX ON " + info.name + " (" + column() +
                  ") WHERE " + column() +
                  (chance(0.5) ? " IS NULL" : " IS NOT NULL"));
  }
  return all;
}

std::vector<Draft> Generator::rows(std::size_t least) {
  std::vector<Draft> all;
  for (const TableInfo& info : tables_) {
    const std::size_t rows = least + below(7);
    std::string columns;
    for (const Named& column : info.columns)
      columns += (columns.empty() ? "" : ", ") + column.name;
    for (std::size_t r = 0; r < rows; ++r)
      all.push_back(Draft(
          "opt", {"INSERT INTO " + info.name + " (" + columns + ") VALUES ",
                  row_values(info, static_cast<int>(r) + 1)}));
  }
  return all;
}

Generator::Names Generator::qualified(const TableInfo& table) {
  Names names;
  for (const Named& column : table.columns)
    names.push_back({table.name + "." + column.name, column.type});
  return names;
}

Draft Generator::returning(const TableInfo& table) {
  if (!is_returning_ || chance(0.5)) return {};
  scopes_.push_back(qualified(table));
  Draft all("opt",
            {" RETURNING ", expr(any_type(), 2), ", ", leaf(any_type())});
  scopes_.pop_back();
  return all;
}

Draft Generator::conflict_clause(const TableInfo& table) {
  if (table.key.empty() || chance(0.3))
    return Draft("opt", {" ON CONFLICT DO NOTHING"});
  std::string key;
  for (const std::string& column : table.key)
    key += (key.empty() ? "" : ", ") + column;
  if (chance(0.3))
    return Draft("opt", {" ON CONFLICT (" + key + ") DO NOTHING"});
  const Named& column = table.columns.back();
  Names names;
  for (const Named& c : table.columns) {
    names.push_back({table.name + "." + c.name, c.type});
    names.push_back({"excluded." + c.name, c.type});
  }
  scopes_.push_back(names);
  Draft all("opt",
            {" ON CONFLICT (" + key + ") DO UPDATE SET " + column.name + " = ",
             expr(column.type, 2)});
  if (chance(0.3)) all.parts.push_back(Draft("opt", {" WHERE ", boolean(2)}));
  scopes_.pop_back();
  return all;
}

Draft Generator::change() {
  const TableInfo& table = tables_[below(tables_.size())];
  const std::size_t kind = below(10);
  if (kind < 5) {
    std::string columns;
    for (const Named& column : table.columns)
      columns += (columns.empty() ? "" : ", ") + column.name;
    Draft all("", {"INSERT INTO " + table.name + " (" + columns + ") "});
    if (kind == 0) {
      std::vector<std::string> types;
      for (const Named& column : table.columns) types.push_back(column.type);
      // A fresh key per row: row_number is not there, so one row at most.
      all.parts.push_back(Draft("", {select(types, 1, true), ""}));
    } else {
      all.parts.emplace_back("VALUES ");
      const int key =
          chance(0.6) ? next_key_++ : 1 + static_cast<int>(below(6));
      all.parts.push_back(row_values(table, key));
      if (chance(0.2)) {
        all.parts.emplace_back(", ");
        all.parts.push_back(row_values(table, next_key_++));
      }
    }
    if (chance(0.4)) all.parts.push_back(conflict_clause(table));
    all.parts.push_back(returning(table));
    return all;
  }
  scopes_.push_back(qualified(table));
  Draft all;
  if (kind < 8 && (table.unique.empty() || table.key.size() == 1)) {
    const Named& column =
        table.columns[table.key.size() +
                      below(table.columns.size() - table.key.size())];
    all = Draft("", {"UPDATE " + table.name + " SET " + column.name + " = ",
                     chance(0.1) ? Draft("DEFAULT") : expr(column.type, 2)});
    if (chance(0.3) && column.name != table.columns.back().name) {
      const Named& other = table.columns.back();
      all.parts.push_back(
          Draft("opt", {", " + other.name + " = ", expr(other.type, 2)}));
    }
  } else {
    all = Draft("", {"DELETE FROM " + table.name});
  }
  // Whether a UNIQUE column may change in many rows depends on their order.
  if (!table.key.empty() && (!table.unique.empty() || chance(0.5)))
    all.parts.emplace_back(" WHERE " + table.key[0] + " = " +
                           std::to_string(1 + below(6)));
  else
    all.parts.push_back(maybe_where(2));
  scopes_.pop_back();
  all.parts.push_back(returning(table));
  return all;
}

}  // namespace txscope::test
