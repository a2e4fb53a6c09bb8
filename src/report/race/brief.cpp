#include "report/race/brief.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/ascii.h"

namespace txscope::report {
namespace {

constexpr std::size_t kManyColumns = 4;
constexpr std::size_t kLongTable = 300;  // letters
constexpr std::size_t kManyTables = 3;

bool is_word(std::string_view text, std::size_t at, std::string_view word) {
  if (text.size() < at + word.size()) return false;
  return std::equal(word.begin(), word.end(),
                    text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == ascii::upper(b); });
}

/// A row that another one refers to stands in it whole: its beginning will do.
std::string brief_row(const race::State& row) {
  constexpr std::size_t kShown = 2;
  race::State result = row;
  for (auto& [column, value] : result.items()) {
    if (!value.is_object() || value.size() <= kShown) continue;
    race::State part = race::State::object();
    for (const auto& [name, inner] : value.items())
      if (part.size() < kShown && !inner.is_structured()) part[name] = inner;
    part[".."] = value.size() - part.size();
    value = std::move(part);
  }
  return result.dump();
}

/// The rows of `some` that `others` has not, each as often.
std::vector<std::string> without(const race::State& some,
                                 const race::State& others) {
  std::map<std::string, std::size_t> known;
  for (const auto& row : others) ++known[row.dump()];
  std::vector<std::string> result;
  for (const auto& row : some) {
    const auto found = known.find(row.dump());
    if (found != known.end() && found->second > 0)
      --found->second;
    else
      result.push_back(brief_row(row));
  }
  return result;
}

}  // namespace

std::string brief_statement(const std::string& sql) {
  if (!is_word(sql, 0, "SELECT ")) return sql;
  std::size_t commas = 0;
  std::size_t first = 0;
  int depth = 0;
  char quote = '\0';
  for (std::size_t at = 7; at < sql.size(); ++at) {
    const char c = sql[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '\'' || c == '"' || c == '`') quote = c;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth > 0) continue;
    if (c == ',' && ++commas == 1) first = at;
    if (!is_word(sql, at, " FROM ")) continue;
    if (commas + 1 < kManyColumns) return sql;
    return sql.substr(0, first) + ", .. " + std::to_string(commas + 1) +
           " columns" + sql.substr(at);
  }
  return sql;
}

std::string brief_rows(const race::State& rows, const race::State& before) {
  if (rows.empty()) return "no rows";
  std::string all = rows.dump();
  if (all.size() <= kLongTable) return all;
  std::string text;
  for (const auto& [sign, changed] : {std::pair("-", without(before, rows)),
                                      std::pair("+", without(rows, before))})
    for (const std::string& row : changed)
      text += (text.empty() ? "" : " ") + std::string(sign) + row;
  return text;
}

std::vector<std::string> brief_columns(
    const std::vector<std::string>& columns) {
  const auto name_of = [](const std::string& column) {
    return column.substr(column.rfind('.') + 1);
  };
  std::map<std::string, std::size_t> tables;
  for (const std::string& column : columns) ++tables[name_of(column)];
  std::vector<std::string> result;
  for (const std::string& column : columns) {
    std::size_t& count = tables[name_of(column)];
    if (count == 0) continue;
    if (count <= kManyTables) {
      result.push_back(column);
      continue;
    }
    result.push_back(name_of(column) + " of " + std::to_string(count) +
                     " tables");
    count = 0;
  }
  return result;
}

}  // namespace txscope::report
