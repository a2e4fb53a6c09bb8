#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "read/sql/text/source.h"
#include "read/sql/text/token.h"

namespace txscope::sql {

/// The tokens of a routine, which are read from left to right.
class TokenCursor {
 protected:
  /// `whole`: the place of a routine without any token; `at`: the next token,
  /// which several readers of one routine share.
  TokenCursor(const Source& source, const std::vector<Token>& tokens,
              Span whole, std::size_t& at)
      : source_(source), tokens_(tokens), at_(at), whole_(whole) {}

  /// Behind the last one is one that is nothing.
  [[nodiscard]] const Token& at(std::size_t i) const;
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return at(at_ + ahead);
  }
  [[nodiscard]] bool is(std::string_view word, std::size_t ahead = 0) const {
    return peek(ahead).is(word);
  }
  [[nodiscard]] bool is_at_end() const { return at_ >= tokens_.size(); }
  bool accept(std::string_view word);
  /// Fails if another token is there.
  void expect(std::string_view word);
  /// The next token; behind the last one the place where it ends.
  [[nodiscard]] Span here() const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t& at_;

 private:
  Span whole_;
};

}  // namespace txscope::sql
