#include "race/reduce/mariadb_words.h"

#include <algorithm>

#include "db/proxy/mariadb_text.h"

namespace txscope::race {
namespace {

using db::MariadbPiece;

/// Without INTO @a, @b; with $1 for the first "?".
std::vector<MariadbPiece> plain_pieces(std::vector<MariadbPiece> pieces) {
  std::vector<MariadbPiece> result;
  std::size_t parameters = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    MariadbPiece& piece = pieces[i];
    if (piece.kind == MariadbPiece::Kind::Blank) continue;
    if (piece.is_sign("?"))
      piece = {MariadbPiece::Kind::Word, "$" + std::to_string(++parameters)};
    result.push_back(std::move(piece));
  }
  const auto is_variable = [](const MariadbPiece& piece) {
    return piece.kind == MariadbPiece::Kind::Word &&
           piece.text.starts_with("@");
  };
  for (std::size_t i = 0; i + 1 < result.size(); ++i) {
    if (!result[i].is_word("INTO") || !is_variable(result[i + 1])) continue;
    std::size_t end = i + 2;
    while (end + 1 < result.size() && result[end].is_sign(",") &&
           is_variable(result[end + 1]))
      end += 2;
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(i),
                 result.begin() + static_cast<std::ptrdiff_t>(end));
    break;
  }
  return result;
}

}  // namespace

Statement in_postgresql_words(const Statement& statement,
                              const Catalog& catalog) {
  if (catalog.product != Product::MariaDb) return statement;
  db::MariadbNames names;
  for (const auto& [name, table] : catalog.tables)
    if (!table.is_plain) names.unseen.insert(name);
  Statement result = statement;
  result.sql =
      db::log_words(plain_pieces(db::mariadb_pieces(statement.sql, {})), names,
                    {})
          .sql;
  std::replace(result.sql.begin(), result.sql.end(), '`', '"');
  return result;
}

StatementTouches named_touches(const Statement& statement,
                               const Catalog& catalog) {
  if (catalog.product != Product::MariaDb)
    return touches_of(statement, catalog);
  StatementTouches rough = touches_of(statement, catalog);
  if (rough.control != Control::None) return rough;
  const Statement words = in_postgresql_words(statement, catalog);
  // A statement without a counterpart has no words, and not: no effect.
  if (words.sql.empty()) return {};
  Catalog named = catalog;
  named.product = Product::PostgreSql;
  return touches_of(words, named);
}

}  // namespace txscope::race
