#include "read/sql/file/reader.h"
#include "read/sql/mysql/signature.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {

bool FileReader::definition(const std::shared_ptr<const Tree>& shared) {
  const Tree& tree = *shared;
  const Node& node = tree.statement();
  const bool is_schema =
      node.node_case == PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT &&
      node.create_schema_stmt->n_schema_elts > 0;
  if (is_schema) {
    const PgQuery__CreateSchemaStmt& schema = *node.create_schema_stmt;
    note_schemas(node);
    const SearchPath around = catalog_.path;
    catalog_.path.insert(catalog_.path.begin(),
                         std::string(view(schema.schemaname)));
    for (const Node* part : list(schema.n_schema_elts, schema.schema_elts))
      if (!definition(shared, *part)) ++left_out_["GRANT"];
    catalog_.path = around;
  } else if (!definition(shared, node)) {
    return false;
  }
  ++definitions_;
  if (node.node_case != PG_QUERY__NODE__NODE_DROP_STMT)
    application_.load.push_back(tree.whole());
  return true;
}

bool FileReader::definition(const std::shared_ptr<const Tree>& shared,
                            const Node& node) {
  const Tree& tree = *shared;
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
      SchemaReader(tree, catalog_).create_table(*node.create_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      SchemaReader(tree, catalog_)
          .alter_table(*node.alter_table_stmt,
                       uses_in_setup(*node.alter_table_stmt->relation));
      switches_.alter_table(tree, *node.alter_table_stmt);
      break;
    case PG_QUERY__NODE__NODE_RENAME_STMT:
      SchemaReader(tree, catalog_).rename(*node.rename_stmt);
      for (std::size_t i = 0; i < texts_.size(); ++i)
        texts_[i].signature.name = catalog_.routines[i].name;
      break;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      SchemaReader(tree, catalog_).create_index(*node.index_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
      SchemaReader(tree, catalog_).create_sequence(*node.create_seq_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
      alter_sequence(tree, *node.alter_seq_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
      SchemaReader(tree, catalog_).create_enum(*node.create_enum_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
      SchemaReader(tree, catalog_).alter_enum(*node.alter_enum_stmt);
      break;
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
      SchemaReader(tree, catalog_).create_composite(*node.composite_type_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
      SchemaReader(tree, catalog_).create_domain(*node.create_domain_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT: {
      const std::size_t known = catalog_.triggers.size();
      SchemaReader(tree, catalog_).create_trigger(*node.create_trig_stmt);
      if (catalog_.triggers.size() == known) break;
      catalog_.triggers.back().trigger.since_setup = application_.setup.size();
      if (tree.mysql() != nullptr) order_trigger(tree);
      break;
    }
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT: add_routine(tree); break;
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT: break;
    case PG_QUERY__NODE__NODE_VIEW_STMT:
      add_view(shared, *node.view_stmt);
      break;
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      if (tree.mysql() != nullptr) {
        create_table_as(tree, *node.create_table_as_stmt);
        break;
      }
      source_.unsupported(tree.whole(),
                          node.create_table_as_stmt->objtype ==
                                  PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW
                              ? "a materialized view is"
                              : "CREATE TABLE AS is",
                          "use CREATE TABLE and INSERT");
    case PG_QUERY__NODE__NODE_RULE_STMT:
      source_.unsupported(tree.whole(), "a rule is");
    case PG_QUERY__NODE__NODE_DROP_STMT: drop(tree, *node.drop_stmt); break;
    default: return false;
  }
  return true;
}

void FileReader::add_routine(const Tree& tree) {
  RoutineText text = tree.mysql() != nullptr
                         ? read_mysql_signature(tree, catalog_)
                         : read_signature(tree, catalog_);
  const PgQuery__CreateFunctionStmt& node =
      *tree.statement().create_function_stmt;
  Signature& signature = text.signature;
  if (!text.is_mysql) {
    signature.query = query_of(source_, text);
    if (!text.path) text.path = path_set_in(text);
  }
  signature.query_path = text.path.value_or(session_path_);
  const QualifiedName name = qualified(list(node.n_funcname, node.funcname));
  signature.name = catalog_.new_routine(name.schema, name.name);
  for (const Signature* other : catalog_.routines_named(signature.name)) {
    if (!text.is_mysql && input_types(signature) != input_types(*other))
      continue;
    if (text.is_mysql && tree.mysql()->if_not_exists) return;
    if (!node.replace && other->problem == nullptr) {
      source_.there_already(
          tree.whole(),
          "'" + signature.name + "' already exists with these parameters",
          "use CREATE OR REPLACE");
    }
    signature.id = other->id;
    const std::size_t i = signature.id.index;
    // What called the old one may count on tables still.
    signature.touches_tables = other->touches_tables;
    signature.does_more = other->does_more;
    catalog_.routines[i] = signature;
    texts_[i] = std::move(text);
    table_users_.add(catalog_, texts_[i]);
    return;
  }
  signature.id = RoutineId(texts_.size());
  catalog_.add_routine(signature);
  texts_.push_back(std::move(text));
  table_users_.add(catalog_, texts_.back());
}

}  // namespace txscope::sql
