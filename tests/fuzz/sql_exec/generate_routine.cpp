#include "fuzz/sql_exec/generator.h"

namespace txscope::test {

const Generator::Named& Generator::assignable() {
  return variables_[below(variables_.size())];
}

Draft Generator::block(int depth, int length) {
  Draft all("", {});
  const std::size_t count = 1 + below(static_cast<std::size_t>(length));
  for (std::size_t i = 0; i < count; ++i)
    all.parts.push_back(Draft("opt", {statement(depth)}));
  all.parts.emplace_back(" NULL;");
  return all;
}

/// EXECUTE of texts that have values in them, or get them by USING.
Draft Generator::execute_statement() {
  const TableInfo& table = tables_[below(tables_.size())];
  const Named& column = table.columns.back();
  const std::string key =
      table.key.empty() ? table.columns[0].name : table.key[0];
  std::string type = "integer";
  for (const Named& c : table.columns)
    if (c.name == key) type = c.type;
  const bool is_number = type == "integer" || type == "bigint";
  switch (below(is_number ? 4 : 3)) {
    case 0:
      return Draft("",
                   {" EXECUTE $q$UPDATE " + table.name + " SET " + column.name +
                        " = $1 WHERE " + key + " = $2$q$ USING ",
                    expr(column.type, 1), ", ", leaf(type), ";"});
    case 1: {
      const Named& variable = assignable();
      if (variable.type != "bigint" && variable.type != "integer") break;
      return Draft("",
                   {" EXECUTE 'SELECT count(*) FROM " + table.name + " WHERE " +
                        key + " >= $1' INTO " + variable.name + " USING ",
                    expr(type, 1), ";"});
    }
    case 2: break;
    default:
      return Draft("", {" EXECUTE format('DELETE FROM %I WHERE " + key +
                            " = %s', '" + table.name + "', ",
                        leaf("integer"), ");"});
  }
  return Draft("", {" EXECUTE format('UPDATE %I SET " + column.name +
                        " = %L WHERE " + key + " = $1', '" + table.name + "', ",
                    expr(column.type, 1), ") USING ", leaf(type), ";"});
}

Draft Generator::into_statement() {
  if (chance(0.12)) return execute_statement();
  const Named& variable = assignable();
  if (chance(0.15)) {
    const TableInfo& table = tables_[below(tables_.size())];
    scopes_.push_back(qualified(table));
    const Draft value = expr(variable.type, 2);
    scopes_.pop_back();
    const std::string where =
        table.key.empty()
            ? " WHERE false"
            : " WHERE " + table.key[0] + " = " + std::to_string(1 + below(4));
    const std::string what = chance(0.5)
                                 ? " DELETE FROM " + table.name
                                 : " UPDATE " + table.name + " SET " +
                                       table.columns.back().name + " = " +
                                       literal(table.columns.back().type);
    return Draft("", {what + where + " RETURNING ", value,
                      " INTO " + variable.name + ";"});
  }
  if (chance(0.2)) {
    const Named& second = assignable();
    if (second.name != variable.name) {
      Draft query = select({variable.type, second.type}, 1, true);
      query.parts.insert(query.parts.begin() + 2,
                         Draft(" INTO " + variable.name + ", " + second.name));
      return Draft("", {" ", query, ";"});
    }
  }
  if (chance(0.5)) {
    const bool is_strict = chance(0.07);
    Draft query = select({variable.type}, 1, true);
    // SELECT targets INTO v FROM ...: the targets are the second part.
    query.parts.insert(
        query.parts.begin() + 2,
        Draft((is_strict ? " INTO STRICT " : " INTO ") + variable.name));
    return Draft("", {" ", query, ";"});
  }
  if (chance(0.3))
    return Draft("", {" PERFORM",
                      Draft("", {" 1",
                                 [&] {
                                   scopes_.emplace_back();
                                   Draft rows("", {from(1, 0), maybe_where(2)});
                                   scopes_.pop_back();
                                   return rows;
                                 }()}),
                      ";"});
  return Draft("", {" ", change(), ";"});
}

Draft Generator::call_of_function() {
  const std::string name = pick(called_);
  const Draft call("",
                   {name + "(", expr("integer", 1), ", ", leaf("text"), ")"});
  switch (below(4)) {
    case 0: return Draft("", {" PERFORM ", call, ";"});
    case 1: return Draft("", {" SELECT ", call, " INTO p_a;"});
    case 2:
      return Draft("", {" IF ", call, " > 2 THEN v_i := v_i + 1; END IF;"});
    default: return Draft("", {" v_i := ", call, " + 1;"});
  }
}

Draft Generator::for_rows(int depth) {
  const std::string record = fresh("rec");
  records_ += " " + record + " record;";
  const std::string first = any_type();
  const std::string second = any_type();
  const Draft query = select({first, second}, 1, true);
  variables_.push_back({record + ".c0", first});
  variables_.push_back({record + ".c1", second});
  const Draft body = block(depth - 1, 3);
  variables_.pop_back();
  variables_.pop_back();
  if (chance(0.6))
    return Draft(
        "", {" FOR " + record + " IN ", query, " LOOP", body, " END LOOP;"});
  const std::string cursor = fresh("cur");
  records_ += " " + cursor + " CURSOR FOR " + query.str() + ";";
  if (chance(0.5))
    return Draft(
        "", {" FOR " + record + " IN " + cursor + " LOOP", body, " END LOOP;"});
  return Draft("", {" OPEN " + cursor + "; LOOP FETCH " + cursor + " INTO " +
                        record + "; EXIT WHEN NOT FOUND;",
                    body, " END LOOP; CLOSE " + cursor + ";"});
}

Draft Generator::statement(int depth) {
  const std::size_t kind = depth > 0 ? below(22) : 9 + below(7);
  switch (kind) {
    case 0:
    case 1:
      return Draft("",
                   {" IF ", expr("boolean", 2), " THEN", block(depth - 1, 2),
                    " ELSIF ", expr("boolean", 1), " THEN", block(depth - 1, 2),
                    " ELSE", block(depth - 1, 2), " END IF;"});
    case 2: {
      const std::string counter = fresh("i");
      records_ += " " + counter + " integer := 0;";
      ++loops_;
      const Draft body = block(depth - 1, 3);
      --loops_;
      return Draft(
          "",
          {" WHILE " + counter + " < " + std::to_string(below(4)) + " AND ",
           expr("boolean", 1), " LOOP " + counter + " := " + counter + " + 1;",
           body, " END LOOP;"});
    }
    case 3: {
      const std::string label = fresh("l");
      const std::string counter = fresh("i");
      records_ += " " + counter + " integer := 0;";
      labels_.push_back(label);
      ++loops_;
      const Draft body = block(depth - 1, 3);
      --loops_;
      labels_.pop_back();
      return Draft("", {" <<" + label + ">> LOOP " + counter +
                            " := " + counter + " + 1; EXIT WHEN " + counter +
                            " > " + std::to_string(below(4)) + ";",
                        body, " END LOOP " + label + ";"});
    }
    case 4:
    case 5: {
      const std::string counter = fresh("k");
      variables_.push_back({counter, "integer"});
      ++loops_;
      const Draft body = block(depth - 1, 2);
      --loops_;
      variables_.pop_back();
      return Draft(
          "", {" FOR " + counter + " IN" + (chance(0.3) ? " REVERSE " : " "),
               chance(0.8) ? Draft("1") : leaf("integer"), "..",
               chance(0.7) ? Draft(std::to_string(below(4))) : leaf("integer"),
               chance(0.3) ? " BY 2" : "", " LOOP", body, " END LOOP;"});
    }
    case 6:
    case 7: {
      ++loops_;
      Draft loop = for_rows(depth);
      --loops_;
      return loop;
    }
    case 8:
      return Draft(
          "", {" CASE ", expr("integer", 1), " WHEN ", leaf("integer"), ", ",
               leaf("integer"), " THEN", block(depth - 1, 2), " WHEN ",
               leaf("integer"), " THEN", block(depth - 1, 2),
               chance(0.9) ? Draft(" ELSE NULL;") : Draft(), " END CASE;"});
    case 16: {
      // A block with a variable of its own, and a name to leave it by.
      const std::string label = fresh("b");
      const std::string variable = fresh("n");
      variables_.push_back({variable, "integer"});
      const Draft body = block(depth - 1, 3);
      variables_.pop_back();
      return Draft(
          "",
          {" <<" + label + ">> DECLARE " + variable + " integer := ",
           leaf("integer"), "; BEGIN", body,
           Draft("opt", {" EXIT " + label + " WHEN ", expr("boolean", 1), ";"}),
           body, " END " + label + ";"});
    }
    case 17:
      return Draft("", {" CASE WHEN ", expr("boolean", 1), " THEN",
                        block(depth - 1, 2), " WHEN ", expr("boolean", 1),
                        " THEN", block(depth - 1, 2), " ELSE NULL; END CASE;"});
    case 18: {
      const TableInfo& table = tables_[below(tables_.size())];
      const std::string row = fresh("row");
      records_ += " " + row + " " + table.name + "%ROWTYPE;";
      const Named& column = table.columns[below(table.columns.size())];
      variables_.push_back({row + "." + column.name, column.type});
      const Draft body = block(depth - 1, 2);
      variables_.pop_back();
      std::string order;
      for (const Named& c : table.columns)
        order += (order.empty() ? "" : ", ") + c.name;
      return Draft("", {" SELECT * INTO " + row + " FROM " + table.name +
                            " ORDER BY " + order + " LIMIT 1;",
                        body});
    }
    case 19:
    case 20:
    case 21: {
      static const std::vector<std::string> kConditions = {
          "OTHERS",
          "unique_violation",
          "integrity_constraint_violation",
          "division_by_zero OR SQLSTATE '22003'",
          "raise_exception",
          "data_exception",
          "no_data_found OR too_many_rows"};
      const Draft body = block(depth - 1, 3);
      Draft all("", {" BEGIN", body, " EXCEPTION"});
      const std::size_t handlers = 1 + below(2);
      for (std::size_t i = 0; i < handlers; ++i) {
        all.parts.emplace_back(" WHEN " + pick(kConditions) + " THEN");
        if (chance(0.5)) all.parts.emplace_back(" v_t := SQLSTATE;");
        all.parts.push_back(block(depth - 1, 2));
        if (chance(0.15)) all.parts.emplace_back(" RAISE;");
      }
      all.parts.emplace_back(" END;");
      return all;
    }
    case 9: {
      if (loops_ > 0 && chance(0.6)) {
        const std::string label =
            !labels_.empty() && chance(0.5) ? " " + pick(labels_) : "";
        return Draft("", {chance(0.5) ? " EXIT" : " CONTINUE", label, " WHEN ",
                          expr("boolean", 1), ";"});
      }
      return Draft("", {" IF ", expr("boolean", 1), " THEN ",
                        chance(0.5)       ? "RAISE EXCEPTION 'bad: %', p_a"
                        : is_in_function_ ? "RETURN p_a + 1"
                                          : "RETURN",
                        "; END IF;"});
    }
    case 10: {
      const Named& variable = assignable();
      if (variable.type == "bigint" || variable.type == "integer")
        return Draft("",
                     {" GET DIAGNOSTICS " + variable.name + " = ROW_COUNT;"});
      if (variable.type == "boolean")
        return Draft("", {" " + variable.name + " := FOUND;"});
      break;
    }
    case 11:
      if (!called_.empty() && chance(0.5)) return call_of_function();
      if (!callable_.empty() && chance(0.7))
        return Draft(" CALL " + pick(callable_) + "(p_a, p_b, p_n);");
      break;
    case 12:
    case 13: return into_statement();
    case 14:
      if (chance(0.2)) {
        return Draft("", {" ASSERT p_a IS NULL OR ", expr("boolean", 1),
                          chance(0.5) ? ", p_b;" : ";"});
      }
      break;
    default: break;
  }
  const Named& variable = assignable();
  is_risky_ = chance(0.5);
  const Draft value = expr(variable.type, 3);
  is_risky_ = false;
  return Draft("", {" " + variable.name + " := ", value, ";"});
}

Draft Generator::body() {
  records_.clear();
  is_returning_ = false;
  variables_ = {{"p_a", "integer"}, {"p_b", "text"},    {"p_n", "numeric"},
                {"v_i", "integer"}, {"v_l", "bigint"},  {"v_n", "numeric"},
                {"v_t", "text"},    {"v_b", "boolean"}, {"v_d", "date"},
                {"v_s", "smallint"}};
  const Draft body = block(3, 6);
  variables_.clear();
  is_returning_ = true;
  return Draft(
      "", {"v_i integer := 1; v_l bigint; v_n numeric := 2.50; v_t text := "
           "'x'; v_b boolean; v_d date := '2024-01-01'; v_s smallint := 3;" +
               records_ + " BEGIN",
           body});
}

Draft Generator::routine(const std::string& name,
                         const std::vector<std::string>& callable,
                         const std::vector<std::string>& functions) {
  callable_ = callable;
  called_ = functions;
  return Draft("",
               {"CREATE PROCEDURE " + name +
                    "(INOUT p_a integer, INOUT p_b text, INOUT p_n numeric) "
                    "LANGUAGE plpgsql AS $$ DECLARE ",
                body(), " END; $$"});
}

Draft Generator::function(const std::string& name,
                          const std::vector<std::string>& functions) {
  callable_.clear();
  called_ = functions;
  is_in_function_ = true;
  Draft all("", {"CREATE FUNCTION " + name +
                     "(p_a integer, p_b text) RETURNS integer LANGUAGE plpgsql "
                     "AS $$ DECLARE p_n numeric := 1.5; ",
                 body(), " RETURN v_i; END; $$"});
  is_in_function_ = false;
  return all;
}

std::vector<Draft> Generator::triggers() {
  std::vector<Draft> all;
  const TableInfo& own = tables_[0];
  const auto effect = [&]() -> std::string {
    if (tables_.size() < 2 || chance(0.3)) return "";
    const TableInfo& other = tables_[1 + below(tables_.size() - 1)];
    const std::string where =
        other.key.empty()
            ? ""
            : " WHERE " + other.key[0] + " = " + std::to_string(1 + below(4));
    std::string text;
    switch (below(3)) {
      case 0:
        text = "INSERT INTO " + other.name + " VALUES " +
               row_values(other, 50 + static_cast<int>(below(3))).str();
        break;
      case 1: text = "DELETE FROM " + other.name + where; break;
      default:
        text = "UPDATE " + other.name + " SET " + other.columns.back().name +
               " = " + literal(other.columns.back().type) + where;
    }
    if (chance(0.4))
      return " BEGIN " + text + "; EXCEPTION WHEN OTHERS THEN NULL; END;";
    return " " + text + ";";
  };
  const std::size_t count = 1 + below(2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "tr" + std::to_string(i);
    const bool is_row = chance(0.75);
    const Named& column = own.columns[below(own.columns.size())];
    std::string body = effect();
    if (is_row) {
      body += " IF TG_OP = 'DELETE' THEN RETURN " +
              std::string(chance(0.8) ? "OLD" : "NULL") + "; END IF;";
      if (chance(0.4))
        body += " NEW." + own.columns.back().name +
                " := " + literal(own.columns.back().type) + ";";
      if (chance(0.4))
        body += " IF NEW." + column.name + " = " + literal(column.type) +
                " THEN RETURN NULL; END IF;";
      if (chance(0.2))
        body += " IF TG_OP = 'UPDATE' AND NEW." + column.name + " = OLD." +
                column.name +
                " THEN RAISE EXCEPTION 'same'; END "
                "IF;";
      body += effect();
    }
    all.push_back("CREATE FUNCTION " + name +
                  "() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN" + body +
                  (is_row ? " RETURN NEW;" : " RETURN NULL;") + " END $$");
    std::string when;
    std::string events = chance(0.5) ? "INSERT OR UPDATE" : "UPDATE";
    if (chance(0.3)) events = "INSERT OR UPDATE OR DELETE";
    if (chance(0.2)) {
      events = "UPDATE OF " + column.name;
      if (is_row)
        when = " WHEN (OLD." + column.name + " IS DISTINCT FROM NEW." +
               column.name + ")";
    }
    all.push_back("CREATE TRIGGER " + name +
                  (chance(0.5) ? " BEFORE " : " AFTER ") + events + " ON " +
                  own.name + (is_row ? " FOR EACH ROW" : "") + when +
                  " EXECUTE FUNCTION " + name + "()");
  }
  return all;
}

std::string Generator::arguments() {
  return "(" + literal("integer") + ", " + literal("text") + ", " +
         literal("numeric") + ")";
}

}  // namespace txscope::test
