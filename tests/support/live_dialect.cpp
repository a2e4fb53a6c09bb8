#include "support/live_dialect.h"

#include <algorithm>
#include <cctype>

#include "support/live_application.h"

namespace txscope::test {
namespace {

std::size_t find_word(const std::string& text, std::string_view upper) {
  const auto found = std::search(
      text.begin(), text.end(), upper.begin(), upper.end(), [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) == b;
      });
  return found == text.end() ? std::string::npos
                             : static_cast<std::size_t>(found - text.begin());
}

void replace(std::string& text, std::string_view upper, const char* with) {
  const std::size_t at = find_word(text, upper);
  if (at != std::string::npos) text.replace(at, upper.size(), with);
}

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
    case sql::TypeName::Text:
    case sql::TypeName::Varchar:
    case sql::TypeName::Unknown:
    case sql::TypeName::Void: break;
  }
  return "varchar(" + (type.size == 0 ? "100" : size) + ")";
}

std::string names(const sql::Table& table,
                  const std::vector<std::uint32_t>& columns) {
  std::string text = "(";
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += (i > 0 ? ", " : "") + table.columns[columns[i]].name;
  return text + ")";
}

std::string column_text(const sql::Application& application,
                        const sql::Column& column) {
  std::string text = column.name + " " + type_text(column.type);
  if (!column.is_nullable) text += " NOT NULL";
  if (column.sequence)
    text += " AUTO_INCREMENT";
  else if (column.default_value)
    text +=
        " DEFAULT " + std::string(application.text(column.default_value->at));
  return text;
}

/// MariaDB's own text: its types have other names, and it ignores some of what
/// it does not know.
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

std::string create_text(const sql::Application& application,
                        const sql::Table& table) {
  std::string text = "CREATE TABLE " + table.name + " (";
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    text += (c > 0 ? ", " : "") + column_text(application, table.columns[c]);
  for (std::size_t u = 0; u < table.unique.size(); ++u)
    text += (u == 0 && table.has_primary_key ? ", PRIMARY KEY " : ", UNIQUE ") +
            names(table, table.unique[u].columns);
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

}  // namespace

std::string statement_text(const sql::Application& application,
                           const sql::DbStatement& statement,
                           std::span<const sql::Value> slots,
                           std::uint64_t max_rows, engine::Product product) {
  std::string text = sql::text_with_values(application, statement, slots);
  if (!statement.is_select()) return text;
  const sql::Query& query = *std::get<sql::Select>(statement.what);
  if (product == engine::Product::MariaDb) {
    if (query.lock == sql::LockStrength::Share)
      replace(text, "FOR SHARE", "LOCK IN SHARE MODE");
    return text;
  }
  // A SELECT INTO stops, and locks, at its first row.
  if (max_rows > 0 && query.lock != sql::LockStrength::None && !query.limit)
    text += " LIMIT " + std::to_string(max_rows);
  return text;
}

std::vector<std::string> load_texts(const sql::Application& application,
                                    engine::Product product) {
  std::vector<std::string> texts;
  if (product != engine::Product::MariaDb) {
    for (const Span span : application.load)
      texts.emplace_back(application.text(span));
    return texts;
  }
  for (const sql::Table& table : application.schema.tables)
    texts.push_back(create_text(application, table));
  for (const sql::DbStatement& statement : application.setup)
    texts.push_back(sql::text_with_values(application, statement, {}));
  return texts;
}

}  // namespace txscope::test
