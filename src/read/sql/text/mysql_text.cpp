#include "read/sql/text/mysql_text.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "model/product/product.h"

namespace txscope::sql {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"UNSIGNED", "TINYINT",
                                                    "DATETIME", "DUPLICATE"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

/// A column of this name may be compared, too.
bool names_engine(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 8> kEngines = {
      "INNODB", "MYISAM", "MEMORY", "HEAP", "ARIA", "CSV", "ARCHIVE", "NDB"};
  at = text.find_first_not_of(" \t", at);
  if (at == std::string_view::npos) return false;
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  const std::string name = ascii::upper(text.substr(at, end - at));
  return std::find(kEngines.begin(), kEngines.end(), name) != kEngines.end();
}

/// Where the comment or quoted text that starts here ends; none: none does.
std::optional<std::size_t> quoted_end(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view mark, std::size_t from) {
    const std::size_t end = text.find(mark, from);
    return end == std::string_view::npos ? text.size() : end + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("--") || rest.starts_with("#")) return after("\n", at);
  if (rest.starts_with("/*")) return after("*/", at + 2);
  if (rest.starts_with("'")) return after("'", at + 1);
  if (rest.starts_with("\"")) return after("\"", at + 1);
  if (!rest.starts_with("$")) return std::nullopt;
  std::size_t end = 1;
  while (end < rest.size() && is_letter(rest[end])) ++end;
  if (end >= rest.size() || rest[end] != '$') return std::nullopt;
  return after(rest.substr(0, end + 1), at + end + 1);
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") + 1 - from);
}

}  // namespace

std::optional<Dialect> dialect_named(std::string_view product) {
  const ProductAlias* found = product_named(product);
  if (found == nullptr) return std::nullopt;
  switch (found->product) {
    case Product::PostgreSql: return Dialect::Postgresql;
    case Product::MariaDb: return Dialect::Mariadb;
    default: return std::nullopt;
  }
}

std::optional<SaidDialect> said_dialect(std::string_view text) {
  constexpr std::string_view kWord = "dialect:";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at + 1)) {
    const std::size_t line = text.substr(0, at).rfind('\n') + 1;
    const std::string_view before =
        without_blanks(text.substr(line, at - line));
    if (before != "--@") continue;
    const std::size_t from = at + kWord.size();
    const std::size_t end = std::min(text.find('\n', from), text.size());
    SaidDialect said{
        text.find("--@", line),
        dialect_named(without_blanks(text.substr(from, end - from)))};
    return said;
  }
  return std::nullopt;
}

std::optional<MysqlSign> find_mysql(std::string_view text) {
  if (const auto said = said_dialect(text)) {
    if (said->dialect != Dialect::Mariadb) return std::nullopt;
    return MysqlSign{said->offset, "--@ dialect"};
  }
  std::optional<MysqlSign> unsure;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("/*!") ||
        text.substr(at).starts_with("/*M!"))
      return MysqlSign{at, "/*!"};
    if (text.substr(at).starts_with("--@")) {  // an annotation is code
      at += 3;
      continue;
    }
    if (const auto end = quoted_end(text, at)) {
      at = *end;
      continue;
    }
    if (text[at] == '`') return MysqlSign{at, "`name`"};
    const bool is_variable = text[at] == '@' && at + 1 < text.size() &&
                             (is_letter(text[at + 1]) || text[at + 1] == '@');
    if (is_variable && !unsure) unsure = MysqlSign{at, "@variable", false};
    if (!is_letter(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word = ascii::upper(text.substr(at, end - at));
    if (word == "AUTO_INCREMENT") return MysqlSign{at, word};
    for (const std::string_view sign : kWords) {
      if (word == sign && !unsure) unsure = MysqlSign{at, word, false};
    }
    const bool is_first = at == 0 || text[at - 1] == '\n';
    if (word == "DELIMITER" && is_first) return MysqlSign{at, word};
    const std::size_t next = text.find_first_not_of(" \t", end);
    if (word == "ENGINE" && next != std::string_view::npos &&
        text[next] == '=' && names_engine(text, next + 1))
      return MysqlSign{at, "ENGINE ="};
    at = end;
  }
  return unsure;
}

}  // namespace txscope::sql
