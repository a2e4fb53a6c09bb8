#include "race/run/run.h"

#include <poll.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "race/run/actor.h"
#include "race/run/claims.h"
#include "race/run/environment.h"
#include "race/run/process.h"
#include "race/run/waits.h"
#include "race/wire/lane.h"

namespace txscope::race {
namespace {

// Seconds asleep until one that has waited outside waits there again.
constexpr double kAgain = 0.1;

std::string trimmed(const std::string& text) {
  const char* spaces = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

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
      actor.stillness.restart();
      stillness_.restart();
      running_ = i;
      if (world_.application != nullptr) has_failed_ = !settle();
    }
    return Done{};
  }

  [[nodiscard]] Process::Environment environment(const Actor& actor) const {
    Process::Environment result = environment_of(
        plan_, {"127.0.0.1", std::to_string(actor.listener.port()), ""},
        world_.lane.database, world_.user);
    result.emplace_back("TRACEPARENT", "00-" + trace_id(actor.request) +
                                           "-0000000000000001-01");
    return result;
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
    stillness_.restart();
    return true;
  }

  void advance(const Watched& what, short ready, short second) {
    if (what.lane != nullptr) {
      what.lane->advance(ready, second);
      if (world_.application != nullptr) claims_.look_at(*what.lane, running_);
    }
    Actor* actor =
        what.lane != nullptr ? claims_.owner_of(*what.lane) : what.actor;
    if (actor == nullptr) {
      if (what.lane == nullptr) world_.application->advance();
      return;
    }
    actor->stillness.restart();
    actor->is_outside = false;
    if (what.lane == nullptr) advance_process(*actor);
  }

  void advance_process(Actor& actor) {
    actor.process->advance();
    while (true) {
      Descriptor client = actor.listener.accept();
      if (!client.is_open()) break;
      own_lanes_.push_back(Lane::open(std::move(client), world_.lane));
      actor.add(*own_lanes_.back());
      // Where the server is gone, nothing will come from either side.
      own_lanes_.back()->advance(0, 0);
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
                      [](const Actor& a) { return a.is_quiet(); });
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
    return stillness_.seconds() <
           (has_timeout ? world_.time_limit : world_.patience);
  }

  bool can_go_on() {
    if (world_.is_interrupted && world_.is_interrupted()) {
      trace_.end = RunTrace::End::Interrupted;
      return false;
    }
    if (stillness_.is_due()) stillness_.look(activity());
    if (stillness_.seconds() < world_.time_limit) return true;
    trace_.end = RunTrace::End::Hung;
    trace_.problem = hang();
    return false;
  }

  /// Of all that is still at work, on both sides.
  [[nodiscard]] Activity activity() const {
    Activity result;
    for (const Actor& actor : actors_)
      if (actor.process && !actor.process->has_ended())
        result.add(actor.process->activity());
    if (world_.application != nullptr)
      result.add(world_.application->process().activity());
    if (!world_.shares_machine) return result;
    std::vector<pid_t> backends;
    for (const Lane* lane : working())
      backends.push_back(static_cast<pid_t>(lane->backend()));
    result.add(activity_of(backends));
    return result;
  }

  [[nodiscard]] std::string hang() const {
    std::string names;
    for (const Actor& actor : actors_) {
      if (actor.is_quiet() || !actor.process) continue;
      names += (names.empty() ? "" : ", ") + plan_.requests[actor.request].name;
    }
    return (names.empty() ? "the requests" : names) + " did not go on for " +
           std::to_string(static_cast<int>(world_.time_limit)) + " s";
  }

  /// A request that sleeps, with nothing to expect from the database, waits
  /// for something else.
  void look_outside() {
    for (Actor& actor : actors_) {
      if (actor.is_quiet() || actor.is_moving()) continue;
      if (actor.process->has_ended()) continue;
      if (!actor.stillness.is_due()) continue;
      const Activity activity = activity_of_both(actor);
      if (!activity.is_asleep) actor.stillness.restart();
      if (!activity.is_asleep) continue;
      actor.stillness.look(activity);
      const double patience =
          actor.was_outside || actor.listens() ? kAgain : world_.patience;
      if (actor.stillness.seconds() < patience) continue;
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

  [[nodiscard]] Activity activity_of_both(const Actor& actor) const {
    Activity result = actor.process->activity();
    if (world_.application != nullptr)
      result.add(world_.application->process().activity());
    return result;
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
    return are_all_among(blockers, ours);
  }

  // -- choosing ---------------------------------------------------------------

  [[nodiscard]] std::vector<Choice> choices() const {
    std::vector<Choice> result = victims();
    if (!result.empty()) return result;
    for (const Actor& actor : actors_)
      for (std::size_t i = 0; i < actor.lanes.size(); ++i)
        if (actor.has(i, Lane::State::Parked))
          result.push_back({Choice::Kind::Step, actor.request, i});
    return result;
  }

  [[nodiscard]] std::vector<Choice> victims() const {
    std::vector<Choice> result;
    for (const Actor& actor : actors_)
      for (std::size_t i = 0; i < actor.lanes.size(); ++i)
        if (actor.has(i, Lane::State::Working) &&
            is_in_circle(blockers_, actor.lanes[i]->backend()))
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
      event.before = lane.take_passed();
      event.statements = lane.parked().statements;
      lane.release();
      claims_.release(lane);
    }
    running_ = choice.request;
    // What somebody waits for outside may come by this step.
    for (Actor& actor : actors_)
      if (std::exchange(actor.is_outside, false)) actor.stillness.restart();
    actors_[choice.request].stillness.restart();
    stillness_.restart();
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
    for (Actor& actor : actors_) actor.tell(event);
    for (const LaneStatus& lane : event.after)
      event.waits = event.waits || (lane.is_waiting &&
                                    event.choice.kind == Choice::Kind::Step &&
                                    lane.request == event.choice.request &&
                                    lane.lane == event.choice.lane);
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
  Claims claims_{actors_};
  std::size_t running_ = 0;  ///< the request that was last let go or started
  bool has_failed_ = false;  ///< before the first choice; trace_ says why
  Blockers blockers_;
  std::set<std::size_t> waited_outside_;
  Stillness stillness_;  ///< of the whole run
  RunTrace trace_;
};

}  // namespace

Result<RunTrace> run_requests(const Plan& plan,
                              const std::vector<bool>& participates,
                              const RunWorld& world, const Chooser& chooser) {
  return Run(plan, world, chooser).run(participates);
}

}  // namespace txscope::race
