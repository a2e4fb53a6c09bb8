#include "db/live/live_driver.h"

#include <poll.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/random.h"

namespace txscope::db {
namespace {

/// One alternative at a point of a run.
struct Choice {
  std::uint32_t session = 0;
  bool is_victim = false;
  std::uint32_t transaction = 0;  ///< of a victim: its number in the session
  bool has_waited = false;        ///< of a victim: before the cycle closed
  friend bool operator==(const Choice&, const Choice&) = default;
};

struct Point {
  std::vector<Choice> alternatives;
  std::size_t taken = 0;
};

class Run {
 public:
  Run(LiveDatabase& database, LiveClients clients, const LiveOptions& options,
      int patience)
      : database_(database),
        clients_(std::move(clients)),
        options_(options),
        patience_(patience),
        lanes_(clients_.size()) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (auto session = database_.session(i))
        sessions_.push_back(*session);
      else
        problem_ = session.error().what;
    }
  }

  /// Goes along `path` and on from its end, appending points; `choose` picks
  /// one of several alternatives beyond the path.
  enum class End { Complete, Deadlock, Impatient, Surprise };
  End go(std::vector<Point>& path,
         const std::function<std::size_t(std::size_t)>& choose) {
    for (const Point& point : path) {
      const Choice& choice = point.alternatives[point.taken];
      if (choice.is_victim)
        timeouts_[{choice.session, choice.transaction}] =
            (choice.has_waited ? 20 : 2) << patience_;
    }
    for (std::size_t depth = 0;; ++depth) {
      std::vector<Choice> alternatives = choices();
      if (!problem_.empty()) return End::Complete;
      if (alternatives.empty()) return End::Complete;
      if (depth < path.size()) {
        if (path[depth].alternatives != alternatives) return End::Surprise;
      } else {
        const std::size_t taken =
            alternatives.size() == 1 ? 0 : choose(alternatives.size());
        path.push_back({std::move(alternatives), taken});
        // The victim needs its short timeout from the start.
        if (path.back().alternatives[0].is_victim) return End::Deadlock;
      }
      const Choice choice = path[depth].alternatives[path[depth].taken];
      if (!choice.is_victim)
        step(choice.session);
      else if (!await_victim(choice.session))
        return End::Impatient;
    }
  }

  /// Leaves no transaction behind.
  void finish() {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      if (sessions_[i]->is_pending()) {
        database_.server().cancel(*sessions_[i]);
        sessions_[i]->receive();
      }
      if (lanes_[i].is_open) sessions_[i]->execute("ROLLBACK");
    }
  }

  LiveRun& run() { return run_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }
  const LiveClients& clients() const { return clients_; }

 private:
  struct Lane {
    bool is_open = false;  ///< BEGIN was sent
    bool is_waiting = false;
    LiveRequest::Kind sent = LiveRequest::Kind::Done;
    std::string sql;
    std::uint32_t transactions = 0;
  };

  void step(std::uint32_t i) {
    run_.schedule.push_back(i);
    Lane& lane = lanes_[i];
    if (!lane.is_open) begin(i);
    LiveRequest request = clients_[i]->next();
    for (; request.kind == LiveRequest::Kind::Silent;
         request = clients_[i]->next()) {
      const Answer answer = sessions_[i]->execute(request.sql);
      expect_ok(answer, request.sql);
      clients_[i]->answer(answer);
    }
    lane.sent = request.kind;
    lane.sql = request.sql;
    run_.transactions.push_back(lane.transactions);
    sessions_[i]->send(request.sql);
    settle_all();
  }

  void begin(std::uint32_t i) {
    Lane& lane = lanes_[i];
    std::string text = begin_text(clients_[i]->level());
    if (const auto found = timeouts_.find({i, lane.transactions});
        found != timeouts_.end())
      text += "; SET LOCAL deadlock_timeout = " + std::to_string(found->second);
    const Answer begun = sessions_[i]->execute(text);
    expect_ok(begun, text);
    lane.is_open = true;
    ++lane.transactions;
  }

  void expect_ok(const Answer& answer, const std::string& sql) {
    if (!answer.is_ok() && problem_.empty())
      problem_ = sql + ": " + answer.message;
  }

  void tell_commit() {
    if (const auto state = database_.state())
      options_.on_commit(*state);
    else
      problem_ = state.error().what;
  }

  void settle_all() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      const std::vector<bool> waits = settle(database_.server(), sessions_);
      for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
        if (!sessions_[i]->is_pending()) continue;
        if (!waits[i])
          goes_on |= take_answer(i);
        else if (!lanes_[i].is_waiting)
          note(i, "waits");
        lanes_[i].is_waiting = waits[i];
      }
    }
  }

  /// Whether it has rolled something back, so that others may go on.
  bool take_answer(std::uint32_t i) {
    Lane& lane = lanes_[i];
    const Answer answer = sessions_[i]->receive();
    note(i, answer.is_ok()
                ? std::to_string(answer.count) + " row(s)" + in_words(answer)
                : "error " + answer.code + " " + answer.message);
    if (!answer.is_ok() || lane.sent != LiveRequest::Kind::Statement) {
      std::size_t waiting = 0;
      for (const Lane& other : lanes_)
        waiting += &other != &lane && other.is_waiting ? 1 : 0;
      run_.has_race = run_.has_race || waiting > 1;
    }
    if (!answer.is_ok()) {
      if (const std::string text = clients_[i]->recover(answer);
          !text.empty()) {
        const Answer back = sessions_[i]->execute(text);
        expect_ok(back, text);
        return true;
      }
      sessions_[i]->execute("ROLLBACK");
      lane.is_open = false;
    } else if (lane.sent != LiveRequest::Kind::Statement) {
      lane.is_open = false;
      database_.server().tidy_up();
      if (lane.sent == LiveRequest::Kind::Commit && options_.on_commit)
        tell_commit();
    }
    clients_[i]->answer(answer);
    return !answer.is_ok();
  }

  static std::string in_words(const Answer& answer) {
    std::string text;
    for (const auto& row : answer.rows) {
      text += " (";
      for (std::size_t c = 0; c < row.size(); ++c)
        text += (c > 0 ? "," : "") + row[c].value_or("NULL");
      text += ")";
    }
    return text;
  }

  void note(std::uint32_t i, const std::string& what) {
    run_.trace.push_back(std::to_string(i) + ": " + lanes_[i].sql +
                         (lanes_[i].is_waiting ? " (continues)" : "") + " -> " +
                         what);
  }

  std::vector<Choice> choices() {
    for (;;) {
      std::size_t waiting = 0;
      for (const Lane& lane : lanes_) waiting += lane.is_waiting ? 1 : 0;
      if (waiting > 1) {
        std::vector<Choice> victims = deadlocked();
        if (!victims.empty()) return victims;
      }
      std::vector<Choice> result;
      for (std::uint32_t i = 0; i < lanes_.size(); ++i)
        if (!lanes_[i].is_waiting &&
            clients_[i]->next().kind != LiveRequest::Kind::Done)
          result.push_back({i});
      if (!result.empty() || waiting == 0) return result;
      // All wait: the server is about to end a deadlock.
      if (!await_answer(10'000)) {
        problem_ = "all sessions wait for one another";
        return {};
      }
      settle_all();
    }
  }

  /// The sessions that wait for one another in a circle.
  std::vector<Choice> deadlocked() {
    const auto edges = database_.server().waits_for(sessions_);
    std::vector<Choice> victims;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
      std::set<std::size_t> reached(edges[i].begin(), edges[i].end());
      for (std::vector<std::size_t> open(reached.begin(), reached.end());
           !open.empty();) {
        const std::size_t at = open.back();
        open.pop_back();
        for (const std::size_t to : edges[at])
          if (reached.insert(to).second) open.push_back(to);
      }
      if (reached.count(i) == 1)
        victims.push_back(
            {i, true, lanes_[i].transactions - 1, run_.schedule.back() != i});
    }
    return victims;
  }

  bool await_answer(int milliseconds) {
    std::vector<pollfd> sockets;
    for (const Session* session : sessions_)
      if (session->is_pending())
        sockets.push_back({session->socket(), POLLIN, 0});
    return ::poll(sockets.data(), sockets.size(), milliseconds) > 0;
  }

  /// Whether the deadlock ended in time.  Not: the victim looked for one before
  /// it was there, and will not look again.
  bool await_victim(std::uint32_t victim) {
    if (!await_answer(200 << patience_)) return false;
    settle_all();
    return !lanes_[victim].is_waiting;
  }

  LiveDatabase& database_;
  LiveClients clients_;
  const LiveOptions& options_;
  int patience_;
  std::vector<Lane> lanes_;
  std::vector<Session*> sessions_;
  /// Milliseconds, by session and number of its transaction.
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> timeouts_;
  LiveRun run_;
  std::string problem_;  ///< the first; then nothing goes on
};

/// Cuts the path after the last point that has an alternative left and takes
/// that; false: there is none.
bool advance(std::vector<Point>& path) {
  while (!path.empty()) {
    Point& last = path.back();
    if (++last.taken < last.alternatives.size()) return true;
    path.pop_back();
  }
  return false;
}

}  // namespace

LiveSummary run_interleavings(
    LiveDatabase& database, const std::function<LiveClients()>& make_clients,
    const LiveOptions& options,
    const std::function<bool(const LiveRun&, const LiveClients&)>& on_run) {
  LiveSummary summary;
  Random random(options.seed);
  const bool is_random = options.random_runs > 0;
  const auto choose = [&](std::size_t count) -> std::size_t {
    return is_random ? random.below(count) : 0;
  };
  std::vector<Point> path;
  int patience = 0;
  for (;;) {
    summary.problem = database.reset();
    if (!summary.problem.empty()) return summary;
    Run run(database, make_clients(), options, patience);
    const std::size_t known = path.size();
    const Run::End end = run.go(path, choose);
    summary.problem = run.problem();
    if (end == Run::End::Complete && summary.problem.empty()) {
      if (auto state = database.state())
        run.run().final = *std::move(state);
      else
        summary.problem = state.error().what;
    }
    run.finish();
    if (!summary.problem.empty()) return summary;
    if (end == Run::End::Deadlock) continue;
    if ((end == Run::End::Impatient || end == Run::End::Surprise) &&
        patience < 6) {
      ++patience;
      path.resize(known);
      continue;
    }
    patience = 0;
    if (end == Run::End::Complete) {
      ++summary.interleavings;
      summary.races += run.run().has_race ? 1 : 0;
      if (!on_run(run.run(), run.clients())) {
        summary.is_exhaustive = false;
        return summary;
      }
    } else {
      ++summary.surprises;
    }
    if (is_random) {
      path.clear();
      if (summary.interleavings + summary.surprises >= options.random_runs) {
        summary.is_exhaustive = false;
        return summary;
      }
      continue;
    }
    if (!advance(path)) return summary;
    if (summary.interleavings >= options.limit) {
      summary.is_exhaustive = false;
      return summary;
    }
  }
}

}  // namespace txscope::db
