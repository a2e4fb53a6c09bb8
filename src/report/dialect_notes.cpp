#include <algorithm>
#include <set>

#include "model/product/profile.h"
#include "model/sql/walk.h"
#include "report/answer_report.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

/// ON DUPLICATE KEY and IGNORE are MariaDB's own words.
bool says_conflict(std::string_view text) {
  constexpr std::string_view kWord = "conflict";
  return std::search(text.begin(), text.end(), kWord.begin(), kWord.end(),
                     [](char c, char wanted) {
                       return (c >= 'A' && c <= 'Z' ? c + 32 : c) == wanted;
                     }) != text.end();
}

/// What a product does not call so.
std::string_view unknown_words(const sql::DbStatement& statement,
                               std::string_view text, Product product) {
  const auto* insert = std::get_if<sql::Insert>(&statement.what);
  const auto* query = std::get_if<sql::Select>(&statement.what);
  const bool is_update = std::holds_alternative<sql::Update>(statement.what);
  if (std::holds_alternative<sql::Merge>(statement.what) &&
      product != Product::PostgreSql && product != Product::Oracle) {
    return "MERGE";
  }
  switch (product) {
    case Product::PostgreSql: break;
    case Product::MariaDb:
      if (is_update && !statement.returning.empty()) return "UPDATE RETURNING";
      [[fallthrough]];
    case Product::Oracle:
      if (insert != nullptr && insert->on_conflict && says_conflict(text))
        return "ON CONFLICT";
      break;
    case Product::Sqlite:
      if (query != nullptr && (*query)->lock != sql::LockStrength::None) {
        return "FOR UPDATE";
      }
      break;
  }
  return "";
}

}  // namespace

std::string dialect_notes(const sql::Application& application,
                          const std::vector<Answer>& answers) {
  std::set<std::string> notes;
  for (const Answer& answer : answers) {
    if (answer.base) continue;
    const auto profile = parse_profile(answer.level);
    if (!profile) continue;
    const std::string product = answer.level.substr(0, answer.level.find(':'));
    for (const sql::Routine& routine : application.routines) {
      sql::for_each_statement(routine.body, [&](const sql::DbStatement& s) {
        const std::string_view words =
            unknown_words(s, application.text(s.at), (*profile)->product);
        if (words.empty()) return;
        notes.insert(product + " does not know " + std::string(words) +
                     " (line " + std::to_string(s.at.line) +
                     "); it is explored with PostgreSQL's meaning.");
      });
    }
  }
  std::string out;
  for (const std::string& note : notes) out += lines("", note);
  return out;
}

}  // namespace txscope::report
