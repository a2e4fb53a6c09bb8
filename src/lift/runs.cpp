#include "lift/runs.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/ascii.h"
#include "read/sql/shape/statement_shape.h"

namespace txscope::lift {
namespace {

using Kind = sql::StatementShape::Kind;

/// What happened inside of a transaction that is open.
struct Event {
  enum class What : std::uint8_t { Statement, Savepoint, Release, Back };
  What what = What::Statement;
  RunStatement step;
  std::string name;
};

struct OpenSession {
  Run run;
  std::string request;
  std::optional<std::int64_t> last;  ///< time of the last statement
  bool has_begun = false;            ///< BEGIN was sent
  bool has_autocommit = true;
  std::vector<Event> events;  ///< of the transaction that is open
};

/// Whether a statement that nobody could read changes something.
bool seems_to_write(const std::string& text) {
  std::string word;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
      if (!word.empty()) break;
      continue;
    }
    word += ascii::lower(c);
  }
  return word != "select" && word != "with" && word != "lock" &&
         word != "create" && word != "drop" && word != "alter";
}

class Splitter {
 public:
  Splitter(const sql::StatementLog& log, const RunOptions& options)
      : log_(log), options_(options), open_(log.sessions.size()) {
    for (const sql::LoggedStatement& one : log.statements)
      has_times_ = has_times_ || one.time.has_value();
  }

  Runs run() {
    for (const sql::LoggedStatement& one : log_.statements) see(one);
    for (OpenSession& session : open_) {
      // What is still open when the log ends is taken as done.
      commit(session);
      end_run(session);
    }
    std::stable_sort(
        out_.runs.begin(), out_.runs.end(),
        [](const Run& a, const Run& b) { return a.line < b.line; });
    return std::move(out_);
  }

 private:
  void see(const sql::LoggedStatement& one) {
    OpenSession& session = open_[one.session];
    if (one.ends_session) {
      rollback(session);
      if (!options_.one_user) end_run(session);
      session = {};
      return;
    }
    if (options_.one_user)
      begin_shared_run(one);
    else
      begin_run_for(one, session);
    const sql::StatementShape& shape = shape_of(one.text);
    control(one, shape, session);
    session.last = one.time;
  }

  /// One user at a time: a pause on all connections ends what he did.
  void begin_shared_run(const sql::LoggedStatement& one) {
    const bool is_late = one.time && last_ && *one.time - *last_ > options_.gap;
    if (one.time) last_ = one.time;
    if (!is_late) return;
    for (const OpenSession& session : open_)
      if (!session.events.empty()) return;
    ++out_.cut_by_gap;
    end_run(open_.front());
  }

  [[nodiscard]] Run& run_of(OpenSession& session) {
    return options_.one_user ? shared_ : session.run;
  }

  /// Ends the run that is open if this statement belongs to another request.
  void begin_run_for(const sql::LoggedStatement& one, OpenSession& session) {
    const bool is_other = !one.request.empty() && !session.request.empty() &&
                          one.request != session.request;
    const bool is_late = one.request.empty() && one.time && session.last &&
                         *one.time - *session.last > options_.gap &&
                         session.events.empty();
    if (is_other && session.events.empty()) {
      ++out_.cut_by_tag;
      end_run(session);
    } else if (is_late) {
      ++out_.cut_by_gap;
      end_run(session);
    }
    if (!one.request.empty()) session.request = one.request;
    if (!one.route.empty() && session.run.route.empty())
      session.run.route = one.route;
  }

  const sql::StatementShape& shape_of(const std::string& text) {
    const auto [found, is_new] = known_.try_emplace(text, nullptr);
    if (is_new) {
      out_.shapes.push_back(sql::statement_shape(text, log_.dialect));
      found->second = &out_.shapes.back();
    }
    return *found->second;
  }

  void control(const sql::LoggedStatement& one,
               const sql::StatementShape& shape, OpenSession& session) {
    switch (shape.kind) {
      case Kind::Begin:
        commit(session);
        session.has_begun = true;
        if (!shape.name.empty()) ++out_.levels[shape.name];
        break;
      case Kind::Commit: commit(session); break;
      case Kind::Rollback: rollback(session); break;
      case Kind::Autocommit:
        commit(session);
        session.has_autocommit = true;
        break;
      case Kind::NoAutocommit: session.has_autocommit = false; break;
      case Kind::SetsLevel: ++out_.levels[shape.name]; break;
      case Kind::Savepoint:
        session.events.push_back({Event::What::Savepoint, {}, shape.name});
        break;
      case Kind::Release:
        session.events.push_back({Event::What::Release, {}, shape.name});
        break;
      case Kind::RollbackTo:
        session.events.push_back({Event::What::Back, {}, shape.name});
        break;
      case Kind::CreateTable:
      case Kind::Nothing: break;
      case Kind::Unreadable:
        if (!one.has_failed)
          (seems_to_write(one.text) ? out_.unreadable_writes
                                    : out_.unreadable_reads)
              .try_emplace(shape.problem, one.line);
        break;
      case Kind::Selects:
      case Kind::Inserts:
      case Kind::Updates:
      case Kind::Deletes:
      case Kind::Calls: statement(one, shape, session); break;
    }
  }

  [[nodiscard]] bool is_in_transaction(const OpenSession& session) const {
    return session.has_begun || !session.has_autocommit ||
           log_.begins_implicitly || !log_.has_transactions;
  }

  void statement(const sql::LoggedStatement& one,
                 const sql::StatementShape& shape, OpenSession& session) {
    ++out_.statements;
    if (one.has_failed) {
      ++out_.failed;
      return;
    }
    RunStatement step{one.line, &shape, one.rows ? &*one.rows : nullptr, false};
    Run& run = run_of(session);
    if (run.line == 0) run.line = one.line;
    if (is_in_transaction(session)) {
      session.events.push_back({Event::What::Statement, step, {}});
      return;
    }
    run.transactions.push_back({{step}});
  }

  void commit(OpenSession& session) {
    RunTransaction done;
    std::vector<std::pair<std::string, std::size_t>> savepoints;
    for (const Event& event : session.events) {
      const auto found =
          std::find_if(savepoints.rbegin(), savepoints.rend(),
                       [&](const auto& s) { return s.first == event.name; });
      switch (event.what) {
        case Event::What::Statement: done.steps.push_back(event.step); break;
        case Event::What::Savepoint:
          savepoints.emplace_back(event.name, done.steps.size());
          break;
        case Event::What::Release:
          if (found != savepoints.rend())
            savepoints.erase(found.base() - 1, savepoints.end());
          break;
        case Event::What::Back:
          if (found == savepoints.rend()) break;
          done.steps.resize(found->second);
          savepoints.erase(found.base(), savepoints.end());
          break;
      }
    }
    finish_transaction(session, std::move(done));
    const bool is_only_sign =
        (!has_times_ || !log_.has_sessions) && !options_.one_user;
    if (is_only_sign && session.request.empty() && ended_) end_run(session);
  }

  void finish_transaction(OpenSession& session, RunTransaction done) {
    ended_ = !done.steps.empty();
    session.events.clear();
    session.has_begun = false;
    if (done.steps.empty()) return;
    ++out_.transactions;
    run_of(session).transactions.push_back(std::move(done));
  }

  void rollback(OpenSession& session) {
    const bool is_test = std::any_of(
        session.events.begin(), session.events.end(), [](const Event& event) {
          return event.what == Event::What::Savepoint;
        });
    if (is_test) {
      unwrap(session);
    } else if (!session.events.empty()) {
      ++out_.rolled_back;
    }
    session.events.clear();
    session.has_begun = false;
  }

  /// The end of the savepoint that begins at an event, if it is released.
  static std::optional<std::size_t> released(const std::vector<Event>& events,
                                             std::size_t from) {
    for (std::size_t i = from + 1; i < events.size(); ++i)
      if (events[i].name == events[from].name) {
        if (events[i].what == Event::What::Release) return i;
        if (events[i].what == Event::What::Back) return std::nullopt;
      }
    return std::nullopt;
  }

  void unwrap(OpenSession& session) {
    ++out_.unwrapped;
    const std::vector<Event> events = std::move(session.events);
    session.events.clear();
    end_run(session);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      run_of(session).is_test = true;
      if (event.what == Event::What::Statement) {
        if (run_of(session).line == 0) run_of(session).line = event.step.line;
        run_of(session).transactions.push_back({{event.step}});
      } else if (event.what == Event::What::Back) {
        end_run(session);  // the next test
      } else if (event.what == Event::What::Savepoint) {
        const auto end = released(events, i);
        if (!end) continue;
        RunTransaction inner;
        for (; i < *end; ++i)
          if (events[i].what == Event::What::Statement)
            inner.steps.push_back(events[i].step);
        if (inner.steps.empty()) continue;
        if (run_of(session).line == 0)
          run_of(session).line = inner.steps.front().line;
        ++out_.transactions;
        run_of(session).transactions.push_back(std::move(inner));
      }
    }
    end_run(session);
  }

  void end_run(OpenSession& session) {
    Run& run = run_of(session);
    if (!run.transactions.empty()) out_.runs.push_back(std::move(run));
    run = {};
    session.request.clear();
  }

  const sql::StatementLog& log_;
  const RunOptions& options_;
  bool has_times_ = false;
  bool ended_ = false;
  std::vector<OpenSession> open_;
  std::map<std::string, const sql::StatementShape*> known_;
  std::optional<std::int64_t> last_;  ///< of all connections
  Run shared_;                        ///< of one_user
  Runs out_;
};

}  // namespace

Runs take_apart(const sql::StatementLog& log, const RunOptions& options) {
  return Splitter(log, options).run();
}

}  // namespace txscope::lift
