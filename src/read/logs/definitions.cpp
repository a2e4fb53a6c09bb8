#include "read/logs/definitions.h"

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/text/definition.h"

namespace txscope::logs {
namespace {

using DefinitionKind = sql::Definition::Kind;

/// Words in small letters, as names without quotes are.
template <class OnWord>
void for_each_word(std::string_view text, const OnWord& on_word) {
  std::string word;
  const auto end = [&] {
    if (!word.empty()) on_word(word);
    word.clear();
  };
  for (const char c : text) {
    const bool is_part = ascii::is_letter(c) || ascii::is_digit(c) ||
                         c == '_' || c == '$' || (c & 0x80) != 0;
    if (is_part)
      word += ascii::lower(c);
    else
      end();
  }
  end();
}

bool is_definition(std::string_view text) {
  bool is_first = true;
  bool is_it = false;
  for_each_word(text.substr(0, 64), [&](const std::string& word) {
    if (is_first) is_it = word == "create" || word == "alter" || word == "drop";
    is_first = false;
  });
  return is_it;
}

}  // namespace

LogDefinitions::LogDefinitions(const sql::LogHeader& header) {
  for (const std::string& text : header.setup)
    if (is_definition(text))
      for_each_word(
          text, [this](const std::string& word) { in_setup_.insert(word); });
}

void LogDefinitions::note_words(std::string_view text) {
  for_each_word(text, [this](const std::string& word) { named_.insert(word); });
}

/// A name may stand for something where it is only a part of one in quotes.
bool LogDefinitions::is_named(const std::string& object) const {
  bool is_any = object.empty();
  for_each_word(object, [&](const std::string& word) {
    is_any |= named_.count(word) != 0;
  });
  return is_any;
}

bool LogDefinitions::may_move(const sql::LogTransaction& transaction,
                              const std::string& text) {
  if (transaction.status != sql::LogStatus::Committed || !is_definition(text))
    return false;
  const auto found = sql::definition_in(text);
  if (!found) return false;
  const auto is_any_named = [this](const std::vector<std::string>& names) {
    return std::any_of(
        names.begin(), names.end(),
        [this](const std::string& name) { return is_named(name); });
  };
  if (is_any_named(found->objects)) return false;
  const std::string& object = found->objects.front();
  switch (found->kind) {
    case DefinitionKind::Create: created_.insert(object); return true;
    case DefinitionKind::Change:
      // What the log itself made has no rows yet.
      return created_.count(object) != 0 || !is_any_named(found->others);
    case DefinitionKind::Drop: {
      // Only what is not there.
      bool is_there = false;
      for (const std::string& name : found->objects) {
        is_there |= created_.count(name) != 0;
        for_each_word(name, [&](const std::string& word) {
          is_there |= in_setup_.count(word) != 0;
        });
      }
      return !is_there;
    }
  }
  return false;
}

void LogDefinitions::look(const sql::LogTransaction& transaction) {
  for (std::size_t k = 0; k < transaction.statements.size(); ++k) {
    const sql::LogStatement& statement = transaction.statements[k];
    if (statement.is_catalog) continue;
    const bool is_known = !statement.error && statement.opaque.empty();
    if (!is_known || !may_move(transaction, statement.sql)) {
      note_words(statement.sql);
      continue;
    }
    moved_[transaction.line].insert(k);
    if (sql::definition_in(statement.sql)->kind != DefinitionKind::Drop)
      texts_.push_back(statement.sql);
  }
}

void LogDefinitions::mark(sql::LogTransaction& transaction) const {
  const auto found = moved_.find(transaction.line);
  if (found == moved_.end()) return;
  for (const std::size_t k : found->second)
    transaction.statements[k].is_catalog = true;
}

}  // namespace txscope::logs
