// Schemas and the search path: which thing of a name is meant.

#include <algorithm>

#include "read/sql/file/reader.h"
#include "read/sql/text/mysql_text.h"

namespace txscope::sql {
namespace {

std::string_view text_constant_of(const Node& node) {
  const bool is_text = node.node_case == PG_QUERY__NODE__NODE_A_CONST &&
                       node.a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL;
  return is_text ? view(node.a_const->sval->sval) : std::string_view();
}

/// "a, b", as set_config() and --@ search_path have it.
SearchPath path_in(std::string_view text) {
  SearchPath path;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto is_edge = [](char c) {
      return c == ' ' || c == '\t' || c == ';' || c == '\'';
    };
    while (!item.empty() && is_edge(item.front())) item.remove_prefix(1);
    while (!item.empty() && is_edge(item.back())) item.remove_suffix(1);
    if (!item.empty()) path.push_back(qualified(item).name);
  }
  return path;
}

}  // namespace

bool is_idle_setting(std::string_view name) {
  return name.ends_with("_timeout") || name.find('.') != name.npos ||
         name == "application_name" || name == "synchronous_commit" ||
         name == "client_min_messages" || name == "work_mem";
}

std::optional<SearchPath> search_path_of(const PgQuery__VariableSetStmt& node) {
  if (view(node.name) != "search_path") return std::nullopt;
  SearchPath path;
  for (const Node* item : list(node.n_args, node.args)) {
    const std::string_view schema = text_constant_of(*item);
    if (!schema.empty()) path.emplace_back(schema);
  }
  // TO DEFAULT, RESET
  if (node.n_args == 0) path = {"public"};
  return path;
}

/// --@ search_path: a, b
void FileReader::read_search_path() {
  auto& all = tokens_.annotations;
  for (auto comment = all.begin(); comment != all.end(); ++comment) {
    const Span span = source_.span(comment->offset, comment->length);
    std::string_view text = source_.text(span);
    text.remove_prefix(3);
    while (text.starts_with(' ')) text.remove_prefix(1);
    constexpr std::string_view kWord = "search_path:";
    if (!text.starts_with(kWord)) continue;
    session_path_ = path_in(text.substr(kWord.size()));
    if (session_path_.empty()) {
      attempt([&] {
        source_.fail(span, "expected schemas after 'search_path:'",
                     "as in --@ search_path: shop, public");
      });
    }
    all.erase(comment);
    return;
  }
}

/// --@ dialect: mysql, which was looked for before anything was read.
void FileReader::read_dialect() {
  auto& all = tokens_.annotations;
  const auto said = said_dialect(source_.text());
  if (!said) return;
  const auto comment = std::find_if(
      all.begin(), all.end(),
      [&](const Comment& each) { return each.offset == said->offset; });
  if (comment == all.end()) return;
  if (!said->dialect) {
    attempt([&] {
      source_.fail(source_.span(comment->offset, comment->length),
                   "this dialect is not known",
                   "postgresql, mysql or mariadb, as in --@ dialect: mysql");
    });
  }
  all.erase(comment);
}

bool FileReader::set_path(const PgQuery__FuncCall& call) {
  if (call.n_args != 3 ||
      string_of(call.funcname[call.n_funcname - 1]) != "set_config" ||
      text_constant_of(*call.args[0]) != "search_path") {
    return false;
  }
  catalog_.path = path_in(text_constant_of(*call.args[1]));
  return true;
}

void FileReader::set_schema(const PgQuery__AlterObjectSchemaStmt& node) {
  const std::string to(view(node.newschema));
  catalog_.schemas.insert(to);
  if (node.relation != nullptr) {
    const std::string key = catalog_.relation(qualified(*node.relation));
    if (!catalog_.relation_names.schema_of(key).empty())
      catalog_.move_relation(key, to);
  } else if (node.object != nullptr &&
             node.object->node_case == PG_QUERY__NODE__NODE_LIST) {
    const PgQuery__List& parts = *node.object->list;
    const std::string key =
        catalog_.relation(qualified(list(parts.n_items, parts.items)));
    if (catalog_.types.contains(key)) catalog_.move_relation(key, to);
  }
}

Routine FileReader::body_of(std::size_t routine) {
  RoutineText& text = texts_[routine];
  text.signature.name = catalog_.routines[routine].name;
  const SearchPath around = catalog_.path;
  catalog_.path = text.path.value_or(session_path_);
  try {
    Routine made = read_body(source_, catalog_, text);
    catalog_.path = around;
    return made;
  } catch (...) {
    catalog_.path = around;
    throw;
  }
}

/// SET [LOCAL] search_path as a statement of a body: what follows is read by
/// it, and little stands before it.
std::optional<SearchPath> FileReader::path_set_in(
    const RoutineText& text) const {
  if (!text.is_plpgsql ||
      source_.text(text.body).find("search_path") == std::string_view::npos)
    return std::nullopt;
  const Tokens scanned =
      scan(source_, source_.text(text.body), text.body.offset);
  const std::vector<Token>& tokens = scanned.list;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("set")) continue;
    if (!tokens[i + 1].is("search_path") && !tokens[i + 2].is("search_path"))
      continue;
    std::size_t end = i;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    const Span span = source_.span(tokens[i].offset,
                                   tokens[end - 1].end() - tokens[i].offset);
    const Tree tree =
        parse_statement(source_, tokens, source_.text(span), span.offset);
    if (tree.statement().node_case == PG_QUERY__NODE__NODE_VARIABLE_SET_STMT)
      return search_path_of(*tree.statement().variable_set_stmt);
  }
  return std::nullopt;
}

}  // namespace txscope::sql
