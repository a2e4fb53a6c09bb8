#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/proxy/tap.h"
#include "db/proxy/wire.h"
#include "db/record/clock.h"
#include "db/record/log.h"

namespace txscope::db {

/// Listens to one connection between a client and PostgreSQL, from behind the
/// client's startup message on.
///
/// What a client asks stands in a queue until the server has answered it: the
/// server answers in order, and after an error skips to the next Sync.
/// ReadyForQuery says whether a transaction is open; an implicit one lasts
/// from the first statement to that.
class PostgresTap final : public Tap {
 public:
  PostgresTap(const Clock& clock, std::uint64_t session,
              const TapLimits& limits, Sink sink)
      : clock_(clock),
        session_(session),
        limits_(limits),
        sink_(std::move(sink)),
        from_client_(limits.message),
        from_server_(limits.message) {}

  void client(std::string_view bytes) override;
  void server(std::string_view bytes) override;
  void closed(bool by_server) override;

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
  void keep_statement(LoggedStatement statement);
  bool control(const LoggedStatement& statement, std::string_view tag);
  /// CopyInResponse, CopyOutResponse: rows follow.
  void copy_begins(WireReader& reader);
  void copy_data(const WireSplitter::Message& message);
  /// A COPY by the rows that were seen: INSERTs, or with the rows that came.
  [[nodiscard]] std::vector<LoggedStatement> with_copied(
      LoggedStatement statement);
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
  /// Of a COPY at work whose rows are text; none: not all of them were kept.
  std::optional<std::string> copied_;

  bool is_open_ = false;
  bool is_explicit_ = false;
  bool has_failed_ = false;
  bool is_doubtful_ = false;  ///< its end may be another than it seems
  std::uint64_t sequence_ = 0;
  std::size_t kept_bytes_ = 0;
  LoggedTransaction transaction_;
  std::string default_level_;  ///< of this session, if it set one
};

}  // namespace txscope::db
