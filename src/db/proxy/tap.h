#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/proxy/wire.h"
#include "db/record/clock.h"
#include "db/record/log.h"

namespace txscope::db {

/// How much of what passes is kept.
struct TapLimits {
  std::size_t message = 16u << 20;      ///< bytes of one message
  std::size_t transaction = 64u << 20;  ///< bytes of an open transaction
  std::size_t pending = 100'000;        ///< messages without an answer
};

/// What stands in `opaque` of a statement of which not all was kept.
inline constexpr const char* kTooLarge = "too large";

/// Listens to one connection between a client and PostgreSQL and tells its
/// transactions.  It changes nothing and forwards nothing.
///
/// What a client asks stands in a queue until the server has answered it: the
/// server answers in order, and after an error skips to the next Sync.
/// ReadyForQuery says whether a transaction is open; an implicit one lasts
/// from the first statement to that.
class Tap {
 public:
  using Sink = std::function<void(LoggedTransaction)>;

  Tap(const Clock& clock, std::uint64_t session, const TapLimits& limits,
      Sink sink)
      : clock_(clock),
        session_(session),
        limits_(limits),
        sink_(std::move(sink)),
        from_client_(limits.message),
        from_server_(limits.message) {}

  /// Bytes as they pass, after the client's startup message.
  void client(std::string_view bytes);
  void server(std::string_view bytes);
  /// One side is gone; nothing more comes.
  void closed(bool by_server);
  /// Why it no longer records this connection; empty: it does.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::uint64_t unobserved() const { return unobserved_; }
  /// Statements that were too large to keep.
  [[nodiscard]] std::uint64_t unknown() const { return unknown_; }

 private:
  struct ColumnFormat {
    Column column;
    std::uint32_t oid = 0;
    bool is_binary = false;
  };
  using Columns = std::vector<ColumnFormat>;
  struct Prepared {
    std::string sql;
    bool is_large = false;            ///< its text was not kept
    std::vector<std::uint32_t> oids;  ///< of the parameters
    std::optional<Columns> columns;
  };
  struct Portal {
    std::string statement;
    std::string sql;
    std::vector<LoggedValue> params;
    std::vector<bool> binary;  ///< result formats
    std::optional<Columns> columns;
    LoggedStatement logged;  ///< rows of what was fetched so far
    bool is_started = false;
  };
  struct Expected {
    enum class Kind : std::uint8_t {
      Query,
      Parse,
      Bind,
      Describe,
      Execute,
      Close,
      Sync,
      FunctionCall,
    };
    Kind kind = Kind::Sync;
    bool is_large = false;   ///< not all of it was kept
    std::string name;        ///< of the statement or portal
    bool is_portal = false;  ///< Describe, Close
    Prepared prepared;       ///< Parse
    Portal portal;           ///< Bind
    /// Of a Bind: parameters as they came, until their types are known.
    std::vector<std::optional<std::string>> raw;
    std::vector<bool> raw_binary;
    std::vector<std::string> texts;  ///< statements of a Query
    std::size_t next = 0;            ///< of these
    std::int64_t at = 0;
  };

  void take_client(const WireSplitter::Message& message);
  void take_server(const WireSplitter::Message& message);
  void expect_parse(const WireSplitter::Message& message);
  void expect_bind(const WireSplitter::Message& message);
  void expect(Expected expected);

  void bound();
  void described(const WireSplitter::Message& message);
  void parameter_types(WireReader& reader);
  [[nodiscard]] Columns row_description(WireReader& reader) const;
  void row(const WireSplitter::Message& message);
  void complete(std::string_view tag);
  void suspended();
  void failed(WireReader& reader);
  void ready(char status);
  void pop() { expected_.pop_front(); }
  [[nodiscard]] Expected* front() {
    return expected_.empty() ? nullptr : &expected_.front();
  }

  /// The statement that the server works on, made when first asked for.
  LoggedStatement* current();
  void open(std::int64_t at);
  void finish_statement(LoggedStatement statement, std::string_view tag);
  bool control(const LoggedStatement& statement, std::string_view tag);
  /// A function that was called without SQL.
  void called();
  void end(LoggedTransaction::Status status);
  [[nodiscard]] bool commit_is_pending() const;
  void give_up(std::string problem);

  const Clock& clock_;
  std::uint64_t session_;
  TapLimits limits_;
  Sink sink_;
  WireSplitter from_client_;
  WireSplitter from_server_;
  std::deque<Expected> expected_;
  std::map<std::string, Prepared, std::less<>> prepared_;
  std::map<std::string, Portal, std::less<>> portals_;
  /// Of a simple query's statement at work.
  std::optional<LoggedStatement> simple_;
  Columns simple_columns_;

  bool is_open_ = false;
  bool is_explicit_ = false;
  bool has_failed_ = false;
  bool is_doubtful_ = false;  ///< its end may be another than it seems
  std::uint64_t sequence_ = 0;
  std::size_t kept_bytes_ = 0;
  LoggedTransaction transaction_;
  std::string default_level_;  ///< of this session, if it set one
  std::string problem_;
  std::uint64_t unobserved_ = 0;  ///< results that were too large to keep
  std::uint64_t unknown_ = 0;     ///< statements that were
};

}  // namespace txscope::db
