#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/product/product.h"
#include "race/run/schedule.h"
#include "race/wire/flight.h"
#include "race/wire/sockets.h"

namespace txscope::race {

/// Where a lane leads, and what it changes on the way.
struct LanePlan {
  Product product = Product::PostgreSql;
  Endpoint server;
  /// What the client gets, whatever it asks for.
  std::string database;
  /// Who it is, if it names none of `roles`; empty: whom it names.
  std::string user;
  /// Those that the server knows, and what a connection of each has before it
  /// asks for anything, as PGOPTIONS.
  const std::map<std::string, std::string>* roles = nullptr;
  /// A statement, and what is sent instead.
  const Rewrites* rewrites = nullptr;
  /// Of transactions that ask for nothing; empty: what the server has.
  std::string isolation;
};

/// One connection of a request, held between the client and the server.  What
/// the server says passes at once; what the client sends stops at each flight
/// that does something, until it is let go.  Each protocol has its own kind.
class Lane {
 public:
  [[nodiscard]] static std::unique_ptr<Lane> open(Descriptor client,
                                                  LanePlan plan);
  virtual ~Lane() = default;

  enum class State : std::uint8_t {
    Starting,  ///< until the server is ready for the first time
    Idle,      ///< nothing sent, nothing owed
    Parked,    ///< a flight waits for us
    Working,   ///< the server owes an answer
    Closing,   ///< the client is gone, the server not yet
    Gone,
  };
  [[nodiscard]] State state() const;

  [[nodiscard]] int client_socket() const { return client_.get(); }
  [[nodiscard]] int server_socket() const { return server_.get(); }
  [[nodiscard]] short client_events() const;
  [[nodiscard]] short server_events() const;
  /// Moves what can be moved.
  void advance(short client_ready, short server_ready);

  /// Nothing stops any more, or again does: between runs of an application that
  /// keeps its connections.
  void let_through(bool all);

  /// The flight that waits; State::Parked.
  [[nodiscard]] const Flight& parked() const { return waiting_.front(); }
  void release();
  /// What was let through since this was last asked, as far as a script of the
  /// steps needs it: BEGIN, SET, SAVEPOINT.
  [[nodiscard]] std::vector<Statement> take_passed() {
    return std::exchange(passed_, {});
  }
  /// The deadlock that this lane is in ends here: what the server says next
  /// to a cancelled statement is told as the deadlock that it is.
  void make_victim(std::string detail) { victim_ = std::move(detail); }

  /// The server has not told it yet.
  [[nodiscard]] bool is_victim() const { return victim_.has_value(); }

  [[nodiscard]] std::int64_t backend() const { return backend_; }
  /// SQLSTATEs that the server sent, in order.
  [[nodiscard]] const std::vector<std::string>& errors() const {
    return errors_;
  }
  /// 'I': no transaction, 'T': in one, 'E': in one that failed.
  [[nodiscard]] char transaction() const { return transaction_; }
  /// Whether the server has said since the last release that no transaction is
  /// open, even if the next one was begun by now.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// Whether the client ever spoke of one: a wait may end by itself.
  [[nodiscard]] bool has_timeout() const { return has_timeout_; }
  /// Whether it may wait for a message of others.
  [[nodiscard]] bool listens() const { return listens_; }
  /// The strictest that the client ever spoke of.
  [[nodiscard]] Isolation isolation() const { return isolation_; }

 protected:
  Lane(Descriptor client, LanePlan plan)
      : client_(std::move(client)), plan_(std::move(plan)) {}

  virtual void take_client(std::string_view bytes) = 0;
  virtual void take_server(std::string_view bytes) = 0;
  /// What commutes with everything is let through.
  [[nodiscard]] virtual bool is_silent_flight(const Flight& flight) const = 0;
  /// It is with the server, which owes an answer.
  virtual void note_sent(const Flight& flight) = 0;

  /// At levels, timeouts and messages that the client asks for.
  void look_for_settings(std::string_view text);
  void client_left();
  void note_passed(Statement statement) {
    passed_.push_back(std::move(statement));
  }

  Descriptor client_;
  Descriptor server_;
  LanePlan plan_;
  std::string to_server_;
  std::string to_client_;
  std::deque<Flight> waiting_;
  /// One for each answer that the server owes; which, the protocol knows.
  std::deque<char> owed_;
  bool is_copying_ = false;  ///< the server takes rows of the client
  bool is_started_ = false;  ///< the server knows of the client
  bool is_ready_ = false;
  bool client_gone_ = false;
  bool has_worked_ = false;  ///< in the open transaction
  char transaction_ = 'I';
  bool has_ended_ = false;
  Isolation isolation_ = Isolation::Committed;
  bool has_timeout_ = false;
  bool listens_ = false;
  std::int64_t backend_ = 0;
  std::vector<std::string> errors_;
  std::optional<std::string> victim_;

 private:
  void read_client();
  void read_server();
  [[nodiscard]] bool passes(const Flight& flight) const;
  void pass();
  void send(const Flight& flight);
  void server_left();

  bool lets_through_ = false;
  std::vector<Statement> passed_;
};

}  // namespace txscope::race
