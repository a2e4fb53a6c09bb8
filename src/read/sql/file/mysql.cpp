// Files in MySQL's syntax: what a dump, its client and its server have that
// PostgreSQL has not.

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/file/reader.h"
#include "read/sql/mysql/signature.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/plpgsql/routine_builder.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

/// Names of tables as CREATE TABLE spells them.
void FileReader::learn_spellings() {
  const std::vector<Token>& tokens = tokens_.list;
  MysqlState& state = *source_.mysql();
  state.has_column = [this](std::string_view table, std::string_view column) {
    const auto found =
        catalog_.table(catalog_.relation({"", std::string(table)}));
    return found && column_of(catalog_.schema.at(*found), column);
  };
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    state.catches_errors |=
        tokens[i].is("handler") &&
        (tokens[i - 1].is("exit") || tokens[i - 1].is("continue"));
    const bool is_new =
        (tokens[i].is("table") || tokens[i].is("view") ||
         tokens[i].is("function") || tokens[i].is("procedure")) &&
        !tokens[i - 1].is("drop");
    if (!is_new) continue;
    std::size_t at = i + 1;
    while (at < tokens.size() && (tokens[at].is("if") || tokens[at].is("not") ||
                                  tokens[at].is("exists")))
      ++at;
    while (at + 2 < tokens.size() && tokens[at + 1].is(".")) at += 2;
    if (at >= tokens.size() || !tokens[at].is_name()) continue;
    const Token& name = tokens[at];
    std::string spelled =
        name.kind == TokenKind::Quoted
            ? name.word
            : std::string(source_.text(source_.span(name.offset, name.length)));
    std::string lower = ascii::lower(spelled);
    state.spellings.emplace(std::move(lower), std::move(spelled));
  }
}

bool FileReader::is_program(std::size_t from) const {
  const std::vector<Token>& tokens = tokens_.list;
  if (tokens[from].is("begin"))
    return from + 1 < tokens.size() && tokens[from + 1].is("not");
  if (!tokens[from].is("create")) return false;
  constexpr std::size_t kMost = 16;  // OR REPLACE DEFINER = `a`@`b` ...
  for (std::size_t i = from; i < tokens.size() && i < from + kMost; ++i) {
    if (tokens[i].is("procedure") || tokens[i].is("function") ||
        tokens[i].is("trigger") || tokens[i].is("event"))
      return true;
    if (tokens[i].is("table") || tokens[i].is("(") || tokens[i].is(";"))
      return false;
  }
  return false;
}

int FileReader::change_of_depth(std::size_t i) const {
  const std::vector<Token>& tokens = tokens_.list;
  const Token& token = tokens[i];
  const auto is_before = [&](std::string_view word) {
    return i > 0 && tokens[i - 1].is(word);
  };
  if (token.is("end")) return -1;
  if (is_before("end")) return 0;
  const bool is_call = i + 1 < tokens.size() && tokens[i + 1].is("(");
  const bool begins = is_before(";") || is_before("begin") ||
                      is_before("then") || is_before("else") ||
                      is_before("do") || is_before("loop") ||
                      is_before("repeat") || is_before(":");
  if (token.is("begin") || token.is("case")) return 1;
  if (token.is("if") || token.is("for")) return begins ? 1 : 0;
  if (token.is("loop") || token.is("while")) return 1;
  return token.is("repeat") && !is_call ? 1 : 0;
}

/// A statement with all that comes with it.
void FileReader::mysql_statement(const std::shared_ptr<const Tree>& tree) {
  const MysqlStatement& extra = *tree->mysql();
  for (const std::string& note : extra.notes) catalog_.assumed.insert(note);
  const Node& node = tree->statement();
  if (script_statement(*tree)) return;
  if (node.node_case == PG_QUERY__NODE__NODE_VARIABLE_SET_STMT) {
    set_variables(*tree);
    return;
  }
  const bool has_columns =
      node.node_case == PG_QUERY__NODE__NODE_CREATE_STMT ||
      node.node_case == PG_QUERY__NODE__NODE_ALTER_TABLE_STMT;
  if (node.node_case == PG_QUERY__NODE__NODE_CREATE_STMT)
    take_foreign_keys(tree, node.create_stmt->relation,
                      node.create_stmt->n_table_elts,
                      node.create_stmt->table_elts);
  if (node.node_case == PG_QUERY__NODE__NODE_ALTER_TABLE_STMT)
    take_foreign_commands(tree, *node.alter_table_stmt);
  if (node.node_case == PG_QUERY__NODE__NODE_CREATE_TRIG_STMT)
    mysql_trigger(*tree, *node.create_trig_stmt);
  if (!definition(tree) && !data(*tree)) other(*tree);
  const bool is_copy =
      node.node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT;
  for (const Node* part : extra.more) {
    if (is_copy && part == extra.more[0]) continue;  // its columns
    const auto shared = std::make_shared<const Tree>(tree->part(*part));
    (void)definition(shared, *part);
  }
  if (!has_columns) return;
  note_updated_columns(node);
  if (extra.next_number)
    set_next_number(*tree, *node.alter_table_stmt, *extra.next_number);
  settle_foreign_keys(false);
}

/// The function of a trigger stands in CREATE TRIGGER itself.
void FileReader::mysql_trigger(const Tree& tree,
                               const PgQuery__CreateTrigStmt& node) {
  const std::string name(view(node.trigname));
  RoutineText text = read_mysql_signature(tree, catalog_);
  if (catalog_.routine(name) != nullptr && !node.replace) {
    source_.fail(tree.whole(), "trigger '" + name + "' is created twice");
  }
  text.signature.name = catalog_.new_routine("", name);
  text.signature.id = RoutineId(texts_.size());
  catalog_.add_routine(text.signature);
  texts_.push_back(std::move(text));
  table_users_.add(catalog_, texts_.back());
}

/// The trigger that was made last fires where FOLLOWS or PRECEDES says.
void FileReader::order_trigger(const Tree& tree) {
  const MysqlStatement& extra = *tree.mysql();
  if (extra.beside_trigger.empty()) return;
  std::vector<TriggerText>& all = catalog_.triggers;
  auto there =
      std::find_if(all.begin(), all.end(), [&](const TriggerText& text) {
        return text.trigger.name == extra.beside_trigger;
      });
  if (there == all.end() || there->table != all.back().table)
    source_.fail(tree.whole(),
                 "unknown trigger '" + extra.beside_trigger + "'");
  if (!extra.precedes) ++there;
  std::rotate(there, std::prev(all.end()), all.end());
}

/// CREATE TABLE t [(columns)] [AS] SELECT ...: a table of these columns, and an
/// INSERT of the rows.
void FileReader::create_table_as(const Tree& tree,
                                 const PgQuery__CreateTableAsStmt& node) {
  const PgQuery__RangeVar& named = *node.into->rel;
  const MysqlStatement& extra = *tree.mysql();
  const DbStatement query =
      Analyzer(tree.part(*node.query), catalog_, nullptr).statement();
  if (!extra.more.empty()) {
    SchemaReader(tree, catalog_).create_table(*extra.more[0]->create_stmt);
  } else {
    Table made;
    made.name = catalog_.new_relation("", view(named.relname));
    made.at = tree.whole();
    if (catalog_.table(made.name))
      source_.there_already(tree.whole(),
                            "table '" + made.name + "' is created twice");
    catalog_.add_table(std::move(made));
  }
  const auto id = catalog_.table(catalog_.relation(qualified(named)));
  Table& table = catalog_.schema.tables[id->index];
  std::string columns;
  for (const Target& target : RoutineBuilder::columns(query)) {
    columns += (columns.empty() ? "`" : ", `") + target.name + "`";
    if (column_of(table, target.name)) continue;
    Column column;
    column.name = target.name;
    column.type = target.expr.type;
    if (column.type.name == TypeName::Unknown) column.type = kText;
    if (column.type.name == TypeName::Boolean) column.type = kInteger;
    column.at = tree.whole();
    table.columns.push_back(std::move(column));
  }
  const std::string text = "INSERT INTO `" + std::string(view(named.relname)) +
                           "` (" + columns + ") " +
                           std::string(source_.text(*extra.body));
  const std::uint32_t offset = source_.append(text, tree.whole());
  const Tokens tokens = scan(source_, text, offset);
  setup(parse_statement(source_, tokens.list, text, offset));
}

/// Foreign keys wait for their parents, and those of a dump that switches them
/// off for its end.
void FileReader::take_foreign_keys(const std::shared_ptr<const Tree>& tree,
                                   PgQuery__RangeVar* table, std::size_t& count,
                                   Node** elements) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Node* element = elements[i];
    if (element->node_case == PG_QUERY__NODE__NODE_CONSTRAINT &&
        element->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN) {
      foreign_keys_.push_back({tree, table, element->constraint});
      continue;
    }
    if (element->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) {
      PgQuery__ColumnDef& column = *element->column_def;
      std::size_t stays = 0;
      for (std::size_t k = 0; k < column.n_constraints; ++k) {
        PgQuery__Constraint* each = column.constraints[k]->constraint;
        if (each->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN) {
          foreign_keys_.push_back({tree, table, each});
        } else {
          column.constraints[stays++] = column.constraints[k];
        }
      }
      column.n_constraints = stays;
    }
    elements[kept++] = element;
  }
  count = kept;
}

void FileReader::take_foreign_commands(const std::shared_ptr<const Tree>& tree,
                                       PgQuery__AlterTableStmt& node) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < node.n_cmds; ++i) {
    const PgQuery__AlterTableCmd& command = *node.cmds[i]->alter_table_cmd;
    const bool is_foreign =
        command.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint &&
        command.def->constraint->contype ==
            PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN;
    if (is_foreign) {
      foreign_keys_.push_back({tree, node.relation, command.def->constraint});
    } else {
      node.cmds[kept++] = node.cmds[i];
    }
  }
  node.n_cmds = kept;
}

void FileReader::settle_foreign_keys(bool is_end) {
  if (keys_are_off_ && !is_end) return;
  std::vector<ForeignLater> waiting;
  for (ForeignLater& each : foreign_keys_) {
    const std::string parent =
        catalog_.relation(qualified(*each.constraint->pktable));
    const std::string child = catalog_.relation(qualified(*each.table));
    if (!catalog_.table(child)) {
      if (!is_end) waiting.push_back(std::move(each));
      continue;
    }
    if (!is_end && !catalog_.table(parent)) {
      waiting.push_back(std::move(each));
      continue;
    }
    attempt([&] {
      try {
        SchemaReader(*each.tree, catalog_)
            .add_foreign_key(*each.table, *each.constraint);
      } catch (Failure& failure) {
        if (!failure.is_gap) throw;
        notes_.push_back("left out (line " +
                         std::to_string(failure.error.where.line) +
                         "): a foreign key: " + failure.error.what);
      }
    });
  }
  foreign_keys_ = std::move(waiting);
}

/// InnoDB has an index on the columns of every foreign key.
void FileReader::add_key_indexes() {
  for (Table& table : catalog_.schema.tables) {
    for (const ForeignKey& key : table.foreign) {
      const auto begins_with_it = [&](const std::vector<std::uint32_t>& index) {
        return index.size() >= key.columns.size() &&
               std::equal(key.columns.begin(), key.columns.end(),
                          index.begin());
      };
      const bool has_one = std::any_of(table.indexes.begin(),
                                       table.indexes.end(), begins_with_it) ||
                           std::any_of(table.unique.begin(), table.unique.end(),
                                       [&](const UniqueKey& unique) {
                                         return begins_with_it(unique.columns);
                                       });
      if (!has_one) table.indexes.push_back(key.columns);
    }
  }
}

/// Columns with ON UPDATE CURRENT_TIMESTAMP.
void FileReader::note_updated_columns(const Node& node) {
  const bool is_create = node.node_case == PG_QUERY__NODE__NODE_CREATE_STMT;
  const PgQuery__RangeVar& named = is_create ? *node.create_stmt->relation
                                             : *node.alter_table_stmt->relation;
  const auto table = catalog_.table(catalog_.relation(qualified(named)));
  if (!table) return;
  const auto note = [&](const Node* element) {
    if (element == nullptr ||
        element->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF)
      return;
    const PgQuery__ColumnDef& column = *element->column_def;
    if (view(column.storage) != "now") return;
    const auto number =
        column_of(catalog_.schema.at(*table), view(column.colname));
    if (!number) return;
    auto& all = catalog_.updated_columns[table->index];
    if (std::find(all.begin(), all.end(), *number) == all.end())
      all.push_back(*number);
  };
  if (is_create) {
    for (const Node* element :
         list(node.create_stmt->n_table_elts, node.create_stmt->table_elts))
      note(element);
    return;
  }
  const PgQuery__AlterTableStmt& alter = *node.alter_table_stmt;
  for (const Node* item : list(alter.n_cmds, alter.cmds))
    note(item->alter_table_cmd->def);
}

/// ALTER TABLE ... AUTO_INCREMENT = n
void FileReader::set_next_number(const Tree& tree,
                                 const PgQuery__AlterTableStmt& node,
                                 std::int64_t number) {
  const auto table =
      catalog_.table(catalog_.relation(qualified(*node.relation)));
  if (!table) return;
  for (const Column& column : catalog_.schema.at(*table).columns) {
    if (!column.sequence) continue;
    next_numbers_[*column.sequence] = number;
    SetupStep step;
    step.before = application_.setup.size();
    step.sequence = *column.sequence;
    step.is_called = false;
    auto query = std::make_shared<Query>();
    query->at = tree.whole();
    query->targets.push_back(
        {"value",
         constant(Value::integer(number), {TypeName::BigInt}, tree.whole())});
    step.value.at = tree.whole();
    step.value.is_expression = true;
    step.value.what = Select(std::move(query));
    application_.steps.push_back(std::move(step));
  }
}

/// SET of a file: foreign keys off and on; the rest changes nothing.
void FileReader::set_variables(const Tree& tree) {
  for (const MysqlStatement::Assignment& each : tree.mysql()->assignments) {
    std::string name = each.name;
    const std::size_t dot = name.find('.');
    if (name.starts_with("@@"))
      name = name.substr(dot == std::string::npos ? 2 : dot + 1);
    if (name == "foreign_key_checks") {
      const std::string_view value = source_.text(each.value);
      keys_are_off_ = value == "0" || value == "OFF" || value == "off";
    }
  }
  ++left_out_["SET"];
}

/// Rows that came while foreign keys were not looked at: parents first.
void FileReader::order_rows() {
  auto& setup = application_.setup;
  if (rows_without_keys_.empty()) return;
  const auto& tables = catalog_.schema.tables;
  std::vector<std::uint32_t> depth(tables.size(), 0);
  for (std::size_t round = 0; round < tables.size(); ++round) {
    bool has_changed = false;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      for (const ForeignKey& key : tables[t].foreign) {
        if (key.parent.index == t) continue;
        if (depth[t] > depth[key.parent.index] || depth[t] > tables.size())
          continue;
        depth[t] = depth[key.parent.index] + 1;
        has_changed = true;
      }
    }
    if (!has_changed) break;
  }
  // Only among plain INSERTs that stand together.
  for (std::size_t from = 0; from < setup.size();) {
    const auto is_plain = [&](std::size_t i) {
      if (!rows_without_keys_.contains(i)) return false;
      const bool is_step =
          std::any_of(application_.steps.begin(), application_.steps.end(),
                      [&](const SetupStep& step) { return step.before == i; });
      return std::holds_alternative<Insert>(setup[i].what) && !is_step;
    };
    std::size_t to = from;
    while (to < setup.size() && rows_without_keys_.contains(to) &&
           (to == from || is_plain(to)) &&
           std::holds_alternative<Insert>(setup[to].what))
      ++to;
    std::stable_sort(setup.begin() + static_cast<std::ptrdiff_t>(from),
                     setup.begin() + static_cast<std::ptrdiff_t>(to),
                     [&](const DbStatement& a, const DbStatement& b) {
                       return depth[a.target()->table.index] <
                              depth[b.target()->table.index];
                     });
    from = std::max(to, from + 1);
  }
}

/// Procedures that may be called while a transaction is open, a second time.
void FileReader::add_twins() {
  std::set<std::string> called;
  const auto look = [&](const std::vector<Token>& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is("call") && tokens[i + 1].is_name()) {
        std::size_t name = i + 1;
        while (name + 2 < tokens.size() && tokens[name + 1].is(".")) name += 2;
        called.insert(source_.mysql()->name(tokens[name].word));
      }
  };
  for (const RoutineText& text : texts_) look(text.tokens.list);
  for (const Comment& comment : tokens_.annotations) {
    const Span at = source_.span(comment.offset, comment.length);
    const std::string_view text = source_.text(at);
    // The words alone are enough.
    std::string word;
    bool is_after_call = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ' ';
      const bool in_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '$' ||
                           static_cast<unsigned char>(c) >= 0x80;
      if (in_word) {
        word += c;
        continue;
      }
      if (word.empty()) continue;
      const std::string known = source_.mysql()->name(word);
      if (is_after_call) called.insert(known);
      is_after_call = known == "call";
      word.clear();
    }
  }
  const std::size_t count = texts_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Signature& one = catalog_.routines[i];
    const bool may_be_called = !one.is_function && one.problem == nullptr &&
                               !one.is_dropped && called.contains(one.name);
    if (!may_be_called) continue;
    RoutineText twin = texts_[i];
    twin.is_twin = true;
    twin.signature = one;
    twin.signature.id = RoutineId(texts_.size());
    twin.signature.is_dropped = true;  // nobody finds it by its name
    twins_[i] = twin.signature.id.index;
    catalog_.routines.push_back(twin.signature);
    texts_.push_back(std::move(twin));
  }
  catalog_.mysql_callee = [this](const Signature& callee, bool is_open) {
    MysqlCallee result{callee.id, MysqlTransaction::None};
    const auto twin = twins_.find(callee.id.index);
    if (is_open && twin != twins_.end())
      result.routine = RoutineId(twin->second);
    result.after = left_by(result.routine.index, is_open);
    return result;
  };
}

/// How a routine leaves the transaction.
MysqlTransaction FileReader::left_by(std::size_t routine, bool is_open) {
  const MysqlTransaction entry =
      is_open ? MysqlTransaction::Open : MysqlTransaction::None;
  const auto [found, is_new] = left_.emplace(routine, entry);
  if (!is_new) return found->second;
  try {
    left_[routine] = read_mysql_body(source_, catalog_, texts_[routine]).after;
  } catch (const Failure&) {
    // It is told where the body is read.
  }
  return left_[routine];
}

}  // namespace txscope::sql
