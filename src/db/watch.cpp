#include "db/watch.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace txscope::db {
namespace {

class PostgresqlWatch final : public Watch {
 public:
  explicit PostgresqlWatch(std::unique_ptr<Session> control)
      : control_(std::move(control)) {}

  std::vector<bool> waiting(std::span<Session* const> sessions) override {
    std::string sql = "SELECT ";
    for (const Session* session : sessions)
      sql += (sql.size() > 7 ? ", " : "") +
             ("cardinality(pg_blocking_pids(" + std::to_string(session->id())) +
             ")) > 0";
    const Answer answer = control_->execute(sql);
    std::vector<bool> result(sessions.size(), false);
    if (answer.rows.size() != 1) return result;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = answer.rows[0][i] == "t";
    return result;
  }

  std::vector<std::vector<std::size_t>> waits_for(
      std::span<Session* const> sessions) override {
    std::vector<std::vector<std::size_t>> result(sessions.size());
    std::string sql = "SELECT ";
    for (const Session* session : sessions)
      sql += (sql.size() > 7 ? ", " : "") +
             ("array_to_string(pg_blocking_pids(" +
              std::to_string(session->id())) +
             "), ',')";
    const Answer answer = control_->execute(sql);
    if (answer.rows.size() != 1) return result;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      const std::string pids = "," + answer.rows[0][i].value_or("") + ",";
      for (std::size_t j = 0; j < sessions.size(); ++j)
        if (pids.find("," + std::to_string(sessions[j]->id()) + ",") !=
            std::string::npos)
          result[i].push_back(j);
    }
    return result;
  }

  void cancel(const Session& session) override {
    control_->execute("SELECT pg_cancel_backend(" +
                      std::to_string(session.id()) + ")");
  }

 private:
  std::unique_ptr<Session> control_;
};

constexpr std::string_view kList = "LIST OF TRANSACTIONS FOR EACH SESSION:";

/// Whether the report of InnoDB's monitor says that this connection's
/// transaction waits: "LOCK WAIT 2 lock struct(s)" among its lines.
bool waits_in(std::string_view report, std::int64_t id) {
  const std::string name = "MariaDB thread id " + std::to_string(id) + ",";
  const std::size_t at = report.find(name);
  if (at == std::string_view::npos) return false;
  const std::size_t start = report.rfind("---TRANSACTION", at);
  return start != std::string_view::npos &&
         report.substr(start, at - start).find("\nLOCK WAIT") !=
             std::string_view::npos;
}

// information_schema.innodb_trx is a copy that is up to 0.1 seconds old; the
// monitor looks at the transactions themselves, at all at one moment.
std::vector<bool> waiting_in_innodb(Session& control,
                                    std::span<const std::int64_t> ids) {
  const Answer answer = control.execute("SHOW ENGINE INNODB STATUS");
  std::vector<bool> result(ids.size(), false);
  if (answer.rows.size() != 1 || !answer.rows[0].back()) return result;
  std::string_view report = *answer.rows[0].back();
  // Before it comes the story of the last deadlock.
  report.remove_prefix(std::min(report.size(), report.rfind(kList)));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = waits_in(report, ids[i]);
  return result;
}

class MariadbWatch final : public Watch {
 public:
  explicit MariadbWatch(std::unique_ptr<Session> control)
      : control_(std::move(control)) {}

  std::vector<bool> waiting(std::span<Session* const> sessions) override {
    std::vector<std::int64_t> ids;
    for (const Session* session : sessions) ids.push_back(session->id());
    return waiting_in_innodb(*control_, ids);
  }

  std::vector<std::vector<std::size_t>> waits_for(
      std::span<Session* const> sessions) override {
    return std::vector<std::vector<std::size_t>>(sessions.size());
  }

  void cancel(const Session& session) override {
    control_->execute("KILL QUERY " + std::to_string(session.id()));
  }

  // What a transaction has deleted is there until purge comes, and locks meet
  // it.
  void tidy_up() override {
    for (int rounds = 0; rounds < 4; ++rounds) {
      const Answer answer = control_->execute("SHOW ENGINE INNODB STATUS");
      if (answer.rows.size() != 1 || !answer.rows[0].back()) return;
      const std::string_view report = *answer.rows[0].back();
      const bool is_done =
          report.find("History list length 0\n") != std::string_view::npos;
      const bool is_needed =
          report.find("\n0 read views open") == std::string_view::npos;
      if (is_done || is_needed) return;
      ::usleep(300);
    }
  }

 private:
  std::unique_ptr<Session> control_;
};

}  // namespace

std::vector<bool> waiting_in_mariadb(Session& control,
                                     std::span<const std::int64_t> ids) {
  std::vector<bool> result = waiting_in_innodb(control, ids);
  const Answer others = control.execute(
      "SELECT id FROM information_schema.processlist WHERE state = 'User lock'"
      " OR state LIKE 'Waiting for % lock'");
  for (const auto& row : others.rows)
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (row[0] == std::to_string(ids[i])) result[i] = true;
  return result;
}

std::unique_ptr<Watch> make_watch(Product product,
                                  std::unique_ptr<Session> control) {
  if (product == Product::PostgreSql)
    return std::make_unique<PostgresqlWatch>(std::move(control));
  return std::make_unique<MariadbWatch>(std::move(control));
}

}  // namespace txscope::db
