#pragma once

#include "db/proxy/mariadb_answer.h"
#include "db/proxy/mariadb_packet.h"
#include "db/proxy/mariadb_prepared.h"
#include "race/wire/lane.h"

namespace txscope::race {

/// A lane in the protocol of MariaDB and MySQL.  A flight is a command.
class MariadbLane final : public Lane {
 public:
  MariadbLane(Descriptor client, LanePlan plan);

 private:
  void take_client(std::string_view bytes) override;
  void take_server(std::string_view bytes) override;
  [[nodiscard]] bool is_silent_flight(const Flight& flight) const override;
  void note_sent(const Flight& flight) override;

  void take_packet(const db::PacketSplitter::Packet& packet);
  void take_command(const db::PacketSplitter::Packet& packet);
  void take_answer(const db::PacketSplitter::Packet& packet);
  void take_login(const db::PacketSplitter::Packet& packet);
  [[nodiscard]] Flight flight_of(std::string_view payload);

  db::PacketSplitter from_client_;
  db::PacketSplitter from_server_;
  db::AnswerReader answer_;
  db::PreparedStatements prepared_;
  std::string before_;  ///< commands without an answer, before the next flight
  std::string preparing_;  ///< what the server is asked to prepare
  bool has_greeted_ = false;
  bool has_replied_ = false;
};

/// Whether a statement of MariaDB by itself commutes with everything; `works`:
/// in a transaction that did something, which some of them end.
[[nodiscard]] bool is_silent_in_mariadb(std::string_view sql, bool works);

}  // namespace txscope::race
