#include "read/sql/text/definition.h"

#include <pg_query.h>

#include <utility>

#include "read/sql/text/tree.h"

namespace txscope::sql {
namespace {

using MaybeDefinition = std::optional<Definition>;

MaybeDefinition created(std::string_view name) {
  return Definition{Definition::Kind::Create, {std::string(name)}, {}};
}
MaybeDefinition created(const PgQuery__RangeVar& name) {
  if (view(name.relpersistence) == "t") return std::nullopt;
  return created(view(name.relname));
}
MaybeDefinition changed(const PgQuery__RangeVar& name) {
  return Definition{
      Definition::Kind::Change, {std::string(view(name.relname))}, {}};
}

std::string last_of(std::size_t n, Node** parts) {
  return n == 0 ? std::string() : std::string(string_of(parts[n - 1]));
}

MaybeDefinition altered(const PgQuery__AlterTableStmt& node) {
  if (node.objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) return std::nullopt;
  MaybeDefinition found = changed(*node.relation);
  for (const Node* item : list(node.n_cmds, node.cmds)) {
    const Node* def = item->alter_table_cmd->def;
    if (def == nullptr || def->node_case != PG_QUERY__NODE__NODE_CONSTRAINT)
      continue;
    if (const PgQuery__RangeVar* parent = def->constraint->pktable)
      found->others.emplace_back(view(parent->relname));
  }
  return found;
}

MaybeDefinition dropped(const PgQuery__DropStmt& node) {
  if (!node.missing_ok) return std::nullopt;
  Definition found;
  found.kind = Definition::Kind::Drop;
  for (const Node* object : list(node.n_objects, node.objects)) {
    if (object->node_case != PG_QUERY__NODE__NODE_LIST) return std::nullopt;
    found.objects.push_back(
        last_of(object->list->n_items, object->list->items));
  }
  return found;
}

MaybeDefinition found_in(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT: {
      const PgQuery__CreateStmt& table = *node.create_stmt;
      const bool is_part = table.n_inh_relations > 0 ||
                           table.partspec != nullptr ||
                           table.partbound != nullptr;
      return is_part ? std::nullopt : created(*table.relation);
    }
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
      return altered(*node.alter_table_stmt);
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      return changed(*node.index_stmt->relation);
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT:
      return changed(*node.create_trig_stmt->relation);
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
      return created(*node.create_seq_stmt->sequence);
    case PG_QUERY__NODE__NODE_VIEW_STMT: return created(*node.view_stmt->view);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
      return created(last_of(node.create_function_stmt->n_funcname,
                             node.create_function_stmt->funcname));
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
      return created(last_of(node.create_enum_stmt->n_type_name,
                             node.create_enum_stmt->type_name));
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
      return created(last_of(node.create_domain_stmt->n_domainname,
                             node.create_domain_stmt->domainname));
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
      return created(*node.composite_type_stmt->typevar);
    case PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT:
      return created(view(node.create_schema_stmt->schemaname));
    case PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT:
      return created(view(node.create_extension_stmt->extname));
    case PG_QUERY__NODE__NODE_DROP_STMT: return dropped(*node.drop_stmt);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<Definition> definition_in(const std::string& sql) {
  const PgQueryProtobufParseResult parsed =
      pg_query_parse_protobuf(sql.c_str());
  MaybeDefinition found;
  if (parsed.error == nullptr) {
    PgQuery__ParseResult* tree = pg_query__parse_result__unpack(
        nullptr, parsed.parse_tree.len,
        reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
    if (tree != nullptr && tree->n_stmts == 1 &&
        tree->stmts[0]->stmt != nullptr)
      found = found_in(*tree->stmts[0]->stmt);
    pg_query__parse_result__free_unpacked(tree, nullptr);
  }
  pg_query_free_protobuf_parse_result(parsed);
  return found;
}

}  // namespace txscope::sql
