#include "db/postgresql.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "db/keeper.h"
#include "db/libpq.h"
#include "db/postgresql_type.h"

namespace txscope::db {
namespace {

Answer to_answer(const PGresult* result) {
  Answer answer;
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
      status != PGRES_EMPTY_QUERY) {
    const char* code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char* severity =
        PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    // After FATAL the server hangs up: what was asked may have been done.
    const bool is_lost = code == nullptr || severity == nullptr ||
                         std::string_view(severity) != "ERROR";
    answer.code = is_lost ? Answer::kLost : std::string_view(code);
    if (code != nullptr) answer.sqlstate = code;
    answer.message =
        message != nullptr ? message : PQresultErrorMessage(result);
    return answer;
  }
  const int columns = PQnfields(result);
  for (int c = 0; c < columns; ++c) {
    const ColumnType type = postgresql_type(PQftype(result, c));
    answer.columns.push_back({PQfname(result, c), kind_of(type), type});
  }
  const int rows = PQntuples(result);
  answer.rows.resize(static_cast<std::size_t>(rows));
  for (int r = 0; r < rows; ++r) {
    auto& row = answer.rows[static_cast<std::size_t>(r)];
    for (int c = 0; c < columns; ++c)
      row.push_back(PQgetisnull(result, r, c) != 0
                        ? Cell()
                        : Cell(PQgetvalue(result, r, c)));
  }
  answer.count =
      std::strtoull(PQcmdTuples(const_cast<PGresult*>(result)), nullptr, 10);
  return answer;
}

class PostgresqlSession final : public Session {
 public:
  explicit PostgresqlSession(PGconn* connection) : connection_(connection) {
    // Notices ("table does not exist, skipping") are nobody's business.
    PQsetNoticeReceiver(
        connection_, [](void*, const PGresult*) {}, nullptr);
  }
  PostgresqlSession(const PostgresqlSession&) = delete;
  PostgresqlSession& operator=(const PostgresqlSession&) = delete;
  ~PostgresqlSession() override { PQfinish(connection_); }

  void send(const std::string& sql) override {
    answer_ = Answer();
    is_pending_ = true;
    if (PQsendQuery(connection_, sql.c_str()) == 0) {
      answer_ = lost();
      is_complete_ = true;
      return;
    }
    is_complete_ = false;
  }

  bool is_answered() override {
    while (!is_complete_) {
      if (PQconsumeInput(connection_) == 0) {
        answer_ = lost();
        is_complete_ = true;
        return true;
      }
      if (PQisBusy(connection_) != 0) return false;
      take_result();
    }
    return true;
  }

  Answer receive() override {
    while (!is_complete_) take_result();
    is_pending_ = false;
    return std::move(answer_);
  }

  int socket() const override { return PQsocket(connection_); }
  std::int64_t id() const override { return PQbackendPID(connection_); }
  [[nodiscard]] PostgresqlEndpoint endpoint() const {
    const char* address = PQhostaddr(connection_);
    const bool has_address = address != nullptr && *address != '\0';
    return {has_address ? address : PQhost(connection_), PQport(connection_),
            PQdb(connection_)};
  }

 private:
  /// The next of the results of several statements; the last one counts, and
  /// nothing follows an error.
  void take_result() {
    PGresult* result = PQgetResult(connection_);
    if (result == nullptr) {
      is_complete_ = true;
      return;
    }
    answer_ = to_answer(result);
    PQclear(result);
  }
  Answer lost() const {
    Answer answer;
    answer.code = Answer::kLost;
    answer.message = PQerrorMessage(connection_);
    return answer;
  }

  PGconn* connection_;
  Answer answer_;
  bool is_complete_ = true;
};

class PostgresqlServer final : public Server {
 public:
  explicit PostgresqlServer(Keeper keeper) : keeper_(std::move(keeper)) {}

  const std::string& host() const override { return keeper_.directory(); }

  Result<std::unique_ptr<Session>> connect(
      const std::string& database) override {
    return connect_postgresql(
        "host=" + keeper_.directory() + " user=postgres dbname=postgres",
        database);
  }

  /// Waits until the server takes connections.
  Result<Done> wait() {
    for (int rounds = 0; rounds < 3000; ++rounds) {
      auto session = connect("");
      if (session) {
        watch_ = make_watch(Product::PostgreSql, *std::move(session));
        return Done{};
      }
      if (keeper_.has_ended()) break;
      ::usleep(10'000);
    }
    return failure("PostgreSQL does not start: " + keeper_.log());
  }

 private:
  Keeper keeper_;
};

/// Debian has the server's programs outside of PATH, by version.
std::string find_programs() {
  namespace fs = std::filesystem;
  std::string best;
  int version = 0;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator("/usr/lib/postgresql", error)) {
    const fs::path bin = entry.path() / "bin";
    const int number = std::atoi(entry.path().filename().c_str());
    if (number <= version || !fs::exists(bin / "initdb", error)) continue;
    version = number;
    best = bin.string();
  }
  for (const char* bin : {"/usr/bin", "/usr/local/bin", "/usr/local/pgsql/bin"})
    if (best.empty() && fs::exists(fs::path(bin) / "initdb", error)) best = bin;
  return best;
}

constexpr const char* kPostgresSettings =
    " -c listen_addresses='' -c unix_socket_directories=\"$dir\" -c fsync=off"
    " -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"
    " -c shared_buffers=16MB -c deadlock_timeout=1h -c max_connections=120"
    " -c track_commit_timestamp=on -c jit=off -c timezone=UTC -c "
    "max_parallel_workers_per_gather=0";

}  // namespace

Result<std::unique_ptr<Session>> connect_postgresql(
    const std::string& connection, const std::string& database) {
  if (auto why = libpq.load(); !why.empty()) return failure(std::move(why));
  // Of several the first may be a whole connection string, and the last that
  // is not empty counts.
  const char* const names[] = {"dbname", "dbname", nullptr};
  const char* const values[] = {connection.c_str(), database.c_str(), nullptr};
  PGconn* opened = PQconnectdbParams(names, values, 1);
  if (PQstatus(opened) != CONNECTION_OK) {
    Error error = failure(PQerrorMessage(opened));
    PQfinish(opened);
    return error;
  }
  return std::unique_ptr<Session>(std::make_unique<PostgresqlSession>(opened));
}

PostgresqlEndpoint endpoint_of(const Session& postgresql) {
  return static_cast<const PostgresqlSession&>(postgresql).endpoint();
}

Result<std::unique_ptr<Server>> start_postgresql(DataPlace place) {
  const std::string bin = find_programs();
  if (bin.empty())
    return failure("there is no PostgreSQL server on this machine",
                   "install the package postgresql");
  const std::string run = as_user("postgres") + bin;
  auto keeper = Keeper::start(
      "postgresql", "postgres", "QUIT",
      run +
          "/initdb -D \"$dir/data\" -U postgres -A trust -E UTF8 --locale=C"
          " --no-sync --no-instructions || exit 1\n" +
          run + "/postgres -D \"$dir/data\"" + kPostgresSettings +
          " &\nserver=$!\n",
      place);
  if (!keeper) return keeper.error();
  auto server = std::make_unique<PostgresqlServer>(*std::move(keeper));
  if (auto done = server->wait(); !done) return done.error();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace txscope::db
