#include "db/dialect.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "db/keeper.h"
#include "db/lexeme.h"
#include "model/sql/value/collation.h"

namespace txscope::db {
namespace {

std::size_t find_word(const std::string& text, std::string_view upper) {
  const auto found =
      std::search(text.begin(), text.end(), upper.begin(), upper.end(),
                  [](char a, char b) { return ascii::upper(a) == b; });
  return found == text.end() ? std::string::npos
                             : static_cast<std::size_t>(found - text.begin());
}

void replace(std::string& text, std::string_view upper, const char* with) {
  const std::size_t at = find_word(text, upper);
  if (at != std::string::npos) text.replace(at, upper.size(), with);
}

/// Types as MariaDB names them; SQLite takes any name and looks for INT, CHAR
/// and the like in it.
std::string type_text(const sql::Type& type) {
  const std::string size = std::to_string(type.size);
  switch (type.name) {
    case sql::TypeName::Boolean: return "boolean";
    case sql::TypeName::SmallInt: return "smallint";
    case sql::TypeName::Integer: return "int";
    case sql::TypeName::BigInt: return "bigint";
    case sql::TypeName::Numeric:
      return type.size == 0
                 ? "numeric(30, 6)"
                 : "numeric(" + size + ", " + std::to_string(type.scale) + ")";
    case sql::TypeName::Date: return "date";
    case sql::TypeName::Timestamp: return "datetime(6)";
    case sql::TypeName::Real: return "float";
    case sql::TypeName::Double: return "double";
    case sql::TypeName::TimestampTz: return "datetime(6)";
    case sql::TypeName::Time: return "time(6)";
    default: break;
  }
  return "varchar(" + (type.size == 0 ? "100" : size) + ")";
}

/// How MySQL's texts are compared; the server's own way where nothing is said.
std::string collation_text(const sql::Type& type) {
  const bool is_text = type.name == sql::TypeName::Text ||
                       type.name == sql::TypeName::Varchar ||
                       type.name == sql::TypeName::Char;
  if (!is_text) return "";
  switch (type.of) {
    case sql::kGeneralCi: return " COLLATE utf8mb4_general_ci";
    case sql::kPaddedBytes: return " COLLATE utf8mb4_bin";
    case sql::kBinary: return " CHARACTER SET binary";
    default: return "";
  }
}

std::string names(const sql::Table& table,
                  const std::vector<std::uint32_t>& columns) {
  std::string text = "(";
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += (i > 0 ? ", " : "") + table.columns[columns[i]].name;
  return text + ")";
}

std::string column_text(const sql::Application& application,
                        const sql::Column& column, Product product) {
  // Only a column of exactly this type takes numbers by itself in SQLite.
  if (column.sequence && product == Product::Sqlite)
    return column.name + " INTEGER PRIMARY KEY AUTOINCREMENT";
  std::string text = column.name + " " + type_text(column.type);
  if (product == Product::MariaDb) text += collation_text(column.type);
  if (!column.is_nullable) text += " NOT NULL";
  if (column.sequence)
    text += " AUTO_INCREMENT";
  else if (column.default_value)
    text +=
        " DEFAULT " + std::string(application.text(column.default_value->at));
  return text;
}

/// The parenthesis that begins after `offset`, to its end; strings may hold
/// parentheses.
std::string parenthesised(std::string_view source, std::size_t offset) {
  const std::size_t begin = source.find('(', offset);
  std::size_t end = begin;
  bool is_quoted = false;
  for (int depth = 0; end < source.size(); ++end) {
    if (source[end] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (source[end] == '(') ++depth;
    if (source[end] == ')' && --depth == 0) break;
  }
  return std::string(source.substr(begin, end + 1 - begin));
}

/// Our own text: MariaDB has other names of types, and ignores some of what it
/// does not know.
std::string create_text(const sql::Application& application,
                        const sql::Table& table, Product product) {
  std::string text = "CREATE TABLE " + table.name + " (";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += (c > 0 ? ", " : "") +
            column_text(application, table.columns[c], product);
  for (std::size_t u = 0; u < table.unique.size(); ++u) {
    const bool is_own = table.unique[u].columns.size() == 1 &&
                        table.columns[table.unique[u].columns[0]].sequence;
    if (product == Product::Sqlite && is_own) continue;  // see column_text
    text += (u == 0 && table.has_primary_key ? ", PRIMARY KEY " : ", UNIQUE ") +
            names(table, table.unique[u].columns);
  }
  for (const sql::ForeignKey& key : table.foreign) {
    const sql::Table& parent = application.schema.at(key.parent);
    text += ", FOREIGN KEY " + names(table, key.columns) + " REFERENCES " +
            parent.name + " " + names(parent, key.parent_columns);
    if (key.on_delete == sql::OnDelete::Cascade) text += " ON DELETE CASCADE";
    if (key.on_delete == sql::OnDelete::SetNull) text += " ON DELETE SET NULL";
  }
  for (const sql::Check& check : table.checks)
    text += ", CHECK " + parenthesised(application.source, check.at.offset);
  return text + ")";
}

/// Without the schemas before tables' names: to MariaDB they are databases, and
/// there may be such.  What names another table is not in the application.
std::string without_schemas(const sql::Application& application,
                            const std::string& text) {
  if (text.find('.') == std::string::npos) return text;
  std::set<std::string> tables;
  for (const sql::Table& table : application.schema.tables)
    tables.insert(in_capitals(table.name));
  const auto is_table = [&](const Lexeme& name) {
    return tables.count(in_capitals(name.content())) == 1;
  };
  const auto is_name = [](const Lexeme& one) {
    return one.kind == Lexeme::Kind::Word || one.kind == Lexeme::Kind::Name;
  };
  std::vector<Lexeme> parts = lexemes(text);
  std::string result;
  bool names_table = false;  // a table's name, and no column's, comes next
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_schema = i + 2 < parts.size() && is_name(parts[i]) &&
                           parts[i + 1].is('.') && is_name(parts[i + 2]) &&
                           is_table(parts[i + 2]) &&
                           (names_table || !is_table(parts[i]));
    if (is_schema) {
      ++i;
      continue;
    }
    result += parts[i].text;
    if (parts[i].is_blank()) continue;
    names_table = parts[i].is("FROM") || parts[i].is("JOIN") ||
                  parts[i].is("INTO") || parts[i].is("UPDATE") ||
                  parts[i].is("ONLY") || parts[i].is("USING");
  }
  return result;
}

/// FOR UPDATE or FOR SHARE, which SQLite does not have, cut off.
void cut_lock(std::string& text) {
  for (const char* lock : {"FOR UPDATE", "FOR SHARE", "FOR NO KEY UPDATE"})
    replace(text, lock, "");
}

}  // namespace

std::string quoted(std::string_view name, Product product) {
  const char quote = product == Product::MariaDb ? '`' : '"';
  std::string text(1, quote);
  for (const char c : name) {
    if (c == quote) text += quote;
    text += c;
  }
  return text + quote;
}

std::string literal(const sql::Value& value, Product product) {
  std::string text = sql::to_literal(value);
  if (product == Product::PostgreSql) return text;
  // A backslash means nothing in the strings of PostgreSQL and SQLite; in
  // MariaDB's it does, unless NO_BACKSLASH_ESCAPES is set.
  if (product == Product::MariaDb && value.kind() == sql::Kind::Text)
    for (std::size_t i = 0; (i = text.find('\\', i)) != std::string::npos;
         i += 2)
      text.insert(i, 1, '\\');
  // SQLite has no type of dates: they are texts that compare like dates.
  const bool is_date =
      value.kind() == sql::Kind::Date || value.kind() == sql::Kind::Timestamp;
  if (product == Product::Sqlite && is_date) text.erase(0, text.find('\''));
  return text;
}

std::string in_dialect(const sql::Application& application, std::string text,
                       Product product) {
  if (product == Product::PostgreSql) return text;
  text = without_schemas(application, text);
  if (product == Product::MariaDb)
    replace(text, "FOR SHARE", "LOCK IN SHARE MODE");
  else
    cut_lock(text);
  return text;
}

std::string statement_text(const sql::Application& application,
                           const sql::DbStatement& statement,
                           std::span<const sql::Value> slots,
                           std::uint64_t max_rows, Product product) {
  std::string text = sql::text_with(
      application, statement,
      [&](std::uint32_t slot) { return literal(slots[slot], product); });
  if (product != Product::PostgreSql) text = without_schemas(application, text);
  if (!statement.is_select()) return text;
  const sql::Query& query = *std::get<sql::Select>(statement.what);
  const bool locks = query.lock != sql::LockStrength::None;
  switch (product) {
    case Product::MariaDb:
      if (query.lock == sql::LockStrength::Share)
        replace(text, "FOR SHARE", "LOCK IN SHARE MODE");
      break;
    case Product::Sqlite:
      if (locks) cut_lock(text);
      break;
    case Product::PostgreSql:
      // A SELECT INTO stops, and locks, at its first row.
      if (max_rows > 0 && locks && !query.limit)
        text += " LIMIT " + std::to_string(max_rows);
      break;
    case Product::Oracle: break;
  }
  return text;
}

std::vector<std::string> load_texts(const sql::Application& application,
                                    Product product) {
  std::vector<std::string> texts;
  if (product == Product::PostgreSql) {
    for (const Span span : application.load)
      texts.emplace_back(application.text(span));
    return texts;
  }
  for (const sql::Table& table : application.schema.tables)
    texts.push_back(create_text(application, table, product));
  for (const sql::DbStatement& statement : application.setup)
    texts.push_back(without_schemas(
        application, sql::text_with_values(application, statement, {})));
  return texts;
}

Result<Done> check_names(const sql::Application& application, Product product) {
  if (product == Product::PostgreSql) return Done{};
  for (const sql::Table& table : application.schema.tables)
    if (table.name.find('.') != std::string::npos)
      return failure(application.file + ": several schemas have a table '" +
                         table.name.substr(table.name.find('.') + 1) + "'",
                     "only PostgreSQL has schemas: give them different names");
  return Done{};
}

std::vector<sql::Kind> result_kinds(const sql::DbStatement& statement) {
  const std::vector<sql::Target>& targets =
      statement.is_select() ? std::get<sql::Select>(statement.what)->targets
                            : statement.returning;
  std::vector<sql::Kind> result;
  result.reserve(targets.size());
  for (const sql::Target& target : targets)
    result.push_back(sql::kind_of(target.expr.type.name));
  return result;
}

}  // namespace txscope::db
