#include "db/live/follow_schedule.h"

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "db/keeper.h"
#include "model/product/error_class.h"
#include "model/sql/value/shown.h"

namespace txscope::db {
namespace {

using Step = StatementSchedule::Step;
using End = FollowedSchedule::End;

/// "40.00" and "40.000000" are one number, "t", "true" and "1" one truth.
std::string canonical_word(std::string word) {
  if (word == "true" || word == "t") return "1";
  if (word == "false" || word == "f") return "0";
  const std::size_t point = word.find('.');
  const bool is_number =
      point != std::string::npos &&
      word.find_first_not_of("0123456789.-") == std::string::npos;
  if (!is_number) return word;
  while (word.back() == '0') word.pop_back();
  if (word.back() == '.') word.pop_back();
  return word;
}

std::vector<std::string> sorted_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::string_view(" ,()'").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    if (!word.empty()) words.push_back(canonical_word(std::move(word)));
    word.clear();
  }
  std::sort(words.begin(), words.end());
  return words;
}

std::string shown(const Answer& answer) {
  std::vector<sql::Row> rows;
  for (const auto& cells : answer.rows) {
    sql::Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c)
      row.push_back(to_value(cells[c], answer.columns[c].kind));
  }
  return sql::shown_rows(!answer.columns.empty(), rows, answer.count);
}

class Follower {
 public:
  Follower(LiveDatabase& database, const StatementSchedule& schedule,
           int patience)
      : database_(database),
        schedule_(schedule),
        patience_(patience),
        lanes_(schedule.sessions.size()) {}

  Result<FollowedSchedule> run() {
    if (std::string why = database_.reset(); !why.empty()) return failure(why);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      auto session = database_.session(i);
      if (!session) return session.error();
      sessions_.push_back(*session);
    }
    for (at_ = 0; at_ < schedule_.steps.size() && !has_ended_; ++at_)
      take(schedule_.steps[at_]);
    finish();
    if (!problem_.empty()) return failure(problem_);
    if (!has_ended_) look_at_end();
    if (!problem_.empty()) return failure(problem_);
    return std::move(out_);
  }

 private:
  struct Lane {
    bool is_open = false;
    bool is_sent = false;          ///< its end has not been looked at
    std::optional<Answer> answer;  ///< of what is sent
  };

  void take(const Step& step) {
    if (step.is_outside) {
      note(step, step.code);
      return;
    }
    Lane& lane = lanes_[step.session];
    if (step.kind == Step::Kind::Rollback) {
      if (lane.is_open) roll_back(step.session);
      note(step, "done");
      return;
    }
    if (!lane.is_sent) send(step);
    if (step.kind == Step::Kind::Wait) {
      expect_wait(step);
      return;
    }
    if (!lane.answer) await(step);
    if (!lane.answer) {
      end(End::Prevented, step, "waits for a lock" + holders(step));
      return;
    }
    judge(step);
  }

  void send(const Step& step) {
    Lane& lane = lanes_[step.session];
    Session& session = *sessions_[step.session];
    if (!lane.is_open) {
      std::string text = begin_text(schedule_.profile_of(step));
      if (const int timeout = deadlock_timeout(step); timeout > 0)
        text += "; SET LOCAL deadlock_timeout = " + std::to_string(timeout);
      Answer begun = session.execute(text);
      // Not everybody may set it; the server then chooses the victim.
      if (!begun.is_ok() && text.find("deadlock_timeout") != text.npos) {
        session.execute("ROLLBACK");
        begun = session.execute(begin_text(schedule_.profile_of(step)));
      }
      if (!begun.is_ok()) problem_ = begun.message;
      lane.is_open = true;
    }
    if (step.is_caught || is_caught_later(step))
      session.execute("SAVEPOINT txscope_replay");
    lane.is_sent = true;
    session.send(step.sql);
    settle_all();
  }

  /// Of a statement that waits first and then fails.
  [[nodiscard]] bool is_caught_later(const Step& step) const {
    if (step.kind != Step::Kind::Wait) return false;
    const Step* later = next_of(step.session);
    return later != nullptr && later->is_caught;
  }

  [[nodiscard]] const Step* next_of(std::size_t session) const {
    for (std::size_t i = at_ + 1; i < schedule_.steps.size(); ++i)
      if (schedule_.steps[i].session == session) return &schedule_.steps[i];
    return nullptr;
  }

  /// Milliseconds for the transaction that begins here, if it is to be the
  /// victim of a deadlock; 0: it is not.
  [[nodiscard]] int deadlock_timeout(const Step& step) const {
    if (database_.product() != Product::PostgreSql) return 0;
    bool has_waited = false;
    for (std::size_t i = at_; i < schedule_.steps.size(); ++i) {
      const Step& other = schedule_.steps[i];
      if (other.session != step.session) continue;
      if (other.kind == Step::Kind::Commit ||
          other.kind == Step::Kind::Rollback)
        return 0;
      if (other.kind == Step::Kind::Error && is_deadlock(other.code))
        return (has_waited ? 200 : 2) << patience_;
      has_waited = other.kind == Step::Kind::Wait && !is_last_wait(i);
    }
    return 0;
  }
  [[nodiscard]] bool is_last_wait(std::size_t number) const {
    return number + 1 < schedule_.steps.size() &&
           schedule_.steps[number + 1].session ==
               schedule_.steps[number].session;
  }

  static bool is_deadlock(const std::string& code) {
    const ErrorRow* row = find_error(code);
    return row != nullptr && row->is == ErrorClass::Deadlock;
  }

  void settle_all() {
    const std::vector<bool> waits = settle(database_.server(), sessions_);
    for (std::size_t i = 0; i < sessions_.size(); ++i)
      if (sessions_[i]->is_pending() && !waits[i]) receive(i);
  }

  void receive(std::size_t number) {
    Lane& lane = lanes_[number];
    lane.answer = sessions_[number]->receive();
    if (lane.answer->is_lost()) problem_ = lane.answer->message;
    if (lane.answer->is_ok()) return;
    // MariaDB has rolled back what a deadlock took; an error ends all locks on
    // PostgreSQL.  So others may go on now.
    settle_all();
  }

  /// A deadlock ends when the server looks for it.
  void await(const Step& step) {
    const bool is_end_of_deadlock =
        step.kind == Step::Kind::Error && is_deadlock(step.code);
    const int longest = is_end_of_deadlock ? 3000 << patience_ : 200;
    for (int waited = 0; waited < longest && !lanes_[step.session].answer;
         waited += 20) {
      std::vector<pollfd> sockets;
      for (const Session* session : sessions_)
        if (session->is_pending())
          sockets.push_back({session->socket(), POLLIN, 0});
      if (::poll(sockets.data(), sockets.size(), 20) > 0) settle_all();
    }
  }

  void expect_wait(const Step& step) {
    const Lane& lane = lanes_[step.session];
    if (!lane.answer) {
      note(step, "waits");
      return;
    }
    // Where a deadlock closes, a server may end it at once.
    const bool ends_deadlock =
        std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& other) {
          return other.answer && is_deadlock(other.answer->code);
        });
    if (ends_deadlock) return;
    if (lane.answer->is_ok())
      end(End::Diverged, step, "does not wait: " + result_words(*lane.answer));
    else
      end(is_refusal(*lane.answer) ? End::Prevented : End::Diverged, step,
          result_words(*lane.answer));
  }

  /// The database keeps somebody from doing it, and not: it does not understand
  /// it.
  static bool is_refusal(const Answer& answer) {
    return find_error(answer.code) != nullptr ||
           find_error(answer.sqlstate) != nullptr;
  }

  static std::string result_words(const Answer& answer) {
    return answer.is_ok() ? "gives " + shown(answer)
                          : "fails with " + answer.code + " " + answer.message;
  }

  void judge(const Step& step) {
    Lane& lane = lanes_[step.session];
    const Answer answer = *std::move(lane.answer);
    lane.answer.reset();
    lane.is_sent = false;
    const bool expects_error = step.kind == Step::Kind::Error;
    if (!answer.is_ok()) {
      if (!expects_error || !is_code(answer, step.code)) {
        end(is_refusal(answer) ? End::Prevented : End::Diverged, step,
            result_words(answer));
        return;
      }
      note(step, "fails with " + answer.code);
      if (step.is_caught)
        sessions_[step.session]->execute("ROLLBACK TO txscope_replay");
      return;
    }
    if (expects_error) {
      end(End::Diverged, step,
          result_words(answer) + " instead of the error " + step.code);
      return;
    }
    if (step.kind == Step::Kind::Commit) {
      lane.is_open = false;
      database_.server().tidy_up();
      note(step, "done");
      settle_all();
      return;
    }
    const std::string seen = shown(answer);
    if (!is_same_result(seen, step.seen)) {
      end(End::Diverged, step, "gives " + seen + ", not " + step.seen);
      return;
    }
    note(step, seen);
  }

  static bool is_code(const Answer& answer, const std::string& code) {
    return answer.code == code || answer.sqlstate == code;
  }

  void roll_back(std::size_t number) {
    Lane& lane = lanes_[number];
    if (sessions_[number]->is_pending()) {
      database_.server().cancel(*sessions_[number]);
      sessions_[number]->receive();
    }
    sessions_[number]->execute("ROLLBACK");
    lane = Lane();
    settle_all();
  }

  std::string holders(const Step& step) {
    const auto edges = database_.server().waits_for(sessions_);
    std::string names;
    if (step.session >= edges.size()) return names;
    for (const std::size_t other : edges[step.session])
      names += (names.empty() ? " of " : ", ") + schedule_.sessions[other];
    return names;
  }

  void note(const Step& step, const std::string& what) {
    out_.trace.push_back(schedule_.sessions[step.session] + ": " + step.sql +
                         " -> " + what);
  }

  void end(End how, const Step& step, const std::string& what) {
    note(step, what);
    out_.end = how;
    out_.step = at_ + 1;
    out_.what =
        schedule_.sessions[step.session] + " " + what + " at " + step.sql;
    has_ended_ = true;
  }

  /// Leaves no transaction behind.
  void finish() {
    for (std::size_t i = 0; i < sessions_.size(); ++i)
      if (lanes_[i].is_open) roll_back(i);
  }

  void look_at_end() {
    const auto state = database_.state();
    if (!state) {
      problem_ = state.error().what;
      return;
    }
    for (const auto& [table, rows] : schedule_.finals)
      compare(table, rows, *state);
    if (!has_ended_ && !schedule_.condition.empty()) ask_condition();
  }

  void compare(const std::string& table, const StatementSchedule::Rows& rows,
               const LiveState& state) {
    const auto& tables = database_.tables();
    const auto found = std::find(tables.begin(), tables.end(), table);
    if (found == tables.end() || has_ended_) return;
    const auto& live = state[static_cast<std::size_t>(found - tables.begin())];
    if (texts(live) == texts(rows)) return;
    end_after("the rows of " + table + " are" + joined_texts(live) + ", not" +
              joined_texts(rows));
  }

  static std::multiset<std::string> texts(const StatementSchedule::Rows& rows) {
    std::multiset<std::string> result;
    for (const auto& row : rows) {
      std::string text;
      for (const Cell& cell : row)
        text += (cell ? canonical_word(without_fraction(*cell)) : "NULL") + "|";
      result.insert(std::move(text));
    }
    return result;
  }

  /// MariaDB's times have six digits after the second.
  static std::string without_fraction(const std::string& cell) {
    constexpr std::string_view kNone = ".000000";
    const bool is_time =
        cell.size() > kNone.size() && cell.find(':') != std::string::npos &&
        cell.compare(cell.size() - kNone.size(), kNone.size(), kNone) == 0;
    return is_time ? cell.substr(0, cell.size() - kNone.size()) : cell;
  }

  static std::string joined_texts(const StatementSchedule::Rows& rows) {
    std::string text;
    for (const auto& row : rows) {
      text += " (";
      for (std::size_t c = 0; c < row.size(); ++c)
        text += (c > 0 ? ", " : "") + row[c].value_or("NULL");
      text += ")";
    }
    return text.empty() ? " none" : text;
  }

  void ask_condition() {
    const Answer answer = database_.evaluate({"SELECT " + schedule_.condition});
    if (!answer.is_ok()) {
      problem_ = "the rule cannot be asked: " + answer.message;
      return;
    }
    const Cell& cell = answer.rows.at(0).at(0);
    const bool is_true = cell == "t" || cell == "1";
    if (is_true != schedule_.is_witness)
      end_after(std::string("the rule is ") + (is_true ? "true" : "not true"));
  }

  void end_after(const std::string& what) {
    out_.end = End::Diverged;
    out_.step = schedule_.steps.size() + 1;
    out_.what = "in the end " + what;
    has_ended_ = true;
  }

  LiveDatabase& database_;
  const StatementSchedule& schedule_;
  int patience_;
  std::vector<Lane> lanes_;  ///< by session
  std::vector<Session*> sessions_;
  std::size_t at_ = 0;
  bool has_ended_ = false;
  std::string problem_;
  FollowedSchedule out_;
};

bool has_deadlock(const StatementSchedule& schedule) {
  return std::any_of(schedule.steps.begin(), schedule.steps.end(),
                     [](const Step& step) {
                       const ErrorRow* row = find_error(step.code);
                       return row != nullptr && row->is == ErrorClass::Deadlock;
                     });
}

}  // namespace

bool is_same_result(const std::string& a, const std::string& b) {
  if (a == b || sorted_words(a) == sorted_words(b)) return true;
  // Of many rows only the first are told, and which are first is nobody's word.
  const auto count = [](const std::string& text) {
    const std::size_t end = text.find(" rows: ");
    const bool is_cut = text.size() > 2 && text.substr(text.size() - 2) == "..";
    return end == std::string::npos || !is_cut ? "" : text.substr(0, end);
  };
  return !count(a).empty() && count(a) == count(b);
}

Result<FollowedSchedule> follow_schedule(LiveDatabase& database,
                                         const StatementSchedule& schedule) {
  // The victim of a deadlock looks for it once; on a slow machine that may be
  // before it is there.
  const int tries = has_deadlock(schedule) ? 4 : 1;
  for (int i = 0;; ++i) {
    auto followed = Follower(database, schedule, i).run();
    if (!followed || followed->end == End::Reproduced || i + 1 == tries)
      return followed;
  }
}

}  // namespace txscope::db
