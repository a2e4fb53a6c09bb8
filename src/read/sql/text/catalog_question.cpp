#include "read/sql/text/catalog_question.h"

#include <pg_query.h>

#include <algorithm>
#include <array>
#include <set>

#include "read/sql/text/tree.h"

namespace txscope::sql {
namespace {

/// Functions of the server's that touch what they are told the name of.
constexpr std::array<std::string_view, 5> kTouching = {
    "nextval", "setval", "currval", "lastval", "ts_stat"};
constexpr std::array<std::string_view, 6> kTouchingFamilies = {
    "lo_",        "query_to_",    "table_to_",
    "schema_to_", "database_to_", "cursor_to_"};

/// Functions that tell of the session, the server or its catalogue and whose
/// names do not begin with pg_.
constexpr std::array<std::string_view, 17> kOfSession = {
    "version",          "set_config",       "current_setting",
    "current_database", "current_schema",   "current_schemas",
    "inet_client_addr", "inet_client_port", "inet_server_addr",
    "inet_server_port", "txid_current",     "obj_description",
    "col_description",  "format_type",      "to_regclass",
    "to_regtype",       "shobj_description"};

bool is_of_session(std::string_view function) {
  return std::find(kOfSession.begin(), kOfSession.end(), function) !=
         kOfSession.end();
}

bool is_server_schema(std::string_view schema) {
  return schema == "pg_catalog" || schema == "information_schema";
}

bool touches_tables(std::string_view function) {
  return std::find(kTouching.begin(), kTouching.end(), function) !=
             kTouching.end() ||
         std::any_of(kTouchingFamilies.begin(), kTouchingFamilies.end(),
                     [&](std::string_view family) {
                       return function.starts_with(family);
                     });
}

/// Looks at all nodes of a parse tree, whatever kind they are: protobuf-c
/// describes its messages, so that no list of kinds has to be kept here.
class Question {
 public:
  explicit Question(const std::set<std::string>& own) : own_(own) {}

  [[nodiscard]] bool is_about_server(const PgQuery__ParseResult& parsed) {
    if (parsed.n_stmts != 1 || parsed.stmts[0]->stmt == nullptr ||
        parsed.stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
      return false;
    walk(parsed.stmts[0]->stmt->base, {});
    return has_server_name_ && !has_other_;
  }

 private:
  using Scope = std::set<std::string, std::less<>>;  ///< names of WITH

  void walk(const ProtobufCMessage& message, const Scope& scope) {
    const ProtobufCMessageDescriptor* kind = message.descriptor;
    if (kind == &pg_query__select_stmt__descriptor) {
      select(reinterpret_cast<const PgQuery__SelectStmt&>(message), scope);
    } else {
      if (kind == &pg_query__range_var__descriptor)
        table(reinterpret_cast<const PgQuery__RangeVar&>(message), scope);
      if (kind == &pg_query__func_call__descriptor)
        function(reinterpret_cast<const PgQuery__FuncCall&>(message));
      has_other_ |= kind == &pg_query__insert_stmt__descriptor ||
                    kind == &pg_query__update_stmt__descriptor ||
                    kind == &pg_query__delete_stmt__descriptor ||
                    kind == &pg_query__merge_stmt__descriptor;
      parts(message, scope);
    }
  }

  /// A name of WITH is seen by what follows it, and by itself if it is
  /// recursive.
  void select(const PgQuery__SelectStmt& query, const Scope& around) {
    has_other_ |= query.into_clause != nullptr || query.n_locking_clause > 0;
    Scope scope = around;
    if (const PgQuery__WithClause* with = query.with_clause) {
      const auto name = [](const Node* cte) {
        return std::string(view(cte->common_table_expr->ctename));
      };
      const NodeList ctes = list(with->n_ctes, with->ctes);
      if (with->recursive)
        for (const Node* cte : ctes) scope.insert(name(cte));
      for (const Node* cte : ctes) {
        walk(cte->base, scope);
        scope.insert(name(cte));
      }
    }
    parts(query.base, scope, query.with_clause);
  }

  void table(const PgQuery__RangeVar& node, const Scope& scope) {
    const std::string_view schema = view(node.schemaname);
    const std::string_view name = view(node.relname);
    if (schema.empty() && scope.find(name) != scope.end()) return;
    // Without a schema pg_catalog comes before all others.
    if (is_server_schema(schema) || (schema.empty() && name.starts_with("pg_")))
      has_server_name_ = true;
    else
      has_other_ = true;
  }

  void function(const PgQuery__FuncCall& node) {
    const QualifiedName name = qualified(list(node.n_funcname, node.funcname));
    if (is_server_schema(name.schema) || name.name.starts_with("pg_") ||
        is_of_session(name.name))
      has_server_name_ = true;
    has_other_ |= own_.count(std::string(name.name)) != 0;
    has_other_ |= (!name.schema.empty() && !is_server_schema(name.schema)) ||
                  touches_tables(name.name);
  }

  /// All messages inside of one, but for `left_out`.
  void parts(const ProtobufCMessage& message, const Scope& scope,
             const void* left_out = nullptr) {
    const auto* bytes = reinterpret_cast<const char*>(&message);
    for (unsigned i = 0; i < message.descriptor->n_fields; ++i) {
      const ProtobufCFieldDescriptor& field = message.descriptor->fields[i];
      if (field.type != PROTOBUF_C_TYPE_MESSAGE) continue;
      const auto* place = bytes + field.offset;
      const auto* counter = bytes + field.quantifier_offset;
      if (field.label == PROTOBUF_C_LABEL_REPEATED) {
        const std::size_t count =
            *reinterpret_cast<const std::size_t*>(counter);
        auto* const* all =
            *reinterpret_cast<ProtobufCMessage* const* const*>(place);
        for (std::size_t n = 0; n < count; ++n) walk(*all[n], scope);
        continue;
      }
      const bool is_other_case =
          (field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
          *reinterpret_cast<const std::uint32_t*>(counter) != field.id;
      const auto* one = *reinterpret_cast<ProtobufCMessage* const*>(place);
      if (is_other_case || one == nullptr || one == left_out) continue;
      walk(*one, scope);
    }
  }

  const std::set<std::string>& own_;
  bool has_server_name_ = false;
  bool has_other_ = false;
};

}  // namespace

bool is_catalog_question(const std::string& sql,
                         const std::set<std::string>& own) {
  // Most statements are not, and this tells without parsing them.
  constexpr std::string_view kSigns[] = {"pg_",
                                         "information_schema",
                                         "version",
                                         "set_config",
                                         "current_",
                                         "inet_",
                                         "txid_current",
                                         "obj_description",
                                         "col_description",
                                         "format_type",
                                         "to_reg"};
  const auto is_same = [](char a, char b) { return (a | ' ') == (b | ' '); };
  if (std::none_of(std::begin(kSigns), std::end(kSigns),
                   [&](std::string_view sign) {
                     return std::search(sql.begin(), sql.end(), sign.begin(),
                                        sign.end(), is_same) != sql.end();
                   }))
    return false;
  const PgQueryProtobufParseResult parsed =
      pg_query_parse_protobuf(sql.c_str());
  bool is_question = false;
  if (parsed.error == nullptr) {
    PgQuery__ParseResult* tree = pg_query__parse_result__unpack(
        nullptr, parsed.parse_tree.len,
        reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
    if (tree != nullptr) is_question = Question(own).is_about_server(*tree);
    pg_query__parse_result__free_unpacked(tree, nullptr);
  }
  pg_query_free_protobuf_parse_result(parsed);
  return is_question;
}

}  // namespace txscope::sql
