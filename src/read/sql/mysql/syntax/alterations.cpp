// ALTER TABLE and RENAME TABLE.

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

Node* Alterations::command(PgQuery__AlterTableType kind, std::string_view name,
                           Node* def) {
  auto* made = nodes_.make<PgQuery__AlterTableCmd>();
  made->subtype = kind;
  made->name = nodes_.text(name);
  made->def = def;
  made->missing_ok = 1;
  return nodes_.wrap(made);
}

Node* Alterations::alter_table() {
  auto* made = nodes_.make<PgQuery__AlterTableStmt>();
  (void)accept_all({"if", "exists"});
  made->relation = table_name();
  made->objtype = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
  List commands;
  do {
    alter(made->relation, commands);
  } while (accept(","));
  if (is("partition")) all_.tables.partitions();
  nodes_.set(made->n_cmds, made->cmds, commands);
  return nodes_.wrap(made);
}

void Alterations::alter(PgQuery__RangeVar* table, List& commands) {
  const auto place = [&] {
    if (accept("after")) {
      made_->notes.emplace_back(
          "AFTER and FIRST are left out: columns are added at the end");
      (void)name("a column");
    } else if (accept("first")) {
      made_->notes.emplace_back(
          "AFTER and FIRST are left out: columns are added at the end");
    }
  };
  const auto add_column = [&] {
    const std::int32_t where = location();
    const std::string called = name("a column");
    commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn, called,
                               all_.tables.column(called, where)));
    place();
  };
  if (accept("add")) {
    List made;
    const bool is_column = accept("column");
    if (is_column) (void)accept_all({"if", "not", "exists"});
    if (!is_column && all_.keys.table_constraint(made, table)) {
      for (Node* each : made)
        commands.push_back(
            command(PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint, "", each));
      return;
    }
    if (accept("(")) {
      do {
        add_column();
      } while (accept(","));
      expect(")");
      return;
    }
    if (!is_column && is("partition")) return all_.tables.partitions();
    return add_column();
  }
  if (accept("modify")) {
    (void)accept("column");
    (void)accept_all({"if", "exists"});
    const std::string called = name("a column");
    --at_;
    redefine(called, commands, table);
    place();
    return;
  }
  if (accept("change")) {
    (void)accept("column");
    (void)accept_all({"if", "exists"});
    const std::string old = name("a column");
    redefine(old, commands, table);
    place();
    return;
  }
  if (accept("drop")) {
    if (accept_all({"primary", "key"})) {
      commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint,
                                 std::string(table->relname) + "_pkey",
                                 nullptr));
      return;
    }
    const bool is_key = is("foreign") || is("index") || is("key") ||
                        is("constraint") || is("check");
    if (is_key) {
      if (accept("foreign"))
        expect("key");
      else
        ++at_;
      (void)accept_all({"if", "exists"});
      commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint,
                                 name("a name"), nullptr));
      return;
    }
    if (is("partition")) return all_.tables.partitions();
    (void)accept("column");
    (void)accept_all({"if", "exists"});
    commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn,
                               name("a column"), nullptr));
    if (!accept("cascade")) (void)accept("restrict");
    return;
  }
  if (accept("alter")) {
    (void)accept("column");
    const std::string called = name("a column");
    if (accept_all({"drop", "default"})) {
      commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault,
                                 called, nullptr));
      return;
    }
    expect("set");
    expect("default");
    commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault,
                               called, all_.tables.default_value()));
    return;
  }
  if (accept("rename")) {
    auto* rename = nodes_.make<PgQuery__RenameStmt>();
    rename->relation = table;
    if (accept("column")) {
      rename->rename_type = PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN;
      rename->relation_type = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
      rename->subname = nodes_.text(name("a column"));
      expect("to");
      rename->newname = nodes_.text(name("a column"));
    } else if (accept("index") || accept("key")) {
      (void)name("an index");
      expect("to");
      (void)name("an index");
      return;
    } else {
      rename->rename_type = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
      if (!accept("to")) (void)accept("as");
      rename->newname = table_name()->relname;
    }
    made_->more.push_back(nodes_.wrap(rename));
    return;
  }
  if (is("disable") || is("enable")) {
    ++at_;
    expect("keys");
    return;
  }
  if (accept("convert")) {
    expect("to");
    if (!accept("charset")) {
      expect("character");
      expect("set");
    }
    ++at_;
    if (accept("collate")) ++at_;
    return;
  }
  if (accept("order")) {
    expect("by");
    (void)all_.expressions.expr_list();
    return;
  }
  if (accept("force")) return;
  const auto start = all_.tables.table_options();
  if (start) made_->next_number = start;
}

/// MODIFY, CHANGE: the column has this definition from now on.
void Alterations::redefine(const std::string& old, List& commands,
                           PgQuery__RangeVar* table) {
  const std::int32_t where = location();
  const std::string called = name("a column");
  if (called != old) {
    auto* rename = nodes_.make<PgQuery__RenameStmt>();
    rename->relation = table;
    rename->rename_type = PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN;
    rename->relation_type = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
    rename->subname = nodes_.text(old);
    rename->newname = nodes_.text(called);
    made_->more.push_back(nodes_.wrap(rename));
  }
  Node* made = all_.tables.column(called, where);
  PgQuery__ColumnDef& def = *made->column_def;
  commands.push_back(
      command(PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType, old, made));
  commands.push_back(
      command(PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull, old, nullptr));
  commands.push_back(
      command(PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault, old, nullptr));
  for (std::size_t i = 0; i < def.n_constraints; ++i) {
    PgQuery__Constraint& each = *def.constraints[i]->constraint;
    switch (each.contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        commands.push_back(
            command(PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull, old, nullptr));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault,
                                   old, each.raw_expr));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity,
                                   old, def.constraints[i]));
        break;
      case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        nodes_.set(each.n_keys, each.keys, {nodes_.string(old)});
        commands.push_back(command(PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint,
                                   "", def.constraints[i]));
        break;
      default: break;
    }
  }
}

/// RENAME TABLE a TO b, c TO d
Node* Alterations::rename_table() {
  List all;
  (void)accept_all({"if", "exists"});
  do {
    auto* rename = nodes_.make<PgQuery__RenameStmt>();
    rename->rename_type = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
    rename->relation = table_name();
    expect("to");
    rename->newname = table_name()->relname;
    all.push_back(nodes_.wrap(rename));
  } while (accept(","));
  made_->more.assign(all.begin() + 1, all.end());
  return all[0];
}

}  // namespace txscope::sql::syntax
