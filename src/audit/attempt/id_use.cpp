#include "audit/attempt/id_use.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>

#include "audit/tables/words.h"

namespace txscope::audit {
namespace {

/// The whole numbers that stand in a text.
void add_numbers(const std::string& text, std::set<std::int64_t>& numbers) {
  const auto is_digit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::int64_t number = 0;
    const auto read =
        std::from_chars(text.data() + i, text.data() + end, number);
    if (read.ec == std::errc()) numbers.insert(number);
    i = end;
  }
}

void add_numbers(const sql::Value& value, std::set<std::int64_t>& numbers) {
  if (value.kind() == sql::Kind::Integer)
    numbers.insert(value.integer());
  else if (!value.is_null())
    add_numbers(to_string(value), numbers);
}

/// SELECT * and the like; not count(*), nor a product.
bool shows_all(const std::string& sql) {
  for (std::size_t i = sql.find('*'); i != sql.npos; i = sql.find('*', i + 1)) {
    std::size_t before = i;
    while (before > 0 && sql[before - 1] == ' ') --before;
    const char c = before == 0 ? ' ' : sql[before - 1];
    const bool is_factor = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (c != '(' && !is_factor) return true;
  }
  return false;
}

/// INSERT without a list of columns may give all of them.
bool gives_all(const std::string& sql) {
  return names_word(sql, "insert") && !names_word(sql, "default");
}

}  // namespace

IdUse::IdUse(const sql::Schema& schema,
             const std::vector<sql::LogTransaction>& transactions,
             bool has_routines)
    : is_told_(schema.sequences.size(), has_routines) {
  if (schema.sequences.empty()) return;
  for (const sql::Table& table : schema.tables)
    for (const sql::ForeignKey& key : table.foreign)
      for (const std::uint32_t c : key.parent_columns)
        if (const auto& sequence = schema.at(key.parent).columns[c].sequence)
          is_told_[*sequence] = true;
  for (const sql::LogTransaction& t : transactions)
    for (const sql::LogStatement& statement : t.statements)
      see(schema, statement);
}

void IdUse::see(const sql::Schema& schema, const sql::LogStatement& statement) {
  const bool is_all = shows_all(statement.sql);
  for (const sql::Table& table : schema.tables)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const sql::Column& column = table.columns[c];
      if (!column.sequence || is_told_[*column.sequence]) continue;
      const bool has_list =
          statement.sql.find(
              table.columns[c == 0 ? table.columns.size() - 1 : 0].name) !=
          statement.sql.npos;
      if (is_all || names_word(statement.sql, column.name) ||
          (gives_all(statement.sql) && !has_list))
        is_told_[*column.sequence] = true;
    }
  add_numbers(statement.sql, named_);
  for (const sql::Value& value : statement.parameters)
    add_numbers(value, named_);
  if (!statement.rows) return;
  for (const sql::Row& row : *statement.rows)
    for (const sql::Value& value : row) add_numbers(value, named_);
}

}  // namespace txscope::audit
