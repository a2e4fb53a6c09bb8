#include "read/sql/text/harmless.h"

#include <pg_query.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/ascii.h"
#include "read/sql/text/catalog_question.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {
namespace {

/// The text in lower case, without comments, what is quoted as ''.
std::string bare(const std::string& sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const char c = sql[i];
    if (c == '\'' || c == '"' || c == '`') {
      const std::size_t end = sql.find(c, i + 1);
      text += "''";
      if (end == sql.npos) return text;
      i = end;
    } else if (sql.compare(i, 2, "--") == 0) {
      i = std::min(sql.find('\n', i), sql.size());
      text += ' ';
    } else if (sql.compare(i, 2, "/*") == 0) {
      const std::size_t end = sql.find("*/", i + 2);
      if (end == sql.npos) return text;
      i = end + 1;
      text += ' ';
    } else {
      text += ascii::lower(c);
    }
  }
  return text;
}

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '@' || c == '$';
}

/// Its words and signs, up to the last semicolon.
std::vector<std::string> words_of(const std::string& sql) {
  std::vector<std::string> words;
  const std::string text = bare(sql);
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    if (is_word_letter(text[i]))
      while (end < text.size() && is_word_letter(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  while (!words.empty() && words.back() == ";") words.pop_back();
  return words;
}

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& list,
           const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Statements whose first word says that they change no rows.
constexpr std::array<std::string_view, 7> kFirstWords = {
    "show", "set", "use", "reset", "describe", "desc", "analyze"};

/// SELECT @@tx_isolation, DATABASE() and the like: MariaDB's settings, and
/// functions that tell of the session.
bool asks_for_settings(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 7> kFunctions = {
      "version",      "database",     "schema",       "user",
      "current_user", "session_user", "connection_id"};
  if (words.size() < 2 || words[0] != "select") return false;
  bool is_any = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_setting = word.starts_with("@@");
    const bool is_function =
        is_in(kFunctions, word) && i + 1 < words.size() && words[i + 1] == "(";
    const bool is_name = i > 1 && (words[i - 1] == "as" || words[i - 1] == ".");
    const bool is_sign = word == "," || word == "(" || word == ")" ||
                         word == "." || word == "as";
    if (!is_setting && !is_function && !is_name && !is_sign) return false;
    is_any |= is_setting || is_function;
  }
  return is_any;
}

/// PRAGMAs that ask, and those that set how SQLite stores or waits.
bool is_harmless_pragma(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 15> kKnown = {
      "journal_mode", "synchronous",      "busy_timeout",   "cache_size",
      "temp_store",   "mmap_size",        "table_info",     "table_xinfo",
      "table_list",   "index_list",       "index_info",     "database_list",
      "encoding",     "foreign_key_list", "compile_options"};
  return words.size() >= 2 && words[0] == "pragma" && is_in(kKnown, words[1]);
}

/// Kinds that change neither rows nor what rows may be.
bool is_harmless_kind(const Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_VARIABLE_SHOW_STMT:
    case PG_QUERY__NODE__NODE_VARIABLE_SET_STMT:
    case PG_QUERY__NODE__NODE_DISCARD_STMT:
    case PG_QUERY__NODE__NODE_DEALLOCATE_STMT:
    case PG_QUERY__NODE__NODE_LISTEN_STMT:
    case PG_QUERY__NODE__NODE_UNLISTEN_STMT:
    case PG_QUERY__NODE__NODE_NOTIFY_STMT:
    case PG_QUERY__NODE__NODE_CHECK_POINT_STMT:
    case PG_QUERY__NODE__NODE_VACUUM_STMT:  // ANALYZE, too
    case PG_QUERY__NODE__NODE_LOCK_STMT:
    case PG_QUERY__NODE__NODE_COMMENT_STMT:
    case PG_QUERY__NODE__NODE_GRANT_STMT:
    case PG_QUERY__NODE__NODE_GRANT_ROLE_STMT:
    case PG_QUERY__NODE__NODE_CREATE_ROLE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ROLE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT:
    case PG_QUERY__NODE__NODE_REINDEX_STMT:
    case PG_QUERY__NODE__NODE_CLUSTER_STMT: return true;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
      return !node.index_stmt->unique && !node.index_stmt->primary;
    case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
      for (const Node* option :
           list(node.explain_stmt->n_options, node.explain_stmt->options))
        if (option->node_case != PG_QUERY__NODE__NODE_DEF_ELEM ||
            view(option->def_elem->defname) == "analyze")
          return false;
      return true;
    default: return false;
  }
}

bool has_harmless_tree(const std::string& sql) {
  const PgQueryProtobufParseResult parsed =
      pg_query_parse_protobuf(sql.c_str());
  bool is_known = false;
  if (parsed.error == nullptr) {
    PgQuery__ParseResult* tree = pg_query__parse_result__unpack(
        nullptr, parsed.parse_tree.len,
        reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
    is_known = tree != nullptr && tree->n_stmts == 1 &&
               tree->stmts[0]->stmt != nullptr &&
               is_harmless_kind(*tree->stmts[0]->stmt);
    pg_query__parse_result__free_unpacked(tree, nullptr);
  }
  pg_query_free_protobuf_parse_result(parsed);
  return is_known;
}

}  // namespace

bool is_harmless(const std::string& sql, Dialect dialect,
                 const std::set<std::string>& own) {
  if (is_catalog_question(sql, own) || has_harmless_tree(sql)) return true;
  if (dialect == Dialect::Postgresql) return false;
  const std::vector<std::string> words = words_of(sql);
  if (words.empty() ||
      std::any_of(words.begin(), words.end(), [&](const std::string& word) {
        return word == ";" || own.count(word) != 0;
      }))
    return false;
  return is_in(kFirstWords, words[0]) || asks_for_settings(words) ||
         is_harmless_pragma(words);
}

}  // namespace txscope::sql
