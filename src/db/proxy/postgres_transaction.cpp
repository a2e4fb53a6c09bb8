// What the statements of a connection mean for its transactions.

#include <algorithm>
#include <charconv>

#include "db/proxy/postgres_tap.h"
#include "db/proxy/statements.h"
#include "model/product/profile.h"
#include "read/sql/text/catalog_question.h"

namespace txscope::db {
namespace {

using Words = std::vector<std::string>;

/// Not in a log: they neither read nor write tables.
bool is_left_out(const Words& words) {
  if (words.empty()) return false;
  for (const char* known : {"SET", "RESET", "SHOW", "DISCARD", "DEALLOCATE",
                            "LISTEN", "UNLISTEN", "NOTIFY", "CHECKPOINT"})
    if (words[0] == known) return true;
  return false;
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The level that BEGIN, SET TRANSACTION or SET SESSION CHARACTERISTICS names.
std::string named_level(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "LEVEL") continue;
    for (const Profile& profile : profiles())
      if (profile.product == Product::PostgreSql &&
          profile.sql.starts_with(words[i + 1]))
        return std::string(profile.name);
  }
  return "";
}

/// "INSERT 0 5", "UPDATE 3": the last word.
std::uint64_t count_in(std::string_view tag) {
  const std::size_t space = tag.rfind(' ');
  if (space == std::string_view::npos) return 0;
  std::uint64_t count = 0;
  std::from_chars(tag.data() + space + 1, tag.data() + tag.size(), count);
  return count;
}

bool writes(std::string_view tag) {
  for (const char* verb : {"INSERT ", "UPDATE ", "DELETE ", "MERGE "})
    if (tag.starts_with(verb)) return true;
  return false;
}

}  // namespace

using Status = LoggedTransaction::Status;

void PostgresTap::open(std::int64_t at) {
  if (is_open_) return;
  is_open_ = true;
  is_explicit_ = false;
  has_failed_ = false;
  is_doubtful_ = false;
  kept_bytes_ = 0;
  transaction_ = {};
  transaction_.session = session_;
  transaction_.start = at;
  transaction_.level = default_level_;
}

void PostgresTap::finish_statement(LoggedStatement statement,
                                   std::string_view tag) {
  statement.end = clock_.now();
  if (statement.opaque == kCopy) {
    statement.answer.count = count_in(tag);
    for (LoggedStatement& one : with_copied(std::move(statement)))
      keep_statement(std::move(one));
    return;
  }
  if (control(statement, tag)) return;
  if (is_left_out(first_words(statement.sql, 1))) return;
  statement.has_count = writes(tag);
  statement.answer.count = count_in(tag);
  keep_statement(std::move(statement));
}

void PostgresTap::keep_statement(LoggedStatement statement) {
  if (statement.opaque.empty() && sql::is_catalog_question(statement.sql)) {
    // Nobody judges the rows, and there are secrets among them.
    statement.opaque = "catalog";
    statement.has_rows = false;
    statement.answer.rows.clear();
  }
  unknown_ += statement.opaque == kTooLarge ? 1 : 0;
  kept_bytes_ += statement.sql.size() + 200;
  if (kept_bytes_ > limits_.transaction) {
    statement.sql = "";
    statement.params.clear();
    statement.answer = {};
    statement.has_rows = false;
    statement.has_count = false;
    statement.opaque = kTooLarge;
    ++unknown_;
    if (!transaction_.statements.empty() &&
        transaction_.statements.back().opaque == statement.opaque)
      return;
  }
  transaction_.statements.push_back(std::move(statement));
}

/// Whether the statement begins or ends a transaction, or sets its level.
bool PostgresTap::control(const LoggedStatement& statement,
                          std::string_view tag) {
  const std::string& sql = statement.sql;
  if (tag == "BEGIN" || tag == "START TRANSACTION") {
    is_explicit_ = true;
    const std::string level = named_level(first_words(sql, 12));
    if (!level.empty()) transaction_.level = level;
    return true;
  }
  if (tag == "SET") {
    const Words words = first_words(sql, 12);
    const std::string level = named_level(words);
    if (!level.empty() && has(words, "CHARACTERISTICS"))
      default_level_ = level;
    else if (!level.empty())
      transaction_.level = level;
    return true;
  }
  const bool is_rollback = tag == "ROLLBACK";
  if (tag != "COMMIT" && !is_rollback && tag != "PREPARE TRANSACTION")
    return false;
  const Words words = first_words(sql, 5);
  if (is_rollback && statement.opaque == kTooLarge) {
    is_doubtful_ = true;  // ROLLBACK, or only ROLLBACK TO a savepoint
    return false;
  }
  if (is_rollback && has(words, "TO")) {
    has_failed_ = false;  // back to before the failure
    return false;
  }
  const std::int64_t now = clock_.now();
  end(tag == "COMMIT" ? Status::Committed
      : is_rollback   ? Status::Aborted
                      : Status::Unknown);
  if (has(words, "CHAIN") && !has(words, "NO")) {
    open(now);
    is_explicit_ = true;
  }
  return true;
}

void PostgresTap::called() {
  open(front()->at);
  LoggedStatement statement;
  statement.start = front()->at;
  statement.end = clock_.now();
  statement.opaque = "function call";
  ++unknown_;
  transaction_.statements.push_back(std::move(statement));
}

bool PostgresTap::commit_is_pending() const {
  for (const Expected& expected : expected_) {
    if (expected.kind == Expected::Kind::Sync && !is_explicit_) return true;
    if (expected.is_large) return true;
    std::vector<std::string> texts = expected.texts;
    if (expected.kind == Expected::Kind::Execute) {
      const auto found = portals_.find(expected.name);
      if (found != portals_.end()) texts.push_back(found->second.sql);
    }
    for (const std::string& text : texts) {
      const Words words = first_words(text, 1);
      if (!words.empty() && (words[0] == "COMMIT" || words[0] == "END"))
        return true;
    }
  }
  return false;
}

void PostgresTap::end(Status status) {
  // Cursors that were not read to their end: the statement ran, its rows were
  // not all seen.
  for (auto& [name, portal] : portals_) {
    if (!portal.is_started || portal.logged.sql.empty()) continue;
    portal.logged.has_rows = false;
    portal.logged.answer.rows.clear();
    portal.logged.end = clock_.now();
    transaction_.statements.push_back(std::move(portal.logged));
    portal.logged = {};
  }
  is_open_ = false;
  is_explicit_ = false;
  has_failed_ = false;
  transaction_.status = status;
  transaction_.end = clock_.now();
  if (transaction_.statements.empty() && !transaction_.error) return;
  transaction_.id =
      std::to_string(session_) + "-" + std::to_string(++sequence_);
  sink_(std::move(transaction_));
  transaction_ = {};
}

}  // namespace txscope::db
