#include "race/run/run.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "race/run/environment.h"
#include "race/run/process.h"
#include "race/run/waits.h"
#include "race/wire/lane.h"

namespace txscope::race {
namespace {

using Clock = std::chrono::steady_clock;

// Seconds asleep until one that has waited outside waits there again.
constexpr double kAgain = 0.1;

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

std::string trimmed(const std::string& text) {
  const char* spaces = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

/// A request at work: its process and its connections.
struct Actor {
  std::size_t request = 0;
  Listener listener;
  std::optional<Process> process;
  std::vector<Lane*> lanes;              ///< null: another's now
  std::vector<std::size_t> errors_seen;  ///< per lane
  std::string last_error;
  bool shares_lanes = false;  ///< of an application; they stay when it ends
  Clock::time_point last_sign = Clock::now();
  Clock::time_point last_look = Clock::now();
  bool is_outside = false;   ///< waits for something but the database
  bool was_outside = false;  ///< before, in this run

  [[nodiscard]] bool has(Lane::State state) const {
    return std::any_of(lanes.begin(), lanes.end(), [&](const Lane* lane) {
      return lane != nullptr && lane->state() == state;
    });
  }
  [[nodiscard]] bool has_ended() const {
    return process && process->has_ended() &&
           std::all_of(lanes.begin(), lanes.end(), [&](const Lane* lane) {
             return lane == nullptr || lane->state() == Lane::State::Gone ||
                    (shares_lanes && lane->state() == Lane::State::Idle);
           });
  }
  /// On its way to its next step, or to its end.
  [[nodiscard]] bool is_on_its_way() const {
    return process && !has_ended() && !has(Lane::State::Parked) &&
           !has(Lane::State::Working);
  }
  void add(Lane& lane) {
    const auto free = std::find(lanes.begin(), lanes.end(), nullptr);
    if (free == lanes.end()) {
      lanes.push_back(&lane);
      errors_seen.push_back(lane.errors().size());
      return;
    }
    *free = &lane;
    const auto at = static_cast<std::size_t>(free - lanes.begin());
    errors_seen[at] = lane.errors().size();
  }
  [[nodiscard]] bool listens() const {
    return std::any_of(lanes.begin(), lanes.end(), [](const Lane* lane) {
      return lane != nullptr && lane->listens();
    });
  }
  /// Between two steps, as far as its connections say.
  [[nodiscard]] bool is_moving() const {
    return has(Lane::State::Starting) || has(Lane::State::Closing) ||
           std::any_of(lanes.begin(), lanes.end(), [](const Lane* lane) {
             return lane != nullptr && lane->is_victim();
           });
  }
};

class Run {
 public:
  Run(const Plan& plan, const RunWorld& world, const Chooser& chooser)
      : plan_(plan), world_(world), chooser_(chooser) {}

  Result<RunTrace> run(const std::vector<bool>& participates) {
    if (auto ok = start(participates); !ok) return ok.error();
    while (!has_failed_) {
      if (!settle()) break;
      note_settled();
      std::vector<Choice> enabled = choices();
      trace_.enabled.push_back(enabled);
      if (enabled.empty()) {
        finish();
        break;
      }
      const auto choice = chooser_(trace_.events, enabled);
      if (!choice) {
        trace_.end = RunTrace::End::Stopped;
        break;
      }
      if (std::find(enabled.begin(), enabled.end(), *choice) == enabled.end()) {
        note_divergence(*choice);
        break;
      }
      take(*choice);
    }
    collect();
    return std::move(trace_);
  }

 private:
  void note_divergence(const Choice& choice) {
    const Actor& actor = actors_[choice.request];
    trace_.end = RunTrace::End::Diverged;
    trace_.is_blocked = actor.has(Lane::State::Working);
    const char* why = trace_.is_blocked   ? " waits for a lock"
                      : actor.has_ended() ? " has ended"
                                          : " does not come to it";
    trace_.problem = "step " + std::to_string(trace_.events.size() + 1) +
                     ": request " + plan_.requests[choice.request].name + why;
  }

  Result<Done> start(const std::vector<bool>& participates) {
    actors_.resize(plan_.requests.size());
    last_progress_ = Clock::now();
    if (world_.application != nullptr) world_.application->let_through(false);
    for (std::size_t i = 0; i < actors_.size() && !has_failed_; ++i) {
      Actor& actor = actors_[i];
      actor.request = i;
      actor.shares_lanes = world_.application != nullptr;
      auto listener = Listener::open();
      if (!listener) return listener.error();
      actor.listener = *std::move(listener);
      if (!participates[i]) continue;
      auto process = Process::start(plan_.requests[i].command, plan_.directory,
                                    environment(actor));
      if (!process) return process.error();
      actor.process.emplace(*std::move(process));
      actor.last_sign = last_progress_ = Clock::now();
      running_ = i;
      if (world_.application != nullptr) has_failed_ = !settle();
    }
    return Done{};
  }

  [[nodiscard]] Process::Environment environment(const Actor& actor) const {
    Process::Environment result = plan_.environment;
    for (auto& one : client_environment(
             world_.lane.product,
             {"127.0.0.1", std::to_string(actor.listener.port()), ""},
             world_.lane.database, world_.user))
      result.push_back(std::move(one));
    result.emplace_back("TRACEPARENT", "00-" + trace_id(actor.request) +
                                           "-0000000000000001-01");
    return result;
  }

  /// Of OpenTelemetry's kind; applications may put it into comments.
  static std::string trace_id(std::size_t request) {
    const std::string number = std::to_string(request + 1);
    return "74787363" + std::string(24 - number.size(), '0') + number;
  }

  // -- moving bytes -----------------------------------------------------------

  struct Watched {
    Actor* actor = nullptr;
    Lane* lane = nullptr;  ///< none: the listener and the process
  };

  /// Waits up to so long and moves what there is; whether anything happened.
  bool turn(int microseconds) {
    std::vector<pollfd> sockets;
    std::vector<Watched> watched;
    const auto watch = [&](int socket, short events, Watched what) {
      sockets.push_back({events != 0 ? socket : -1, events, 0});
      watched.push_back(what);
    };
    for (Actor& actor : actors_) {
      if (!actor.process) continue;
      watch(actor.listener.socket(), POLLIN, {&actor, nullptr});
      watch(actor.process->end_descriptor(), POLLIN, {&actor, nullptr});
      watch(actor.process->output_descriptor(), POLLIN, {&actor, nullptr});
    }
    const auto watch_lanes = [&](const auto& lanes) {
      for (const auto& lane : lanes) {
        watch(lane->client_socket(), lane->client_events(),
              {nullptr, lane.get()});
        watch(lane->server_socket(), lane->server_events(),
              {nullptr, lane.get()});
      }
    };
    if (Application* application = world_.application) {
      watch(application->listener().socket(), POLLIN, {});
      watch(application->process().end_descriptor(), POLLIN, {});
      watch(application->process().output_descriptor(), POLLIN, {});
      watch_lanes(application->lanes());
    }
    watch_lanes(own_lanes_);
    const timespec time = {microseconds / 1'000'000,
                           microseconds % 1'000'000 * 1000L};
    if (::ppoll(sockets.data(), sockets.size(), &time, nullptr) <= 0)
      return false;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      const Watched& what = watched[i];
      const bool is_lane = what.lane != nullptr;
      const short ready = sockets[i].revents;
      const short second = is_lane ? sockets[i + 1].revents : short{0};
      if (ready != 0 || second != 0) advance(what, ready, second);
      if (is_lane) ++i;
    }
    last_progress_ = Clock::now();
    return true;
  }

  void advance(const Watched& what, short ready, short second) {
    if (what.lane != nullptr) {
      what.lane->advance(ready, second);
      if (world_.application != nullptr) claim(*what.lane);
    }
    Actor* actor = what.lane != nullptr ? owner_of(*what.lane) : what.actor;
    if (actor == nullptr) {
      if (what.lane == nullptr) world_.application->advance();
      return;
    }
    actor->last_sign = Clock::now();
    actor->is_outside = false;
    if (what.lane == nullptr) advance_process(*actor);
  }

  [[nodiscard]] Actor* owner_of(const Lane& lane) {
    for (Actor& actor : actors_)
      if (std::find(actor.lanes.begin(), actor.lanes.end(), &lane) !=
          actor.lanes.end())
        return &actor;
    return nullptr;
  }

  /// A connection of a pool has sent something: for whom?
  void claim(Lane& lane) {
    if (lane.state() != Lane::State::Parked) {
      claimed_.erase(&lane);
      return;
    }
    if (!claimed_.insert(&lane).second) return;
    Actor* owner = owner_of(lane);
    if (owner != nullptr && lane.transaction() != 'I') return;
    Actor* claimant = claimant_of(lane, owner);
    if (claimant == nullptr || claimant == owner) return;
    if (owner != nullptr)
      std::replace(owner->lanes.begin(), owner->lanes.end(), &lane,
                   static_cast<Lane*>(nullptr));
    claimant->add(lane);
  }

  [[nodiscard]] Actor* claimant_of(const Lane& lane, Actor* owner) {
    for (const Statement& statement : lane.parked().statements)
      for (Actor& actor : actors_)
        if (statement.sql.find(trace_id(actor.request)) != std::string::npos)
          return &actor;
    const auto is_on_its_way = [&](Actor& actor) {
      return actor.is_on_its_way() ||
             (&actor == owner && actor.process && !actor.process->has_ended());
    };
    if (owner != nullptr && is_on_its_way(*owner)) return owner;
    if (is_on_its_way(actors_[running_])) return &actors_[running_];
    for (Actor& actor : actors_)
      if (is_on_its_way(actor)) return &actor;
    return owner != nullptr ? owner : &actors_[running_];
  }

  void advance_process(Actor& actor) {
    actor.process->advance();
    while (true) {
      Descriptor client = actor.listener.accept();
      if (!client.is_open()) break;
      own_lanes_.push_back(Lane::open(std::move(client), world_.lane));
      actor.add(*own_lanes_.back());
    }
  }

  // -- waiting until everybody waits ------------------------------------------

  [[nodiscard]] std::vector<Lane*> working() const {
    std::vector<Lane*> result;
    for (const Actor& actor : actors_)
      for (Lane* lane : actor.lanes)
        if (lane != nullptr && lane->state() == Lane::State::Working)
          result.push_back(lane);
    return result;
  }

  /// Whether nothing is to be expected of it unless others go on; lanes at
  /// work are judged by what they wait for.
  [[nodiscard]] static bool is_quiet(const Actor& actor) {
    if (!actor.process || actor.has_ended()) return true;
    if (actor.is_moving()) return false;
    return actor.has(Lane::State::Parked) || actor.has(Lane::State::Working) ||
           actor.is_outside;
  }

  /// False: it does not come to rest; trace_ says why.
  bool settle() {
    int seen = 0;
    int pause = 100;  // microseconds
    while (seen < 2) {
      if (turn(seen == 0 ? pause : 0)) {
        seen = 0;
        pause = 100;
        continue;
      }
      if (!can_go_on()) return false;
      pause = std::min(pause * 2, 5'000);
      const bool is_still =
          std::all_of(actors_.begin(), actors_.end(),
                      [](const Actor& a) { return is_quiet(a); });
      if (!is_still) {
        seen = 0;
        look_outside();
        continue;
      }
      const std::vector<Lane*> open = working();
      if (open.empty()) {
        blockers_.clear();
        return true;
      }
      if (!ask_who_waits(open) || may_end_by_itself(open)) {
        seen = 0;
        continue;
      }
      ++seen;
    }
    return true;
  }

  /// Nobody can go on, but a timeout of the client's or the server's may come.
  [[nodiscard]] bool may_end_by_itself(const std::vector<Lane*>& open) const {
    if (!choices().empty()) return false;
    const bool has_timeout =
        std::any_of(open.begin(), open.end(),
                    [](const Lane* lane) { return lane->has_timeout(); });
    return seconds_since(last_progress_) <
           (has_timeout ? world_.time_limit : world_.patience);
  }

  bool can_go_on() {
    if (world_.is_interrupted && world_.is_interrupted()) {
      trace_.end = RunTrace::End::Interrupted;
      return false;
    }
    if (seconds_since(last_progress_) < world_.time_limit) return true;
    trace_.end = RunTrace::End::Hung;
    trace_.problem = hang();
    return false;
  }

  [[nodiscard]] std::string hang() const {
    std::string names;
    for (const Actor& actor : actors_) {
      if (is_quiet(actor) || !actor.process) continue;
      names += (names.empty() ? "" : ", ") + plan_.requests[actor.request].name;
    }
    return (names.empty() ? "the requests" : names) + " did not go on for " +
           std::to_string(static_cast<int>(world_.time_limit)) + " s";
  }

  /// A request that sleeps, with nothing to expect from the database, waits
  /// for something else.
  void look_outside() {
    for (Actor& actor : actors_) {
      if (is_quiet(actor) || actor.is_moving()) continue;
      if (actor.process->has_ended()) continue;
      if (seconds_since(actor.last_look) < 0.05) continue;
      actor.last_look = Clock::now();
      if (!is_asleep(actor)) {
        actor.last_sign = Clock::now();
        continue;
      }
      const double patience =
          actor.was_outside || actor.listens() ? kAgain : world_.patience;
      if (seconds_since(actor.last_sign) < patience) continue;
      // If nobody else can go on, there is nothing but to wait.
      const bool others_can =
          std::any_of(actors_.begin(), actors_.end(), [&](const Actor& other) {
            return &other != &actor && other.has(Lane::State::Parked);
          });
      if (!others_can) continue;
      actor.is_outside = actor.was_outside = true;
      waited_outside_.insert(actor.request);
    }
  }

  [[nodiscard]] bool is_asleep(const Actor& actor) const {
    return actor.process->is_asleep() &&
           (world_.application == nullptr ||
            world_.application->process().is_asleep());
  }

  /// Whether all of these wait for each other's locks; remembers for whose.
  bool ask_who_waits(const std::vector<Lane*>& open) {
    std::vector<std::int64_t> backends;
    for (const Lane* lane : open) backends.push_back(lane->backend());
    auto answer = who_waits(*world_.control, world_.lane.product, backends);
    const bool all_wait = answer && are_blocked_by_us(*answer);
    blockers_ = all_wait ? *std::move(answer) : Blockers();
    return all_wait;
  }

  /// Who waits for a process of another run (safe snapshots do, whatever the
  /// database) or of somebody else's goes on without us.  Number 0 is a
  /// prepared transaction.
  [[nodiscard]] bool are_blocked_by_us(const Blockers& blockers) const {
    std::set<std::int64_t> ours = {0};
    for (const Actor& actor : actors_)
      for (const Lane* lane : actor.lanes)
        if (lane != nullptr) ours.insert(lane->backend());
    return std::all_of(blockers.begin(), blockers.end(), [&](const auto& one) {
      return std::includes(ours.begin(), ours.end(), one.second.begin(),
                           one.second.end());
    });
  }

  // -- choosing ---------------------------------------------------------------

  [[nodiscard]] std::vector<Choice> choices() const {
    std::vector<Choice> result = victims();
    if (!result.empty()) return result;
    for (const Actor& actor : actors_)
      for (std::size_t i = 0; i < actor.lanes.size(); ++i)
        if (has_state(actor, i, Lane::State::Parked))
          result.push_back({Choice::Kind::Step, actor.request, i});
    return result;
  }

  static bool has_state(const Actor& actor, std::size_t number,
                        Lane::State state) {
    return actor.lanes[number] != nullptr &&
           actor.lanes[number]->state() == state;
  }

  /// Whether it waits, by others, for itself.
  [[nodiscard]] bool is_in_circle(std::int64_t backend) const {
    std::set<std::int64_t> reached;
    std::vector<std::int64_t> todo = {backend};
    while (!todo.empty()) {
      const auto found = blockers_.find(todo.back());
      todo.pop_back();
      if (found == blockers_.end()) continue;
      for (const std::int64_t next : found->second) {
        if (next == backend) return true;
        if (reached.insert(next).second) todo.push_back(next);
      }
    }
    return false;
  }

  [[nodiscard]] std::vector<Choice> victims() const {
    std::vector<Choice> result;
    for (const Actor& actor : actors_)
      for (std::size_t i = 0; i < actor.lanes.size(); ++i)
        if (has_state(actor, i, Lane::State::Working) &&
            is_in_circle(actor.lanes[i]->backend()))
          result.push_back({Choice::Kind::Victim, actor.request, i});
    return result;
  }

  void take(const Choice& choice) {
    Lane& lane = *actors_[choice.request].lanes[choice.lane];
    Event event;
    event.choice = choice;
    if (choice.kind == Choice::Kind::Victim) {
      end_deadlock(lane);
    } else {
      event.statements = lane.parked().statements;
      lane.release();
      claimed_.erase(&lane);
    }
    running_ = choice.request;
    // What somebody waits for outside may come by this step.
    for (Actor& actor : actors_)
      if (std::exchange(actor.is_outside, false))
        actor.last_sign = Clock::now();
    actors_[choice.request].last_sign = last_progress_ = Clock::now();
    trace_.events.push_back(std::move(event));
  }

  void end_deadlock(Lane& lane) {
    std::string detail;
    for (const std::int64_t other : blockers_[lane.backend()])
      detail = "Process " + std::to_string(lane.backend()) +
               " waits for a lock; blocked by process " +
               std::to_string(other) + ".";
    lane.make_victim(detail);
    end_by_force(*world_.control, world_.lane.product, lane.backend(), true);
    // Until its answer comes nothing is settled: it is no longer waiting.
    blockers_.clear();
  }

  /// What the last event led to.
  void note_settled() {
    if (trace_.events.empty()) return;
    Event& event = trace_.events.back();
    for (Actor& actor : actors_) {
      note_errors(actor, event);
      for (std::size_t i = 0; i < actor.lanes.size(); ++i)
        if (actor.lanes[i] != nullptr)
          event.after.push_back(status_of(actor, i));
    }
    for (const LaneStatus& lane : event.after)
      event.waits = event.waits || (lane.is_waiting &&
                                    event.choice.kind == Choice::Kind::Step &&
                                    lane.request == event.choice.request &&
                                    lane.lane == event.choice.lane);
  }

  static LaneStatus status_of(const Actor& actor, std::size_t number) {
    const Lane& lane = *actor.lanes[number];
    return {actor.request,
            number,
            lane.transaction(),
            lane.state() == Lane::State::Working,
            lane.state() == Lane::State::Gone,
            lane.isolation(),
            lane.has_ended()};
  }

  static void note_errors(Actor& actor, Event& event) {
    for (std::size_t i = 0; i < actor.lanes.size(); ++i) {
      if (actor.lanes[i] == nullptr) continue;
      const auto& errors = actor.lanes[i]->errors();
      for (; actor.errors_seen[i] < errors.size(); ++actor.errors_seen[i]) {
        actor.last_error = errors[actor.errors_seen[i]];
        event.errors.emplace_back(actor.request, actor.last_error);
      }
    }
  }

  // -- the end ----------------------------------------------------------------

  void finish() {
    const bool all_ended =
        std::all_of(actors_.begin(), actors_.end(),
                    [](const Actor& a) { return !a.process || a.has_ended(); });
    trace_.end = all_ended ? RunTrace::End::Complete : RunTrace::End::Hung;
    if (all_ended) return;
    for (const Actor& actor : actors_)
      if (actor.process && !actor.has_ended())
        trace_.problem += (trace_.problem.empty() ? "" : "; ") +
                          plan_.requests[actor.request].name +
                          " waits for a lock that nobody gives back";
  }

  void collect() {
    trace_.requests.resize(plan_.requests.size());
    trace_.waited_outside.resize(plan_.requests.size(), false);
    for (const std::size_t request : waited_outside_)
      trace_.waited_outside[request] = true;
    for (Actor& actor : actors_) {
      if (!actor.process) continue;
      RequestEnd& end = trace_.requests[actor.request];
      end.printed = trimmed(actor.process->printed());
      end.has_ended = actor.process->has_ended();
      end.status = end.has_ended ? actor.process->status() : -1;
      end.complaint = actor.process->complaint();
      end.last_error = actor.last_error;
    }
  }

  const Plan& plan_;
  const RunWorld& world_;
  const Chooser& chooser_;
  std::vector<std::unique_ptr<Lane>> own_lanes_;  ///< not of an application
  std::vector<Actor> actors_;                     ///< by request
  std::set<const Lane*> claimed_;  ///< parked, and it is known for whom
  std::size_t running_ = 0;  ///< the request that was last let go or started
  bool has_failed_ = false;  ///< before the first choice; trace_ says why
  Blockers blockers_;
  std::set<std::size_t> waited_outside_;
  Clock::time_point last_progress_;
  RunTrace trace_;
};

}  // namespace

Result<RunTrace> run_requests(const Plan& plan,
                              const std::vector<bool>& participates,
                              const RunWorld& world, const Chooser& chooser) {
  return Run(plan, world, chooser).run(participates);
}

}  // namespace txscope::race
