// CREATE and DROP of all but tables.

#include <algorithm>
#include <array>

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

/// DEFINER = user@host, SQL SECURITY, ALGORITHM.
void Definitions::definer() {
  for (;;) {
    if (accept("definer")) {
      expect("=");
      if (accept("current_user")) {
        if (accept("(")) expect(")");
        continue;
      }
      ++at_;  // the user
      // @`host` and @host are one token, @% is two.
      if (peek().word.starts_with('@')) ++at_;
      if (is("%")) ++at_;
    } else if (accept("algorithm")) {
      expect("=");
      ++at_;
    } else if (accept_all({"sql", "security"})) {
      ++at_;
    } else {
      return;
    }
  }
}

Node* Definitions::create() {
  if (accept_all({"or", "replace"})) made_->is_or_replace = true;
  definer();
  const bool is_temporary = accept("temporary");
  if (accept("table")) return all_.tables.create_table(is_temporary);
  if (accept("unique")) return all_.keys.create_index(true);
  if (is("index")) return all_.keys.create_index(false);
  if (accept("fulltext") || accept("spatial"))
    return harmless(nodes_.wrap(nodes_.make<PgQuery__VacuumStmt>()));
  if (accept("view")) return create_view();
  (void)accept("aggregate");
  if (accept("procedure")) return create_routine(true);
  if (accept("function")) return create_routine(false);
  if (accept("trigger")) return create_trigger();
  if (is("database") || is("schema"))
    return harmless(nodes_.wrap(nodes_.make<PgQuery__CreatedbStmt>()));
  if (is("user") || is("role"))
    return harmless(nodes_.wrap(nodes_.make<PgQuery__CreateRoleStmt>()));
  if (is("event")) {
    made_->notes.emplace_back("events of CREATE EVENT do not run");
    return harmless(nodes_.wrap(nodes_.make<PgQuery__CreatedbStmt>()));
  }
  if (is("server") || is("tablespace") || is("logfile"))
    return harmless(nodes_.wrap(nodes_.make<PgQuery__CreatedbStmt>()));
  if (accept("sequence")) return create_sequence();
  fail("TABLE, INDEX, VIEW, PROCEDURE, FUNCTION or TRIGGER");
}

/// START WITH n, INCREMENT BY n, and options that change no number.
Node* Definitions::create_sequence() {
  auto* made = nodes_.make<PgQuery__CreateSeqStmt>();
  made->if_not_exists = accept_all({"if", "not", "exists"});
  made->sequence = table_name();
  List options;
  while (at_ < tokens_.size()) {
    if (peek().kind != TokenKind::Word) fail("an option of the sequence");
    const std::string called = peek().word;
    ++at_;
    if (called == "cycle") unsupported("CYCLE is");
    if (called.starts_with("no") && called != "no") continue;  // NOCACHE
    if (called == "no") {
      ++at_;
      continue;
    }
    if (!accept("=") && !accept("with")) (void)accept("by");
    const bool is_number = called == "start" || called == "increment" ||
                           called == "minvalue" || called == "maxvalue" ||
                           called == "cache";
    if (!is_number) {  // ENGINE = InnoDB, COMMENT 'x'
      ++at_;
      continue;
    }
    if (peek().kind != TokenKind::Number) fail("a number");
    auto* option = nodes_.make<PgQuery__DefElem>();
    option->defname = nodes_.text(called);
    auto* number = nodes_.make<PgQuery__Integer>();
    const std::string& digits = peek().word;
    number->ival = digits.size() > 9 ? 2147483647 : std::stoi(digits);
    ++at_;
    option->arg = nodes_.wrap(number);
    options.push_back(nodes_.wrap(option));
  }
  nodes_.set(made->n_options, made->options, options);
  return nodes_.wrap(made);
}

Node* Definitions::create_view() {
  auto* made = nodes_.make<PgQuery__ViewStmt>();
  made->replace = made_->is_or_replace;
  made->with_check_option = PG_QUERY__VIEW_CHECK_OPTION__NO_CHECK_OPTION;
  (void)accept_all({"if", "not", "exists"});
  made->view = table_name();
  if (is("(")) nodes_.set(made->n_aliases, made->aliases, name_list());
  expect("as");
  made->query = all_.queries.query_expression();
  if (accept("with")) {
    const bool is_local = accept("local");
    if (!is_local) (void)accept("cascaded");
    expect("check");
    expect("option");
    made->with_check_option =
        is_local ? PG_QUERY__VIEW_CHECK_OPTION__LOCAL_CHECK_OPTION
                 : PG_QUERY__VIEW_CHECK_OPTION__CASCADED_CHECK_OPTION;
  }
  return nodes_.wrap(made);
}

/// name (parameters) [RETURNS type] characteristics body: the body is kept as
/// text.
Node* Definitions::create_routine(bool is_procedure) {
  auto* made = nodes_.make<PgQuery__CreateFunctionStmt>();
  made->is_procedure = is_procedure;
  made->replace = made_->is_or_replace;
  if (accept_all({"if", "not", "exists"})) made_->if_not_exists = true;
  nodes_.set(made->n_funcname, made->funcname, qualified_name("a name"));
  if (is("returns") && is("string", 1)) unsupported("a loadable function is");
  expect("(");
  List parameters;
  if (!is(")")) {
    do {
      auto* parameter = nodes_.make<PgQuery__FunctionParameter>();
      parameter->mode = PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_IN;
      if (accept("out")) {
        parameter->mode = PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT;
      } else if (accept("inout")) {
        parameter->mode = PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT;
      } else {
        (void)accept("in");
      }
      parameter->name = nodes_.text(name("a parameter"));
      parameter->arg_type = all_.types.column_type().type;
      parameters.push_back(nodes_.wrap(parameter));
    } while (accept(","));
  }
  expect(")");
  nodes_.set(made->n_parameters, made->parameters, parameters);
  if (!is_procedure) {
    expect("returns");
    made->return_type = all_.types.column_type().type;
  }
  for (;;) {
    if (accept("comment")) {
      (void)all_.expressions.literal();
    } else if (accept_all({"language", "sql"})) {
    } else if (accept_all({"not", "deterministic"}) ||
               accept("deterministic")) {
    } else if (accept_all({"contains", "sql"}) || accept_all({"no", "sql"})) {
    } else if (accept_all({"reads", "sql", "data"}) ||
               accept_all({"modifies", "sql", "data"})) {
    } else if (accept_all({"sql", "security"})) {
      ++at_;
    } else {
      break;
    }
  }
  if (at_ >= tokens_.size()) fail("the body");
  const std::size_t first = at_;
  skip_statement();
  made_->body = since(first);
  return nodes_.wrap(made);
}

/// name BEFORE|AFTER INSERT|UPDATE|DELETE ON t FOR EACH ROW [FOLLOWS x] body
Node* Definitions::create_trigger() {
  auto* made = nodes_.make<PgQuery__CreateTrigStmt>();
  made->replace = made_->is_or_replace;
  if (accept_all({"if", "not", "exists"})) made_->if_not_exists = true;
  const List called = qualified_name("a trigger");
  made->trigname = nodes_.text(called[0]->string->sval);
  nodes_.set(made->n_funcname, made->funcname, called);
  made->row = 1;
  // TRIGGER_TYPE_... of PostgreSQL's pg_trigger.h.
  constexpr std::int32_t kBefore = 2;
  constexpr std::int32_t kInsert = 4;
  constexpr std::int32_t kDelete = 8;
  constexpr std::int32_t kUpdate = 16;
  if (accept("before")) {
    made->timing = kBefore;
  } else {
    expect("after");
  }
  if (accept("insert")) {
    made->events = kInsert;
  } else if (accept("update")) {
    made->events = kUpdate;
  } else {
    expect("delete");
    made->events = kDelete;
  }
  expect("on");
  made->relation = table_name();
  expect("for");
  expect("each");
  expect("row");
  if ((is("follows") || is("precedes")) && peek(1).is_name()) {
    made_->precedes = is("precedes");
    ++at_;
    made_->beside_trigger = name("a trigger");
  }
  if (at_ >= tokens_.size()) fail("the body");
  const std::size_t first = at_;
  skip_statement();
  made_->body = since(first);
  return nodes_.wrap(made);
}

Node* Definitions::drop() {
  auto* made = nodes_.make<PgQuery__DropStmt>();
  (void)accept("temporary");
  const std::string word = peek().word;
  if (is("database") || is("schema") || is("user") || is("role") ||
      is("event") || is("server") || is("sequence") || is("prepare"))
    return harmless(nodes_.wrap(nodes_.make<PgQuery__DropdbStmt>()));
  if (is("index")) {
    ++at_;
    (void)accept_all({"if", "exists"});
    const std::string called = name("an index");
    expect("on");
    auto* alter = nodes_.make<PgQuery__AlterTableStmt>();
    alter->relation = table_name();
    alter->objtype = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
    nodes_.set(
        alter->n_cmds, alter->cmds,
        {all_.alterations.command(PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint,
                                  called, nullptr)});
    skip_statement();
    return nodes_.wrap(alter);
  }
  struct Droppable {
    std::string_view word;
    PgQuery__ObjectType type;
  };
  constexpr std::array<Droppable, 6> kDroppable = {{
      {"table", PG_QUERY__OBJECT_TYPE__OBJECT_TABLE},
      {"tables", PG_QUERY__OBJECT_TYPE__OBJECT_TABLE},
      {"view", PG_QUERY__OBJECT_TYPE__OBJECT_VIEW},
      {"procedure", PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE},
      {"function", PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION},
      {"trigger", PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER},
  }};
  const auto found =
      std::find_if(kDroppable.begin(), kDroppable.end(),
                   [&](const Droppable& kind) { return kind.word == word; });
  if (found == kDroppable.end()) fail("what to drop");
  ++at_;
  made->remove_type = found->type;
  made->missing_ok = accept_all({"if", "exists"});
  List objects;
  do {
    const List called = qualified_name("a name");
    const bool is_routine =
        found->type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
        found->type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION;
    if (is_routine) {
      auto* object = nodes_.make<PgQuery__ObjectWithArgs>();
      nodes_.set(object->n_objname, object->objname, called);
      object->args_unspecified = 1;
      objects.push_back(nodes_.wrap(object));
    } else {
      objects.push_back(nodes_.list(called));
    }
  } while (accept(","));
  if (!accept("cascade")) (void)accept("restrict");
  nodes_.set(made->n_objects, made->objects, objects);
  return nodes_.wrap(made);
}

}  // namespace txscope::sql::syntax
