#include "db/record/recorder.h"

#include <poll.h>

#include <algorithm>
#include <charconv>

#include "db/keeper.h"
#include "db/record/record_client.h"
#include "db/record/write_log.h"

namespace txscope::db {
namespace {

constexpr std::int64_t kReconnectEvery = 200'000;  // microseconds
constexpr std::int64_t kReconnectFor = 30'000'000;
constexpr std::int64_t kDrainFor = 2'000'000;

/// Server time minus ours, from the quickest of a few questions.
std::int64_t server_offset(Session& session, const Clock& clock) {
  std::int64_t best = 0;
  std::int64_t shortest = -1;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = clock.now();
    const Answer answer = session.execute(
        "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    const std::int64_t after = clock.now();
    if (answer.rows.size() != 1 || !answer.rows[0][0]) break;
    const std::string& text = *answer.rows[0][0];
    std::int64_t server = 0;
    std::from_chars(text.data(), text.data() + text.size(), server);
    if (shortest >= 0 && after - before >= shortest) continue;
    shortest = after - before;
    best = server - (before + after) / 2;
  }
  return best;
}

class Recording {
 public:
  Recording(const RecordPlan& plan, const RecordWorld& world)
      : plan_(plan), world_(world) {}

  Result<RecordCounts> run() {
    for (std::uint64_t i = 0; i < plan_.clients; ++i) {
      clients_.push_back(std::make_unique<RecordClient>(plan_, clock_, i,
                                                        world_.make_actor(i)));
      auto done = reconnect(*clients_.back());
      if (!done) return done.error();
    }
    while (is_active()) {
      auto done = round();
      if (!done) return done.error();
    }
    // Nothing is in doubt that was not: these are still at work after a stop.
    for (auto& client : clients_) {
      if (client->is_idle()) continue;
      if (world_.end_session) world_.end_session(*client->session());
      keep(client->abandon());
    }
    if (!world_.file->flush()) return cannot_write();
    counts_.seconds = static_cast<double>(clock_.now()) / 1e6;
    return counts_;
  }

 private:
  [[nodiscard]] bool is_active() const {
    if (stopped_at_ >= 0 && clock_.now() - stopped_at_ > kDrainFor)
      return false;
    return std::any_of(clients_.begin(), clients_.end(), [&](const auto& c) {
      return !c->is_idle() || (stopped_at_ < 0 && !c->is_finished());
    });
  }

  Result<Done> reconnect(RecordClient& client) {
    auto session = world_.connect();
    if (!session) return session.error();
    if (plan_.has_commit_times)
      client.set_server_offset(server_offset(**session, clock_));
    client.connect(*std::move(session), ++sessions_);
    return Done{};
  }

  /// A client without a connection tries again now and then.
  Result<Done> repair(RecordClient& client) {
    const std::int64_t now = clock_.now();
    if (now < next_repair_) return Done{};
    next_repair_ = now + kReconnectEvery;
    auto done = reconnect(client);
    if (done) {
      ++counts_.reconnections;
      broken_since_ = -1;
      return Done{};
    }
    if (broken_since_ < 0) broken_since_ = now;
    if (now - broken_since_ < kReconnectFor) return Done{};
    return done.error();
  }

  Result<Done> round() {
    is_waiting_ = true;
    for (auto& client : clients_) {
      if (client->is_idle()) {
        auto done = start(*client);
        if (!done) return done.error();
      }
      if (client->is_idle() || !client->session()->is_answered()) continue;
      is_waiting_ = false;
      auto ended = client->advance();
      if (!client->actor().problem().empty())
        return failure(client->actor().problem());
      if (ended) keep(*std::move(ended));
      if (!world_.file->is_good()) return cannot_write();
    }
    if (is_waiting_) wait();
    return Done{};
  }

  Result<Done> start(RecordClient& client) {
    if (client.is_finished() || is_stopped()) return Done{};
    if (!client.is_connected()) return repair(client);
    if (plan_.rate > 0) {
      const auto due = static_cast<std::int64_t>(static_cast<double>(started_) *
                                                 1e6 / plan_.rate);
      if (clock_.now() < due) return Done{};
      ++started_;
    }
    client.begin();
    return Done{};
  }

  [[nodiscard]] bool is_stopped() const { return stopped_at_ >= 0; }

  /// Until something is answered.  SQLite has no socket; it is asked again.
  void wait() {
    std::vector<pollfd> sockets;
    bool is_blind = false;
    for (const auto& client : clients_) {
      if (client->is_idle()) continue;
      const int socket = client->session()->socket();
      if (socket >= 0)
        sockets.push_back({socket, POLLIN, 0});
      else
        is_blind = true;
    }
    const bool is_idle = sockets.size() < clients_.size();
    ::poll(sockets.data(), sockets.size(), is_blind || is_idle ? 1 : 100);
    ask();
  }

  void keep(LoggedTransaction transaction) {
    switch (transaction.status) {
      case LoggedTransaction::Status::Committed: ++counts_.committed; break;
      case LoggedTransaction::Status::Aborted: ++counts_.aborted; break;
      case LoggedTransaction::Status::Unknown: ++counts_.unknown; break;
    }
    counts_.statements += transaction.statements.size();
    if (world_.redactor != nullptr) world_.redactor->redact(transaction);
    world_.file->write(plan_.is_history ? history_line(transaction)
                                        : log_line(transaction));
    counts_.retries = 0;
    for (const auto& client : clients_) counts_.retries += client->retries();
    ask();
  }

  void ask() {
    if (stopped_at_ < 0 && world_.on_progress && !world_.on_progress(counts_))
      stopped_at_ = clock_.now();
  }

  [[nodiscard]] Error cannot_write() const {
    return Error{Place{world_.file->path(), 0, 0, {}},
                 "cannot write: " + world_.file->error(),
                 "the " + std::to_string(world_.file->bytes()) +
                     " bytes before are whole lines",
                 ""};
  }

  const RecordPlan& plan_;
  const RecordWorld& world_;
  Clock clock_;
  std::vector<std::unique_ptr<RecordClient>> clients_;
  RecordCounts counts_;
  std::uint64_t sessions_ = 0;
  std::uint64_t started_ = 0;
  bool is_waiting_ = false;
  std::int64_t stopped_at_ = -1;
  std::int64_t next_repair_ = 0;
  std::int64_t broken_since_ = -1;
};

}  // namespace

Result<RecordCounts> record(const RecordPlan& plan, const RecordWorld& world) {
  return Recording(plan, world).run();
}

}  // namespace txscope::db
