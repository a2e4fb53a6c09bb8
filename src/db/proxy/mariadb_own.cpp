#include "db/proxy/mariadb_own.h"

#include <algorithm>

#include "base/ascii.h"

namespace txscope::db {
namespace {

using OwnPieces = std::vector<MariadbPiece>;

OwnPieces own_pieces(const OwnPieces& statement) {
  OwnPieces pieces;
  for (const MariadbPiece& piece : statement)
    if (piece.kind != MariadbPiece::Kind::Blank) pieces.push_back(piece);
  return pieces;
}

bool has_word_at(const OwnPieces& pieces, std::size_t at,
                 std::string_view word) {
  return at < pieces.size() && pieces[at].is_word(word);
}

bool meets_rows(const OwnPieces& pieces) {
  if (has_word_at(pieces, 0, "REPLACE")) return true;
  if (!has_word_at(pieces, 0, "INSERT")) return false;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (i < 3 && pieces[i].is_word("IGNORE")) return true;
    if (pieces[i].is_word("DUPLICATE") && has_word_at(pieces, i - 1, "ON"))
      return true;
  }
  return false;
}

/// DELETE a FROM a JOIN b, UPDATE a JOIN b SET.
bool names_several(const OwnPieces& pieces) {
  if (has_word_at(pieces, 0, "DELETE")) return !has_word_at(pieces, 1, "FROM");
  if (!has_word_at(pieces, 0, "UPDATE")) return false;
  for (std::size_t i = 1; i < pieces.size() && !pieces[i].is_word("SET"); ++i)
    if (pieces[i].is_sign(",") || pieces[i].is_word("JOIN")) return true;
  return false;
}

std::string in_own_quotes(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == quote || (c == '\\' && quote == '\'')) quoted += c;
    quoted += c;
  }
  return quoted + quote;
}

std::string own_literal(const LoggedValue& value) {
  if (!value.value) return "NULL";
  const bool is_number = value.type == ColumnType::Integer ||
                         value.type == ColumnType::Double ||
                         value.type == ColumnType::Decimal;
  return is_number ? *value.value : in_own_quotes(*value.value, '\'');
}

}  // namespace

std::optional<std::string> own_words(const OwnPieces& statement,
                                     const MariadbNames& names,
                                     const std::vector<LoggedValue>& params) {
  const OwnPieces pieces = own_pieces(statement);
  if (!meets_rows(pieces) && !names_several(pieces)) return std::nullopt;
  std::string text;
  std::size_t next = 0;
  for (const MariadbPiece& piece : statement) {
    using Kind = MariadbPiece::Kind;
    const bool is_name = piece.kind == Kind::Name || piece.kind == Kind::Word;
    if (is_name && names.unseen.count(ascii::lower(piece.text)) != 0)
      return std::nullopt;
    if (piece.kind == Kind::Blank) {
      text += ' ';
    } else if (piece.kind == Kind::Text) {
      text += in_own_quotes(piece.text, '\'');
    } else if (piece.kind == Kind::Name) {
      text += in_own_quotes(piece.text, '`');
    } else if (piece.is_sign("?")) {
      if (next == params.size()) return std::nullopt;
      text += own_literal(params[next++]);
    } else {
      text += piece.text;
    }
  }
  return text;
}

// An UPDATE that changes nothing counts as the client has asked for.
bool has_unclear_count(const OwnPieces& statement) {
  return std::any_of(
      statement.begin(), statement.end(),
      [](const MariadbPiece& piece) { return piece.is_word("DUPLICATE"); });
}

}  // namespace txscope::db
