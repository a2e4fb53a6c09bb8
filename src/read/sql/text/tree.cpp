#include "read/sql/text/tree.h"

#include <pg_query.h>
#include <algorithm>
#include <array>
#include <cctype>

#include <utility>

#include "base/ascii.h"
#include "read/sql/mysql/parser.h"
#include "read/sql/mysql/statement.h"

namespace txscope::sql {
namespace {

constexpr std::string_view kSelect = "SELECT ";
constexpr std::string_view kCast = "SELECT NULL::";

/// PostgreSQL's message with the name in single quotes, as all of ours.
std::string message_of(const PgQueryError& error) {
  std::string message = view(error.message).data();
  for (char& c : message) {
    if (c == '"') c = '\'';
  }
  return message;
}

/// What a new user probably meant where PostgreSQL sees a syntax error.
std::string hint_for(std::string_view text, std::size_t at) {
  constexpr std::string_view kValues =
      "a session runs with values: write a constant there, or make a procedure "
      "with parameters and CALL it";
  const std::string_view rest = text.substr(std::min(at, text.size()));
  std::string_view near = rest.substr(0, 3);
  if (near.starts_with('=')) near.remove_prefix(1);
  const bool is_parameter_mark = near.starts_with("%s") ||
                                 near.starts_with("%(") ||
                                 near.starts_with('?') ||
                                 (near.starts_with(':') && near.size() > 1 &&
                                  near[1] != ':' && near[1] != '=');
  if (is_parameter_mark) return std::string(kValues);
  // A statement that begins where another has not ended.
  constexpr std::array<std::string_view, 16> kFirst = {
      "create", "insert", "update", "delete", "select",   "alter",
      "drop",   "begin",  "commit", "call",   "truncate", "grant",
      "copy",   "set",    "with",   "comment"};
  std::string word;
  for (const char c : rest) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word += ascii::lower(c);
  }
  const bool is_first =
      at > 0 && std::find(kFirst.begin(), kFirst.end(), word) != kFirst.end();
  return is_first ? "is a ';' missing before it?" : "";
}

}  // namespace

class TreeParser {
 public:
  static Tree parse(const Source& source, const std::vector<Token>& tokens,
                    std::string_view text, std::uint32_t offset,
                    std::string_view prefix) {
    Tree tree;
    tree.source_ = &source;
    tree.tokens_ = &tokens;
    tree.whole_ = source.span(offset, text.size());
    tree.shift_ = offset;
    if (source.mysql() != nullptr) {
      tree.shift_ = 0;
      tree.mysql_ = parse_mysql(source, text, offset,
                                prefix.empty()      ? MysqlText::Statement
                                : prefix == kSelect ? MysqlText::Expression
                                                    : MysqlText::Type);
      tree.root_ = tree.mysql_->root;
      return tree;
    }
    const std::string copy = std::string(prefix) + std::string(text);
    tree.shift_ -= static_cast<std::int64_t>(prefix.size());
    const PgQueryProtobufParseResult parsed =
        pg_query_parse_protobuf(copy.c_str());
    if (parsed.error != nullptr) {
      Error error = error_of(source, *parsed.error, text, offset, prefix);
      pg_query_free_protobuf_parse_result(parsed);
      throw Failure{std::move(error), false};
    }
    tree.result_ = pg_query__parse_result__unpack(
        nullptr, parsed.parse_tree.len,
        reinterpret_cast<const std::uint8_t*>(parsed.parse_tree.data));
    pg_query_free_protobuf_parse_result(parsed);
    if (tree.result_ == nullptr || tree.result_->n_stmts != 1) {
      source.fail(tree.whole_, prefix.empty() ? "expected one statement"
                                              : "expected one expression");
    }
    return tree;
  }

 private:
  static Error error_of(const Source& source, const PgQueryError& error,
                        std::string_view text, std::uint32_t offset,
                        std::string_view prefix) {
    const std::int64_t characters =
        error.cursorpos - 1 - static_cast<std::int64_t>(prefix.size());
    const std::size_t at = offset + skip_characters(text, characters);
    try {
      source.fail(source.span(at, 1), message_of(error),
                  hint_for(text, at - offset));
    } catch (Failure& failure) {
      return std::move(failure.error);
    }
  }
};

Tree::Tree(Tree&& other) noexcept
    : source_(other.source_),
      tokens_(other.tokens_),
      result_(std::exchange(other.result_, nullptr)),
      mysql_(std::move(other.mysql_)),
      root_(other.root_),
      whole_(other.whole_),
      shift_(other.shift_) {}

Tree::~Tree() {
  if (result_ != nullptr) {
    pg_query__parse_result__free_unpacked(result_, nullptr);
  }
}

const Node& Tree::statement() const {
  return root_ != nullptr ? *root_ : *result_->stmts[0]->stmt;
}

Tree Tree::part(const Node& root) const {
  Tree tree;
  tree.source_ = source_;
  tree.tokens_ = tokens_;
  tree.whole_ = whole_;
  tree.shift_ = shift_;
  tree.mysql_ = mysql_;
  tree.root_ = &root;
  return tree;
}

const Token* Tree::token(std::int32_t location) const {
  if (location < 0) return nullptr;
  const std::int64_t offset = location + shift_;
  if (offset < whole_.offset) return nullptr;
  const std::size_t i = token_at(*tokens_, static_cast<std::uint32_t>(offset));
  return i < tokens_->size() ? &(*tokens_)[i] : nullptr;
}

Span Tree::at(std::int32_t location) const {
  const Token* found = token(location);
  if (found == nullptr) return whole_;
  return source_->span(found->offset, found->length);
}

Span Tree::dotted_name(std::int32_t location) const {
  const Token* first = token(location);
  if (first == nullptr) return whole_;
  const Token* const end = tokens_->data() + tokens_->size();
  const Token* last = first;
  while (last + 2 < end && last[1].is(".") &&
         (last[2].is_name() || last[2].is("*"))) {
    last += 2;
  }
  return source_->span(first->offset, last->end() - first->offset);
}

Span Tree::word(std::initializer_list<std::string_view> words) const {
  for (std::size_t i = token_at(*tokens_, whole_.offset); i < tokens_->size();
       ++i) {
    const Token& t = (*tokens_)[i];
    if (t.offset >= whole_.offset + whole_.length) break;
    for (const std::string_view wanted : words) {
      if (t.is(wanted)) return source_->span(t.offset, t.length);
    }
  }
  return whole_;
}

Span Tree::call(std::int32_t location) const {
  const Token* first = token(location);
  if (first == nullptr) return whole_;
  int depth = 0;
  for (const Token* t = first; t < tokens_->data() + tokens_->size(); ++t) {
    if (t->is("(")) ++depth;
    if (t->is(")") && --depth == 0) {
      return source_->span(first->offset, t->end() - first->offset);
    }
  }
  return whole_;
}

Tree parse_statement(const Source& source, const std::vector<Token>& tokens,
                     std::string_view text, std::uint32_t offset) {
  return TreeParser::parse(source, tokens, text, offset, {});
}

Tree parse_expression(const Source& source, const std::vector<Token>& tokens,
                      std::string_view text, std::uint32_t offset) {
  return TreeParser::parse(source, tokens, text, offset, kSelect);
}

Tree parse_type(const Source& source, const std::vector<Token>& tokens,
                std::string_view text, std::uint32_t offset) {
  return TreeParser::parse(source, tokens, text, offset, kCast);
}

QualifiedName qualified(NodeList parts) {
  QualifiedName result;
  if (!parts.empty()) result.name = string_of(parts.back());
  if (parts.size() > 1) result.schema = string_of(parts[parts.size() - 2]);
  return result;
}

QualifiedName qualified(const PgQuery__RangeVar& node) {
  return {std::string(view(node.schemaname)), std::string(view(node.relname))};
}

namespace {

/// "Some_seq" in its quotes, or in any case.
std::string plain_name(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return std::string(text.substr(1, text.size() - 2));
  }
  std::string name = ascii::lower(text);
  return name;
}

}  // namespace

QualifiedName qualified(std::string_view text) {
  QualifiedName result;
  const std::size_t dot = text.rfind('.');
  if (dot != std::string_view::npos) {
    const std::string_view before = text.substr(0, dot);
    const std::size_t start = before.rfind('.');
    result.schema = plain_name(
        start == std::string_view::npos ? before : before.substr(start + 1));
    text.remove_prefix(dot + 1);
  }
  result.name = plain_name(text);
  return result;
}

std::string_view string_of(const Node* node) {
  if (node == nullptr || node->node_case != PG_QUERY__NODE__NODE_STRING) {
    return {};
  }
  return view(node->string->sval);
}

}  // namespace txscope::sql
