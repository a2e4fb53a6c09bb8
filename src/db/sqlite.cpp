#include "db/sqlite.h"

#include <sqlite3.h>

#include <chrono>

#include "db/keeper.h"
#include "model/product/error_class.h"

namespace txscope::db {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);

/// Its errors have names, but no SQLSTATE: that of the same class is given.
struct Meaning {
  int code;
  const char* name;
  std::string_view sqlstate;
};
constexpr Meaning kMeanings[] = {
    {SQLITE_BUSY, "SQLITE_BUSY", sqlstate::kSerialization},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT", sqlstate::kSerialization},
    {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY", sqlstate::kSerialization},
    {SQLITE_BUSY_TIMEOUT, "SQLITE_BUSY_TIMEOUT", sqlstate::kSerialization},
    {SQLITE_LOCKED, "SQLITE_LOCKED", sqlstate::kSerialization},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE", sqlstate::kUnique},
    {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY",
     sqlstate::kUnique},
    {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID", sqlstate::kUnique},
    {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL",
     sqlstate::kNotNull},
    {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY",
     sqlstate::kForeignKey},
    {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK", sqlstate::kCheck},
    {SQLITE_FULL, "SQLITE_FULL", "53100"},
};

ColumnType sqlite_type(int storage) {
  switch (storage) {
    case SQLITE_INTEGER: return ColumnType::Integer;
    case SQLITE_FLOAT: return ColumnType::Double;
    case SQLITE_BLOB: return ColumnType::Bytes;
    default: return ColumnType::Text;
  }
}

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

class SqliteSession final : public Session {
 public:
  explicit SqliteSession(sqlite3* database) : database_(database) {}
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;
  ~SqliteSession() override { sqlite3_close_v2(database_); }

  void send(const std::string& sql) override {
    sql_ = sql;
    done_ = 0;
    is_pending_ = true;
    is_complete_ = false;
    sent_ = Steady::now();
  }

  bool is_answered() override {
    if (is_complete_ || !is_pending_) return true;
    answer_ = run();
    const bool may_wait =
        answer_.code == "SQLITE_BUSY" && Steady::now() - sent_ < kPatience;
    is_complete_ = !may_wait;
    return is_complete_;
  }

  Answer receive() override {
    while (!is_answered()) sqlite3_sleep(1);
    is_pending_ = false;
    return std::move(answer_);
  }

  int socket() const override { return -1; }
  std::int64_t id() const override {
    return static_cast<std::int64_t>(
        reinterpret_cast<std::intptr_t>(database_));
  }

 private:
  /// The statements from `done_` on, one by one: those that were executed are
  /// not executed again after a wait.
  Answer run() {
    Answer answer;
    while (done_ < sql_.size()) {
      sqlite3_stmt* statement = nullptr;
      const char* rest = nullptr;
      const char* text = sql_.c_str() + done_;
      if (sqlite3_prepare_v2(database_, text, -1, &statement, &rest) !=
          SQLITE_OK)
        return error();
      if (statement != nullptr) {
        answer = step(statement);
        sqlite3_finalize(statement);
        if (!answer.is_ok()) return answer;
      }
      done_ = static_cast<std::size_t>(rest - sql_.c_str());
    }
    return answer;
  }

  Answer step(sqlite3_stmt* statement) {
    Answer answer;
    const int columns = sqlite3_column_count(statement);
    for (int c = 0; c < columns; ++c)
      answer.columns.push_back({sqlite3_column_name(statement, c)});
    int code = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
      take_row(statement, columns, answer);
    if (code != SQLITE_DONE) return error();
    answer.count = sqlite3_stmt_readonly(statement) != 0
                       ? answer.rows.size()
                       : static_cast<std::uint64_t>(sqlite3_changes(database_));
    return answer;
  }

  static void take_row(sqlite3_stmt* statement, int columns, Answer& answer) {
    auto& row = answer.rows.emplace_back();
    for (int c = 0; c < columns; ++c) {
      const int storage = sqlite3_column_type(statement, c);
      if (storage == SQLITE_NULL) {
        row.emplace_back();
        continue;
      }
      Column& column = answer.columns[static_cast<std::size_t>(c)];
      column.type = sqlite_type(storage);
      column.kind = kind_of(column.type);
      const unsigned char* text = sqlite3_column_text(statement, c);
      const auto size =
          static_cast<std::size_t>(sqlite3_column_bytes(statement, c));
      if (storage == SQLITE_BLOB)
        row.emplace_back(hexadecimal(text, size));
      else
        row.emplace_back(std::in_place, reinterpret_cast<const char*>(text),
                         size);
    }
  }

  Answer error() const {
    Answer answer;
    const int code = sqlite3_extended_errcode(database_);
    answer.number = code;
    answer.message = sqlite3_errmsg(database_);
    answer.code = "SQLITE_" + std::to_string(code);
    answer.sqlstate = "HY000";
    for (const Meaning& meaning : kMeanings)
      if (meaning.code == code) {
        answer.code = meaning.name;
        answer.sqlstate = meaning.sqlstate;
      }
    return answer;
  }

  sqlite3* database_;
  std::string sql_;
  std::size_t done_ = 0;  ///< bytes of sql_ that were executed
  Answer answer_;
  bool is_complete_ = true;
  Steady::time_point sent_;
};

}  // namespace

Result<std::unique_ptr<Session>> connect_sqlite(const std::string& path) {
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &database,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
      nullptr);
  if (code != SQLITE_OK) {
    Error error = failure(database != nullptr ? sqlite3_errmsg(database)
                                              : "SQLite has no memory");
    sqlite3_close_v2(database);
    return error;
  }
  auto session = std::make_unique<SqliteSession>(database);
  session->execute("PRAGMA foreign_keys = ON");
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace txscope::db
