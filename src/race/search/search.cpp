#include "race/search/search.h"

#include <algorithm>
#include <deque>
#include <future>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "base/ascii.h"
#include "db/keeper.h"
#include "race/outcome/judge.h"
#include "race/outcome/recognise.h"
#include "race/reduce/row_order.h"
#include "race/search/trial.h"

namespace txscope::race {
namespace {

// A run that cannot be repeated is tried so often before it is given up.
constexpr int kTries = 6;

std::size_t jobs_of(const SearchOptions& options, const Plan& plan,
                    const Copies& copies) {
  // A server has one port for its requests, and the user one database.
  if (!plan.serve.empty() || copies.is_in_place()) return 1;
  if (options.jobs > 0) return options.jobs;
  // Half of a run's time is spent waiting for somebody.
  return std::clamp<std::size_t>(2 * std::thread::hardware_concurrency(), 2,
                                 16);
}

class Search {
 public:
  Search(Plan plan, Copies& copies, const SearchOptions& options,
         const Budget& budget)
      : plan_(std::move(plan)),
        copies_(copies),
        options_(options),
        budget_(budget) {}

  Result<Findings> run() {
    found_.waited_outside.resize(plan_.requests.size(), false);
    if (auto ok = open_trials(); !ok) return ok.error();
    if (auto ok = look_at_beginning(); !ok) return ok.error();
    if (plan_.recognises)
      if (auto ok = recognise(); !ok) return ok.error();
    auto judge = Judge::make(
        plan_, [this](const Order& order) { return run_serial(order); });
    if (!judge) return judge.error();
    auto serial = judge->serial();
    if (!serial) return serial.error();
    found_.serial = *std::move(serial);
    judge_ = &*judge;
    if (share_names()) trials_.resize(1);
    if (auto ok = explore(); !ok) return ok.error();
    for (Outcome& outcome : found_.outcomes)
      if (auto ok = judge->classify(outcome); !ok) return ok.error();
    finish();
    return std::move(found_);
  }

 private:
  Result<Done> open_trials() {
    const std::size_t count = jobs_of(options_, plan_, copies_);
    for (std::size_t i = 0; i < count; ++i) {
      auto trial = Trial::open(plan_, copies_, options_.time_limit, budget_);
      if (!trial) return trial.error();
      trials_.push_back(*std::move(trial));
    }
    return Done{};
  }

  /// Whether runs at the same time would wait for each other: the locks of
  /// MariaDB's GET_LOCK are of the server, not of a database.
  [[nodiscard]] bool share_names() const {
    const auto takes_lock = [](const Statement& one) {
      std::string text = ascii::lower(one.sql);
      return text.find("get_lock") != std::string::npos;
    };
    for (const Outcome& one : found_.serial)
      for (const Event& event : one.example.events)
        if (std::any_of(event.statements.begin(), event.statements.end(),
                        takes_lock))
          return plan_.product == Product::MariaDb;
    return false;
  }

  /// The rules must be questions that the database understands.
  Result<Done> look_at_beginning() {
    auto beginning = trials_[0]->serial({});
    if (!beginning) return beginning.error();
    found_.initial = beginning->outcome.state;
    found_.ignored = plan_.ignored;
    found_.followed = plan_.followed;
    auto catalog = trials_[0]->read_catalog();
    if (!catalog) return catalog.error();
    catalog_ = *catalog;
    found_.catalog = *std::move(catalog);
    return Done{};
  }

  /// Every order twice: what differs then is no matter of the order.
  Result<Done> recognise() {
    found_.unrepeatable.resize(plan_.requests.size(), false);
    add_generated(catalog_, plan_);
    Order order(plan_.requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      const auto first = run_serial(order);
      if (!first) return first.error();
      const auto second = run_serial(order);
      if (!second) return second.error();
      add_differing(first->state, second->state, plan_);
      for (std::size_t i = 0; i < order.size(); ++i)
        if (!first->requests[i].is_same(second->requests[i]))
          found_.unrepeatable[i] = true;
    } while (std::next_permutation(order.begin(), order.end()));
    return look_at_beginning();
  }

  Result<Outcome> run_serial(const Order& order) {
    auto result = trials_[0]->serial(order);
    if (!result) return result.error();
    if (result->trace.end == RunTrace::End::Interrupted) {
      const bool is_late = budget_.reason() == Spent::Time;
      return db::failure(
          std::string(is_late ? "the time was over" : "it was interrupted") +
              " before the requests had run one after the other",
          is_late ? "give it more time" : "");
    }
    if (result->trace.end == RunTrace::End::Hung)
      return Error{{},
                   "the requests do not end even one after the other: " +
                       result->trace.problem,
                   "",
                   "",
                   0};
    if (auto no = failed_alone(*result, order)) return *no;
    result->outcome.example = std::move(result->trace);
    return std::move(result->outcome);
  }

  static std::string last_line(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
      text.pop_back();
    const std::size_t at = text.find_last_of('\n');
    return at == std::string::npos ? text : text.substr(at + 1);
  }

  /// A command that fails before it has asked the database anything shows
  /// nothing of races: it is not there, or lacks what it needs.
  [[nodiscard]] std::optional<Error> failed_alone(const TrialResult& result,
                                                  const Order& order) const {
    for (const std::size_t i : order) {
      const RequestEnd& end = result.outcome.requests[i];
      const bool has_asked = std::any_of(
          result.trace.events.begin(), result.trace.events.end(),
          [i](const Event& event) { return event.choice.request == i; });
      if (end.status == 0 || has_asked) continue;
      return db::failure(
          "request " + plan_.requests[i].name + " fails with exit status " +
              std::to_string(end.status) +
              " before it has asked the database anything: " +
              last_line(end.complaint),
          "run the command by itself; it is started with the environment of "
          "txscope");
    }
    return std::nullopt;
  }

  struct Flying {
    ScheduleTree::Task task;
    std::future<Result<TrialResult>> result;
    Trial* trial = nullptr;
  };

  /// From the beginning again if a path that no serial order took shows that
  /// more steps depend on each other.
  Result<Done> explore() {
    for (const Outcome& one : found_.serial) note_order(one.example.events);
    while (true) {
      for (auto& [name, table] : catalog_.tables)
        table.shows_order = by_order_.count(name) == 1;
      is_stale_ = false;
      tree_.emplace(options_.reduces);
      auto is_ended = run_tree();
      if (!is_ended) return is_ended.error();
      if (!is_stale_ || *is_ended || budget_.spent_now()) {
        say_whether_complete(*is_ended);
        return Done{};
      }
      forget_counts();
    }
  }

  void note_order(const std::vector<Event>& events) {
    if (!options_.reduces) return;
    for (const Event& event : events)
      for (const Statement& statement : event.statements)
        if (looked_at_.insert(statement.sql).second)
          for (const std::string& table : tables_by_order(statement, catalog_))
            is_stale_ = by_order_.insert(table).second || is_stale_;
  }

  void forget_counts() {
    found_.schedules = found_.cut = found_.diverged = 0;
    found_.hung.clear();
    for (Outcome& one : found_.outcomes) one.schedules = 0;
  }

  /// Whether a bound ended it.
  Result<bool> run_tree() {
    std::vector<Trial*> free;
    for (const auto& trial : trials_) free.push_back(trial.get());
    std::deque<Flying> flying;
    bool is_ended = false;
    while (true) {
      while (!free.empty() && !is_ended && !is_stale_ && !budget_.spent_now()) {
        auto task = tree_->next();
        if (!task) break;
        flying.push_back(start(*std::move(task), *free.back()));
        free.pop_back();
      }
      if (flying.empty()) return is_ended;
      // In the order of starting, so that timing decides nothing.
      Flying oldest = std::move(flying.front());
      flying.pop_front();
      auto result = oldest.result.get();
      free.push_back(oldest.trial);
      if (!result) {
        budget_.cancel();
        for (Flying& other : flying) other.result.wait();
        return result.error();
      }
      take_in(oldest.task, *result);
      is_ended = is_ended || has_race_ ||
                 (options_.max_schedules > 0 &&
                  found_.schedules >= options_.max_schedules);
    }
  }

  Flying start(ScheduleTree::Task task, Trial& trial) {
    Flying flying;
    flying.task = std::move(task);
    flying.trial = &trial;
    flying.result = std::async(
        std::launch::async,
        [this, &trial, copy = flying.task]() -> Result<TrialResult> {
          for (int i = 1;; ++i) {
            auto result =
                trial.follow(copy, options_.reduces ? &catalog_ : nullptr);
            if (!result || result->trace.end != RunTrace::End::Diverged ||
                i == kTries)
              return result;
          }
        });
    return flying;
  }

  void take_in(const ScheduleTree::Task& task, TrialResult& result) {
    RunTrace& trace = result.trace;
    tree_->take_in(task, {result.steps, trace.enabled});
    note_order(trace.events);
    for (std::size_t i = 0; i < trace.waited_outside.size(); ++i)
      if (trace.waited_outside[i]) found_.waited_outside[i] = true;
    switch (trace.end) {
      case RunTrace::End::Complete: note(result); break;
      case RunTrace::End::Stopped: ++found_.cut; break;
      case RunTrace::End::Diverged: ++found_.diverged; break;
      case RunTrace::End::Hung:
        ++found_.schedules;
        found_.hung.push_back(std::move(trace));
        break;
      case RunTrace::End::Interrupted: is_interrupted_ = true; break;
    }
    if (options_.on_progress)
      options_.on_progress(found_.schedules, tree_->waiting());
  }

  void note(TrialResult& result) {
    ++found_.schedules;
    note_errors(result.trace);
    auto known = std::find_if(
        found_.outcomes.begin(), found_.outcomes.end(),
        [&](const Outcome& one) { return one.is_same(result.outcome); });
    if (known == found_.outcomes.end()) {
      found_.outcomes.push_back(std::move(result.outcome));
      known = std::prev(found_.outcomes.end());
      known->example = std::move(result.trace);
      look_for_race(*known);
    } else if (is_shorter(result.trace, known->example)) {
      known->example = std::move(result.trace);
    }
    ++known->schedules;
  }

  void look_for_race(Outcome& outcome) {
    if (!options_.stops_at_race) return;
    const auto classified = judge_->classify(outcome);
    has_race_ = has_race_ || !outcome.broken_rules.empty() ||
                (classified && outcome.kind == Outcome::Class::Anomaly);
  }

  static bool is_shorter(const RunTrace& a, const RunTrace& b) {
    return std::pair(switches(a.events), a.events.size()) <
           std::pair(switches(b.events), b.events.size());
  }

  void note_errors(const RunTrace& trace) {
    for (const RequestEnd& end : trace.requests)
      if (end.status != 0 && !end.last_error.empty())
        uncaught_.insert(end.last_error);
    // All but the one that ended a request were followed by something.
    std::map<std::size_t, std::vector<std::string>> sent;
    for (const Event& event : trace.events)
      for (const auto& [request, code] : event.errors)
        sent[request].push_back(code);
    for (auto& [request, codes] : sent) {
      if (trace.requests[request].status != 0) codes.pop_back();
      caught_.insert(codes.begin(), codes.end());
    }
  }

  void say_whether_complete(bool is_ended) {
    found_.is_complete = true;
    const auto incomplete = [&](std::string why) {
      found_.is_complete = false;
      if (found_.why_incomplete.empty()) found_.why_incomplete = std::move(why);
    };
    if (interrupted_or_spent() || (is_stale_ && !is_ended))
      incomplete(budget_.reason() == Spent::Time ? "the time is over"
                                                 : "it was interrupted");
    if (is_ended && (is_stale_ || tree_->waiting() > 0))
      incomplete(has_race_ ? "it ended at the first race"
                           : "the bound on schedules was reached");
    if (found_.diverged > 0)
      incomplete(std::to_string(found_.diverged) +
                 " schedules could not be repeated: the requests do "
                 "something else each time");
  }
  [[nodiscard]] bool interrupted_or_spent() const {
    return is_interrupted_ || (tree_->waiting() > 0 && budget_.spent_now());
  }

  void finish() {
    found_.uncaught.assign(uncaught_.begin(), uncaught_.end());
    found_.caught.assign(caught_.begin(), caught_.end());
    const auto key = [](const Outcome& one) {
      std::string text = one.state.dump();
      for (const RequestEnd& end : one.requests)
        text += "\n" + end.printed + "\n" + std::to_string(end.status);
      return std::pair(one.kind, text);
    };
    std::sort(
        found_.outcomes.begin(), found_.outcomes.end(),
        [&](const Outcome& a, const Outcome& b) { return key(a) < key(b); });
  }

  Plan plan_;
  Copies& copies_;
  const SearchOptions& options_;
  const Budget& budget_;
  std::optional<ScheduleTree> tree_;
  Catalog catalog_;
  std::set<std::string> by_order_;   ///< tables that somebody sees in order
  std::set<std::string> looked_at_;  ///< statements, for these tables
  bool is_stale_ = false;            ///< it became more since the tree began
  std::vector<std::unique_ptr<Trial>> trials_;
  std::set<std::string> uncaught_;
  std::set<std::string> caught_;
  bool is_interrupted_ = false;
  bool has_race_ = false;  ///< and that was asked for
  Judge* judge_ = nullptr;
  Findings found_;
};

}  // namespace

bool Findings::is_violated() const {
  return has_anomaly() || !broken_rules().empty() || !uncaught.empty() ||
         !hung.empty();
}

bool Findings::has_anomaly() const {
  return std::any_of(outcomes.begin(), outcomes.end(), [](const Outcome& one) {
    return one.kind == Outcome::Class::Anomaly;
  });
}

std::vector<std::string> Findings::broken_rules() const {
  std::set<std::string> names;
  for (const Outcome& one : outcomes)
    for (const auto& [name, rule] : one.broken_rules) names.insert(name);
  return {names.begin(), names.end()};
}

Result<Findings> search(const Plan& plan, Copies& copies,
                        const SearchOptions& options, const Budget& budget) {
  return Search(plan, copies, options, budget).run();
}

}  // namespace txscope::race
