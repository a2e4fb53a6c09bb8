#include "race/run/application.h"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include "db/keeper.h"
#include "race/run/environment.h"
#include "race/run/waits.h"

namespace txscope::race {
namespace {

using Ticks = std::chrono::steady_clock;

constexpr double kLongestStart = 120;  // seconds; a JVM takes ten
constexpr double kLongestDrain = 10;

double since(Ticks::time_point then) {
  return std::chrono::duration<double>(Ticks::now() - then).count();
}

}  // namespace

Result<std::unique_ptr<Application>> Application::start(
    const Plan& plan, LanePlan lane, const std::string& user) {
  std::unique_ptr<Application> result(new Application());
  auto listener = Listener::open();
  if (!listener) return listener.error();
  result->listener_ = *std::move(listener);
  result->lane_ = std::move(lane);
  const Process::Environment environment = environment_of(
      plan, {"127.0.0.1", std::to_string(result->listener_.port()), ""},
      result->lane_.database, user);
  auto process = Process::start(plan.serve, plan.directory, environment);
  if (!process) return process.error();
  result->process_.emplace(*std::move(process));
  const auto begun = Ticks::now();
  while (!result->process_->is_listening()) {
    result->turn(20);
    if (result->process_->has_ended()) return result->ended();
    if (since(begun) > kLongestStart)
      return db::failure("the server of --serve listens on no port after 120 s",
                         "it has to stay in the foreground and take requests "
                         "by HTTP or the like");
  }
  // It may ask the database a few things first.
  while (result->turn(100)) {
  }
  return result;
}

Application::~Application() {
  constexpr int kPatience = 3'000;  // milliseconds
  lanes_.clear();
  if (process_) process_->ask_to_end(kPatience);
}

Error Application::ended() {
  return db::failure("the server of --serve has ended with exit status " +
                         std::to_string(process_->status()) + ": " +
                         process_->complaint(),
                     "run the command by itself");
}

void Application::advance() {
  process_->advance();
  while (true) {
    Descriptor client = listener_.accept();
    if (!client.is_open()) return;
    lanes_.push_back(Lane::open(std::move(client), lane_));
    lanes_.back()->let_through(lets_through_);
    lanes_.back()->advance(0, 0);
  }
}

void Application::let_through(bool all) {
  lets_through_ = all;
  for (const auto& lane : lanes_) lane->let_through(all);
  if (!all) return;
  lanes_.erase(std::remove_if(lanes_.begin(), lanes_.end(),
                              [](const auto& lane) {
                                return lane->state() == Lane::State::Gone;
                              }),
               lanes_.end());
}

bool Application::turn(int milliseconds) {
  std::vector<pollfd> sockets = {{listener_.socket(), POLLIN, 0},
                                 {process_->end_descriptor(), POLLIN, 0},
                                 {process_->output_descriptor(), POLLIN, 0}};
  const std::size_t first = sockets.size();
  for (const auto& lane : lanes_) {
    sockets.push_back({lane->client_socket(), lane->client_events(), 0});
    sockets.push_back({lane->server_socket(), lane->server_events(), 0});
  }
  if (::poll(sockets.data(), sockets.size(), milliseconds) <= 0) return false;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i]->advance(sockets[first + 2 * i].revents,
                       sockets[first + 2 * i + 1].revents);
  advance();
  return true;
}

bool Application::is_at_rest() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
    const Lane::State state = lane->state();
    return state == Lane::State::Gone ||
           (state == Lane::State::Idle && lane->transaction() == 'I');
  });
}

Result<Done> Application::drain(db::Session& control) {
  let_through(true);
  const auto begun = Ticks::now();
  double last_help = 0;
  while (true) {
    const bool moved = turn(5);
    if (process_->has_ended()) return ended();
    if (!moved && is_at_rest()) return Done{};
    const double waited = since(begun);
    if (waited > kLongestDrain)
      return db::failure(
          "the server of --serve keeps a transaction open after its requests "
          "have ended");
    if (waited - last_help < 0.3) continue;
    last_help = waited;
    for (const auto& lane : lanes_) {
      const bool is_stuck = lane->state() == Lane::State::Working;
      const bool is_forgotten = waited > 2 && lane->transaction() != 'I';
      if (is_stuck || is_forgotten)
        end_by_force(control, lane_.product, lane->backend(), is_stuck);
    }
  }
}

}  // namespace txscope::race
