#include "exec/sql/writer/write_rules.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "model/product/error_class.h"

namespace txscope::sql {
namespace {

constexpr std::array kPostgresqlTexts = std::to_array<ErrorText>({
    {Broken::DuplicateKey, sqlstate::kUnique,
     "duplicate key value violates unique constraint \"{key}\""},
    {Broken::Excluded, "23P01",
     "conflicting key value violates exclusion constraint \"{key}\""},
    {Broken::NoParent, sqlstate::kForeignKey,
     "insert or update on table \"{child}\" violates foreign key constraint "
     "\"{key}\""},
    {Broken::HasChildren, sqlstate::kForeignKey,
     "update or delete on table \"{table}\" violates foreign key constraint "
     "\"{key}\" on table \"{child}\""},
    {Broken::SecondChange, "21000",
     "ON CONFLICT DO UPDATE command cannot affect row a second time"},
});

void put_name(std::string& text, std::string_view mark, std::string_view name) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), name);
}

}  // namespace

const WriteRules& postgresql_rules() {
  static const WriteRules rules = [] {
    WriteRules made;
    made.texts = kPostgresqlTexts;
    return made;
  }();
  return rules;
}

bool has_text(const WriteRules& rules, Broken what) {
  return std::any_of(rules.texts.begin(), rules.texts.end(),
                     [what](const ErrorText& t) { return t.what == what; });
}

SqlError error_of(const WriteRules& rules, Broken what, std::string_view key,
                  std::string_view table, std::string_view child) {
  for (const ErrorText& text : rules.texts) {
    if (text.what != what) continue;
    SqlError error;
    error.sqlstate = text.code;
    error.message = text.message;
    put_name(error.message, "{key}", key);
    put_name(error.message, "{table}", table);
    put_name(error.message, "{child}", child);
    return error;
  }
  assert(false && "every product has a text for everything");
  return {};
}

std::string condition_of(const WriteRules& rules, std::string_view code) {
  for (const ErrorText& text : rules.texts) {
    if (text.code != code) continue;
    for (const ErrorText& own : kPostgresqlTexts)
      if (own.what == text.what) return std::string(own.code);
  }
  for (const ErrorCode& pair : rules.codes)
    if (pair.code == code) return std::string(pair.sqlstate);
  return std::string(code);
}

SqlError renamed(const WriteRules& rules, SqlError error) {
  for (const ErrorCode& pair : rules.codes) {
    if (pair.sqlstate != error.sqlstate) continue;
    error.sqlstate = pair.code;
    return error;
  }
  return error;
}

}  // namespace txscope::sql
