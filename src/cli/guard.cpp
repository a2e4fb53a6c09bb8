#include "cli/guard.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/diagnostics.h"
#include "cli/options.h"
#include "cli/output.h"
#include "txscope/status.h"
#include "verb/answer/envelope.h"

namespace txscope::cli {
namespace {

using namespace std::chrono_literals;

// Seconds from Ctrl-C to the end.
constexpr unsigned kPatience = 2;
constexpr unsigned kPatienceToTidyUp = 60;

const Call* current = nullptr;  // set once, before the watchdog starts
std::atomic<bool> is_resting{false};
std::atomic<bool> ends_at_once{false};
std::atomic<bool> tidies_up{false};
std::mutex promise_mutex;
std::vector<verb::Promise> promised;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

// A file that is opened later must not become standard output.
void occupy_closed_streams() {
  for (;;) {
    const int descriptor = ::open("/dev/null", O_RDONLY);
    if (descriptor < 0) return;
    if (descriptor > STDERR_FILENO) {
      ::close(descriptor);
      return;
    }
  }
}

extern "C" void on_signal(int signal) {
  if (ends_at_once.load()) {
    remove_temporaries();
    write_all(STDERR_FILENO, "interrupted\n");
    _exit(128 + signal);
  }
  if (interrupted() != 0 || signal == SIGALRM) {
    remove_temporaries();
    write_all(STDERR_FILENO, "interrupted; nothing was written\n");
    _exit(128 + (interrupted() != 0 ? interrupted() : signal));
  }
  request_interrupt(signal);
  alarm(tidies_up.load() ? kPatienceToTidyUp : kPatience);
}

[[noreturn]] void end_undecided(Spent spent) {
  const int status =
      current != nullptr ? undecided_at_once(*current, spent) : kUndecided;
  remove_temporaries();
  _exit(status);
}

[[noreturn]] void on_terminate() {
  try {
    if (const auto thrown = std::current_exception())
      std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_undecided(Spent::Memory);
  } catch (const std::exception& error) {
    write_all(STDERR_FILENO,
              std::string("txscope: internal error: ") + error.what() + "\n");
  } catch (...) {
    write_all(STDERR_FILENO, "txscope: internal error\n");
  }
  remove_temporaries();
  std::abort();
}

bool wants_on_stdout(const Options& options, std::string_view format) {
  for (const Output& output : options.outputs)
    if (output.format == format && output.file.empty()) return true;
  return false;
}

using verb::Promise;

std::string verdict_of(const Promise& promise) {
  if (!promise.verdict.empty()) return promise.verdict;
  return promise.known == Promise::Known::Violated ? "violated" : "holds";
}

std::vector<Promise> known_so_far() {
  const std::lock_guard lock(promise_mutex);
  return promised;
}

nlohmann::ordered_json results_of(const std::vector<Promise>& promises,
                                  Spent spent) {
  using Json = nlohmann::ordered_json;
  const auto text = [](const std::string& name) {
    return name.empty() ? Json(nullptr) : Json(name);
  };
  Json results = Json::array();
  for (const Promise& promise : promises) {
    Json result;
    result["level"] = text(promise.level);
    result["order"] = text(promise.order);
    if (!promise.property.empty()) result["property"] = promise.property;
    const bool is_known = promise.known != Promise::Known::Nothing;
    result["verdict"] = is_known ? verdict_of(promise) : "undecided";
    if (!is_known) result["budget"] = to_string(spent);
    results.push_back(std::move(result));
  }
  return results;
}

// What was decided before the end, a level a line.
std::string decided_lines(const std::vector<Promise>& promises) {
  std::string text;
  for (const Promise& promise : promises) {
    if (promise.known == Promise::Known::Nothing) continue;
    std::string about = promise.level;
    if (!promise.order.empty()) about += " (" + promise.order + " order)";
    if (!promise.property.empty())
      about += (about.empty() ? "" : ", ") + promise.property + ":";
    text += "  " + (about.empty() ? "what was asked" : about);
    const std::string verdict = verdict_of(promise);
    text += verdict == "violated" ? " is VIOLATED"
            : verdict == "holds"  ? " holds"
                                  : ": " + verdict;
    text += "\n";
  }
  return text;
}

}  // namespace

void install_guards() {
  return_freed_memory();
  occupy_closed_streams();
  std::set_terminate(on_terminate);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    // `nohup` and shells' background jobs have it ignored; so it stays.
    if (old.sa_handler == SIG_IGN && (signal == SIGINT || signal == SIGHUP))
      continue;
    sigaction(signal, &action, nullptr);
  }
  // A file that grows beyond `ulimit -f` is an error of writing, as on a full
  // disk.  Not ignored, which programs that are started would inherit.
  struct sigaction unheard {};
  unheard.sa_handler = [](int) {};
  unheard.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &unheard, nullptr);
}

Watchdog::Watchdog(const Call& call, const Budget::Limits& limits) {
  current = &call;
  if (!limits.time && !limits.memory_bytes) return;
  thread_ = std::thread([this, limits] { watch(limits); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  current = nullptr;
}

void Watchdog::watch(const Budget::Limits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const bool has_memory = limits.memory_bytes.has_value();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (wake_.wait_for(lock, has_memory ? 2ms : 50ms, [&] { return is_over_; }))
      return;
    if (is_resting.load()) continue;
    const auto past = std::chrono::steady_clock::now() - start;
    if (limits.time && past > *limits.time + *limits.time / 10 + 400ms)
      end_undecided(Spent::Time);
    // What grows fast grows on while it is looked at.
    if (has_memory && resident_memory() > *limits.memory_bytes / 100 * 106)
      end_undecided(Spent::Memory);
  }
}

void end_at_once_on_signals() { ends_at_once.store(true); }

void tidy_up_on_signals() { tidies_up.store(true); }

void rest_watchdogs() { is_resting.store(true); }

void promise_results(const std::vector<Promise>& all) {
  const std::lock_guard lock(promise_mutex);
  promised = all;
}

void forget_verdicts() {
  const std::lock_guard lock(promise_mutex);
  for (Promise& promise : promised) {
    promise.known = Promise::Known::Nothing;
    promise.verdict.clear();
  }
}

void promise_verdict(const Promise& decided) {
  const std::lock_guard lock(promise_mutex);
  for (Promise& promise : promised)
    if (promise.level == decided.level && promise.order == decided.order &&
        promise.property == decided.property)
      promise = decided;
}

int undecided_at_once(const Call& call, Spent spent) {
  rest_watchdogs();
  const std::string input =
      call.options.input.empty() ? "txscope" : call.options.input;
  write_all(STDERR_FILENO, shown(input) + ": undecided: the " +
                               to_string(spent) + " budget ended\n");
  std::vector<std::string> inputs = call.options.inputs;
  if (inputs.empty()) inputs.push_back(call.options.input);
  std::vector<Promise> promises = known_so_far();
  if (promises.empty()) promises.emplace_back();
  if (wants_on_stdout(call.options, "json"))
    write_all(STDOUT_FILENO,
              verb::json_envelope(call.verb->name, inputs,
                                  results_of(promises, spent),
                                  seconds_since_start(), nullptr));
  const std::string decided = decided_lines(promises);
  if (!decided.empty() && wants_on_stdout(call.options, "text"))
    write_all(STDOUT_FILENO, shown(input) + ": undecided: the " +
                                 to_string(spent) + " budget ended\n" +
                                 decided);
  return verb::status_of(promises);
}

}  // namespace txscope::cli
