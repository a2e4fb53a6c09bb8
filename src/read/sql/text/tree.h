#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "read/sql/text/token.h"

namespace txscope::sql {

struct MysqlStatement;
using Node = PgQuery__Node;
using NodeList = std::span<Node* const>;

/// A statement or an expression as PostgreSQL's parser sees it, and the way
/// from its locations back to the file.
class Tree {
 public:
  Tree(Tree&& other) noexcept;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  Tree& operator=(Tree&&) = delete;
  ~Tree();

  /// The statement; of an expression, SELECT with it as its one target.
  [[nodiscard]] const Node& statement() const;
  /// The token at a location; without one (-1) the start of the text.
  [[nodiscard]] Span at(std::int32_t location) const;
  [[nodiscard]] const Token* token(std::int32_t location) const;
  /// A name at a location, with all that follow it after dots.
  [[nodiscard]] Span dotted_name(std::int32_t location) const;
  /// From a location to the closing parenthesis of the first one after it.
  [[nodiscard]] Span call(std::int32_t location) const;
  [[nodiscard]] Span whole() const { return whole_; }
  /// The first of these keywords in the text; without one all of it.
  [[nodiscard]] Span word(std::initializer_list<std::string_view> words) const;
  [[nodiscard]] const Source& source() const { return *source_; }
  [[nodiscard]] const std::vector<Token>& tokens() const { return *tokens_; }
  /// What a statement in MySQL's syntax has besides; null: it is PostgreSQL's.
  [[nodiscard]] const MysqlStatement* mysql() const { return mysql_.get(); }
  /// Another statement that came with it, as a tree of its own.
  [[nodiscard]] Tree part(const Node& root) const;

 private:
  friend class TreeParser;
  Tree() = default;

  const Source* source_ = nullptr;
  const std::vector<Token>* tokens_ = nullptr;
  PgQuery__ParseResult* result_ = nullptr;
  std::shared_ptr<const MysqlStatement> mysql_;
  const Node* root_ = nullptr;  // if it is not PostgreSQL's
  Span whole_;
  std::int64_t shift_ = 0;  // of locations to offsets in the file
};

/// Parses `text`, which stands at `offset` of the file (parts of it may be
/// blanked out), as one statement.  `tokens` are those around it.
[[nodiscard]] Tree parse_statement(const Source& source,
                                   const std::vector<Token>& tokens,
                                   std::string_view text, std::uint32_t offset);
/// Parses it as what may stand after SELECT.
[[nodiscard]] Tree parse_expression(const Source& source,
                                    const std::vector<Token>& tokens,
                                    std::string_view text,
                                    std::uint32_t offset);
/// Parses it as the name of a type: the tree is SELECT NULL::type.
[[nodiscard]] Tree parse_type(const Source& source,
                              const std::vector<Token>& tokens,
                              std::string_view text, std::uint32_t offset);

/// A name that may have a schema before it.
struct QualifiedName {
  std::string schema;  ///< empty: none is given
  std::string name;
};
[[nodiscard]] QualifiedName qualified(NodeList parts);
[[nodiscard]] QualifiedName qualified(const PgQuery__RangeVar& node);
/// Of a text, as in nextval('public."Some_seq"').
[[nodiscard]] QualifiedName qualified(std::string_view text);

/// The text of a String node; empty if it is another one.
[[nodiscard]] std::string_view string_of(const Node* node);
/// A protobuf string, which may be missing.
[[nodiscard]] inline std::string_view view(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}
[[nodiscard]] inline NodeList list(std::size_t n, Node** nodes) {
  return {nodes, n};
}

}  // namespace txscope::sql
