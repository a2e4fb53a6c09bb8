#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/mysql/nodes.h"
#include "read/sql/mysql/state.h"
#include "read/sql/mysql/statement.h"
#include "read/sql/text/source.h"
#include "read/sql/text/token.h"

namespace txscope::sql::syntax {

struct Rooms;
using Node = PgQuery__Node;
using List = std::vector<Node*>;

/// What reads one part of MySQL's grammar by recursive descent: the tokens that
/// all rooms share, and names.
class Room {
 public:
  explicit Room(Rooms& all);

 protected:
  // Tokens.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool is(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).is(word);
  }
  bool accept(std::string_view word);
  /// All of these words, one after the other, or none.
  bool accept_all(std::initializer_list<std::string_view> words);
  void expect(std::string_view word);
  [[nodiscard]] std::int32_t location() const;
  [[nodiscard]] Span here() const { return span_of(peek()); }
  [[nodiscard]] Span span_of(const Token& token) const;
  /// From a token to the last one that was read.
  [[nodiscard]] Span since(std::size_t first) const;
  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] void unsupported(std::string_view what,
                                std::string hint = {}) const;
  void finish() const;
  /// Over everything in parentheses, the token here being the first one.
  void skip_parentheses();
  void skip_statement();
  /// A statement that changes no answer: the rest of it is read over.
  Node* harmless(Node* node);

  // Names.
  [[nodiscard]] bool is_name() const;
  std::string name(std::string_view what);
  [[nodiscard]] std::string known(const Token& token) const;
  Node* name_node(std::string_view what) { return nodes_.string(name(what)); }
  /// (a, b), with the length of prefixes and ASC, DESC read over.
  List name_list();
  void key_length();
  /// utf8mb4, 'utf8mb4', binary, DEFAULT
  void skip_charset();
  PgQuery__RangeVar* table_name();
  PgQuery__Alias* alias(bool is_required_as);
  List qualified_name(std::string_view what);

  Rooms& all_;
  const Source& source_;
  const MysqlState& state_;
  const std::vector<Token>& tokens_;
  std::size_t& at_;
  const std::shared_ptr<MysqlStatement>& made_;
  Nodes& nodes_;
};

/// Deeper by one as long as it lives; refuses what is too deep.
class Depth {
 public:
  explicit Depth(Rooms& all);
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  ~Depth();

 private:
  Rooms& all_;
};

}  // namespace txscope::sql::syntax
