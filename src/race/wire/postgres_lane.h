#pragma once

#include "race/wire/lane.h"

namespace txscope::race {

/// A lane in PostgreSQL's protocol.
class PostgresLane final : public Lane {
 public:
  PostgresLane(Descriptor client, LanePlan plan)
      : Lane(std::move(client), std::move(plan)), cutter_(plan_.rewrites) {}

 private:
  void take_client(std::string_view bytes) override;
  void take_server(std::string_view bytes) override;
  [[nodiscard]] bool is_silent_flight(const Flight& flight) const override;
  void note_sent(const Flight& flight) override;

  void take_startup();
  void forward_startup(std::string_view message);
  [[nodiscard]] std::string known_user(const std::string& asked) const;
  [[nodiscard]] std::string options_of(const std::string& user) const;
  void take_flights(std::string_view bytes);
  void take_answer(const db::WireSplitter::Message& message);

  std::string startup_;
  FlightCutter cutter_;
  db::WireSplitter answers_{std::size_t{1} << 30};
  // What is owed: 'Z' of a Query, Sync or call, 'C' of an Execute.
  bool skips_to_sync_ = false;
};

}  // namespace txscope::race
