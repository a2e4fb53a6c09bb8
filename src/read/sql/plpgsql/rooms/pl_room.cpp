#include "read/sql/plpgsql/rooms/pl_room.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "read/sql/plpgsql/rooms/rooms.h"

namespace txscope::sql::plpgsql {
namespace {

/// Words that PL/pgSQL reserves and SQL does not.
constexpr std::array<std::string_view, 9> kReserved = {
    "begin", "by",   "declare", "execute", "foreach",
    "if",    "loop", "strict",  "while"};

}  // namespace

PlRoom::PlRoom(Rooms& rooms)
    : TokenCursor(rooms.builder.source(), rooms.tokens,
                  rooms.builder.routine.at, rooms.at),
      rooms_(rooms),
      builder_(rooms.builder) {}

std::string PlRoom::name(std::string_view what) {
  const Token& token = peek();
  const bool is_keyword = token.kind == TokenKind::Word &&
                          std::find(kReserved.begin(), kReserved.end(),
                                    token.word) != kReserved.end();
  if (!token.is_name() || token.is_reserved || is_keyword) {
    source_.fail(here(), "expected " + std::string(what));
  }
  ++at_;
  return token.word;
}

std::size_t PlRoom::find(std::initializer_list<std::string_view> words) const {
  int depth = 0;
  for (std::size_t i = at_; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (depth == 0) {
      for (const std::string_view word : words) {
        if (token.is(word)) return i;
      }
    }
    if (token.is("(") || token.is("[")) ++depth;
    if (token.is(")") || token.is("]")) --depth;
    if (token.is(";") && depth <= 0) break;
  }
  std::string wanted;
  for (const std::string_view word : words) {
    if (!wanted.empty()) wanted += " or ";
    wanted += word == ";" ? "';'" : std::string(word);
  }
  source_.fail(here(), "expected " + ascii::upper(wanted) + " after this");
}

Span PlRoom::text(std::size_t from, std::size_t to) const {
  if (from >= to) {
    source_.fail(from < tokens_.size()
                     ? source_.span(tokens_[from].offset, tokens_[from].length)
                     : here(),
                 "expected an expression");
  }
  return source_.span(tokens_[from].offset,
                      tokens_[to - 1].end() - tokens_[from].offset);
}

Expr PlRoom::expression_until(std::size_t end, PlBlock& before) {
  const Span span = text(at_, end);
  at_ = end;
  return builder_.expression(tokens_, span, before);
}

Label PlRoom::new_label(const std::string& name, bool is_loop) {
  return {name, builder_.add_label(), is_loop};
}

}  // namespace txscope::sql::plpgsql
