#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "read/sql/text/token.h"

namespace txscope::sql {

/// Operators, parentheses and the like that are open at one place: a bound on
/// the depth of the tree that a parser makes, which is walked by recursion (8
/// MB of stack end near 7,000 additions of PostgreSQL's).
inline constexpr std::uint32_t kDeepestToken = 1000;

/// Refuses text whose operators and parentheses nest too deeply.  A comma ends
/// what is open at its level; comparisons do not associate, AND and OR become
/// flat lists.
class NestingCheck {
 public:
  explicit NestingCheck(const Source& source) : source_(source) {}

  void see(const Token& token) {
    if (token.kind == TokenKind::Symbol) {
      if (token.word == "(" || token.word == "[") {
        add(1);
        open_.push_back(0);
      } else if (token.word == ")" || token.word == "]") {
        if (open_.size() > 1) {
          total_ -= open_.back();
          open_.pop_back();
        }
      } else if (token.word == "," || token.word == ";") {
        total_ -= open_.back();
        open_.back() = 0;
      } else if (token.word != "." && token.word != "=" && token.word != "<" &&
                 token.word != ">" && token.word != ":=") {
        add(1);
      }
    } else if (token.kind == TokenKind::Word) {
      if (token.word == "not" || token.word == "case" || token.word == "join" ||
          token.word == "collate" || token.word == "is" ||
          token.word == "union" || token.word == "except" ||
          token.word == "intersect" || token.word == "at" ||
          token.word == "isnull" || token.word == "notnull") {
        add(1);
      }
    }
    if (total_ > kDeepestToken) {
      source_.fail(source_.span(token.offset, token.length),
                   "this is nested too deeply",
                   "at most " + std::to_string(kDeepestToken) +
                       " operators and parentheses may be open at a place");
    }
  }

 private:
  void add(std::uint32_t n) {
    open_.back() += n;
    total_ += n;
  }

  const Source& source_;
  std::vector<std::uint32_t> open_ = {0};  // per parenthesis
  std::uint32_t total_ = 0;
};

}  // namespace txscope::sql
