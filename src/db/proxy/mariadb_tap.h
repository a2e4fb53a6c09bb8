#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "db/proxy/mariadb_answer.h"
#include "db/proxy/mariadb_login.h"
#include "db/proxy/mariadb_packet.h"
#include "db/proxy/mariadb_prepared.h"
#include "db/proxy/mariadb_text.h"
#include "db/proxy/mariadb_values.h"
#include "db/proxy/tap.h"
#include "db/record/clock.h"

namespace txscope::db {

/// What a tap knows of the server before the first client comes.
struct MariadbWorld {
  MariadbNames names;
  MariadbMode mode;
  std::uint64_t increment = 1;  ///< from one generated number to the next
};

/// Listens to one connection between a client and MariaDB or MySQL, from the
/// server's greeting on.
///
/// The server answers commands in order.  Its answers say whether a
/// transaction is open; what runs by itself is one of its own.  Statements are
/// told in the words of a log (log_words); those that a client runs while it is
/// in another database are not.
class MariadbTap final : public Tap {
 public:
  MariadbTap(const Clock& clock, std::uint64_t session, const TapLimits& limits,
             const MariadbWorld& world, Sink sink)
      : clock_(clock),
        session_(session),
        limits_(limits),
        world_(world),
        sink_(std::move(sink)),
        mode_(world.mode),
        from_client_(limits.message),
        from_server_(limits.message) {}

  void client(std::string_view bytes) override;
  void server(std::string_view bytes) override;
  void closed(bool by_server) override;

 private:
  struct Asked {
    Command command = Command::Query;
    std::string payload;
    bool is_large = false;
    std::int64_t at = 0;
  };
  using Pieces = std::vector<MariadbPiece>;

  void take_client(const PacketSplitter::Packet& packet);
  void take_server(const PacketSplitter::Packet& packet);
  void logged_in();
  /// Commands that the server does not answer are done at once.
  void start();
  void start_statements(const Asked& asked);
  void answered(const AnswerReader::Event& event);
  void note_result(const AnswerReader::Event& event);
  void note_failure(const AnswerReader::Event& event);
  void note_column(std::string_view payload);
  void note_row(std::string_view payload, bool is_whole);
  /// The statement that the server works on.
  [[nodiscard]] const Pieces* current() const;
  [[nodiscard]] LoggedStatement described() const;
  void finish_statement(LoggedStatement statement);

  void open();
  /// It neither reads nor writes tables of the log, or has to do with accounts.
  [[nodiscard]] static bool is_idle(const Pieces& pieces);
  /// What a statement that was done means for the transaction.
  [[nodiscard]] bool is_control(const Pieces& pieces);
  void note_level(const Pieces& pieces);
  void end(LoggedTransaction::Status status);
  void give_up(std::string problem);
  [[nodiscard]] bool is_elsewhere() const {
    return database_ != world_.names.database;
  }

  const Clock& clock_;
  std::uint64_t session_;
  TapLimits limits_;
  const MariadbWorld& world_;
  Sink sink_;
  MariadbMode mode_;
  PacketSplitter from_client_;
  PacketSplitter from_server_;
  AnswerReader answers_;
  PreparedStatements prepared_;

  bool has_greeted_ = false;
  bool has_replied_ = false;
  bool is_in_ = false;  ///< the server has let the client in
  LoginWish wish_;
  std::string database_;

  std::deque<Asked> asked_;
  bool is_started_ = false;  ///< the first of them
  std::vector<Pieces> texts_;
  std::size_t next_ = 0;  ///< of these
  std::vector<LoggedValue> params_;
  std::vector<ColumnDefinition> columns_;
  std::vector<std::vector<Cell>> rows_;
  bool has_all_rows_ = true;

  bool is_open_ = false;
  bool is_explicit_ = false;  ///< more statements follow
  bool is_doubtful_ = false;
  std::uint64_t sequence_ = 0;
  std::size_t kept_bytes_ = 0;
  LoggedTransaction transaction_;
  std::string level_;       ///< of this session, if it set one
  std::string next_level_;  ///< of its next transaction alone
};

}  // namespace txscope::db
