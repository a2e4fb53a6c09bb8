#include "db/mariadb.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "db/keeper.h"
#include "db/libmariadb.h"
#include "db/mariadb_type.h"

namespace txscope::db {
namespace {

class MariadbSession final : public Session {
 public:
  explicit MariadbSession(MYSQL* connection) : connection_(connection) {}
  MariadbSession(const MariadbSession&) = delete;
  MariadbSession& operator=(const MariadbSession&) = delete;
  ~MariadbSession() override { mysql_close(connection_); }

  void send(const std::string& sql) override {
    is_pending_ = true;
    is_sent_ = mysql_send_query(connection_, sql.data(), sql.size()) == 0;
  }

  bool is_answered() override {
    if (!is_pending_ || !is_sent_) return true;
    pollfd readable{socket(), POLLIN, 0};
    return ::poll(&readable, 1, 0) != 0;
  }

  Answer receive() override {
    is_pending_ = false;
    Answer answer;
    if (!is_sent_ || mysql_read_query_result(connection_) != 0) return error();
    for (;;) {
      answer = take_result();
      if (!answer.is_ok() || mysql_more_results(connection_) == 0)
        return answer;
      if (mysql_next_result(connection_) != 0) return error();
    }
  }

  int socket() const override { return mysql_get_socket(connection_); }
  std::int64_t id() const override {
    return static_cast<std::int64_t>(mysql_thread_id(connection_));
  }

 private:
  Answer error() const {
    Answer answer;
    const unsigned number = mysql_errno(connection_);
    // Numbers from 2000 are the client library's: the server is gone.  1053:
    // it shuts down; 1927: it was told to end this connection.
    const bool is_lost = number == 0 || (number >= 2000 && number < 3000) ||
                         number == 1053 || number == 1927;
    answer.code = is_lost ? std::string(Answer::kLost) : std::to_string(number);
    answer.number = is_lost ? 0 : number;
    if (!is_lost) answer.sqlstate = mysql_sqlstate(connection_);
    answer.message = mysql_error(connection_);
    return answer;
  }

  Answer take_result() {
    Answer answer;
    MYSQL_RES* result = mysql_store_result(connection_);
    if (result == nullptr) {
      if (mysql_errno(connection_) != 0) return error();
      answer.count = mysql_affected_rows(connection_);
      return answer;
    }
    const unsigned columns = mysql_num_fields(result);
    const MYSQL_FIELD* fields = mysql_fetch_fields(result);
    for (unsigned c = 0; c < columns; ++c) {
      const ColumnType type = mariadb_type(fields[c].type, fields[c].charsetnr);
      answer.columns.push_back({fields[c].name, kind_of(type), type});
    }
    while (MYSQL_ROW row = mysql_fetch_row(result)) {
      const unsigned long* sizes = mysql_fetch_lengths(result);
      auto& cells = answer.rows.emplace_back();
      for (unsigned c = 0; c < columns; ++c)
        cells.push_back(
            row[c] == nullptr ? Cell() : Cell(std::in_place, row[c], sizes[c]));
    }
    answer.count = answer.rows.size();
    mysql_free_result(result);
    return answer;
  }

  MYSQL* connection_;
  bool is_sent_ = false;
};

class MariadbServer final : public Server {
 public:
  explicit MariadbServer(Keeper keeper) : keeper_(std::move(keeper)) {}

  const std::string& host() const override { return keeper_.directory(); }

  Result<std::unique_ptr<Session>> connect(
      const std::string& database) override {
    return connect_mariadb(keeper_.directory() + "/socket", "root",
                           database.empty() ? "test" : database);
  }

  Result<Done> wait() {
    for (int rounds = 0; rounds < 3000; ++rounds) {
      auto session =
          connect_mariadb(keeper_.directory() + "/socket", "root", "");
      if (session) {
        (*session)->execute("CREATE DATABASE test CHARACTER SET utf8mb4");
        watch_ = make_watch(Product::MariaDb, *std::move(session));
        return Done{};
      }
      if (keeper_.has_ended()) break;
      ::usleep(10'000);
    }
    return failure("MariaDB does not start: " + keeper_.log());
  }

 private:
  Keeper keeper_;
};

std::string find_program() {
  std::error_code error;
  for (const char* path :
       {"/usr/sbin/mariadbd", "/usr/local/sbin/mariadbd",
        "/usr/local/mysql/bin/mariadbd", "/usr/bin/mariadbd"})
    if (std::filesystem::exists(path, error)) return path;
  return "";
}

// Without the system tables, which nothing here needs, a server is there in 0.2
// seconds instead of 4; without a file per table and its fsync a TRUNCATE takes
// 0.4 ms instead of 15.
constexpr const char* kSettings =
    " --no-defaults --datadir=\"$dir/data\" --socket=\"$dir/socket\""
    " --tmpdir=\"$dir/data\" --pid-file=\"$dir/data/pid\" --skip-networking "
    "--skip-grant-tables"
    " --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0"
    " --innodb-log-file-size=8M --innodb-buffer-pool-size=32M"
    " --innodb-stats-persistent=0 --innodb-lock-wait-timeout=100000000"
    " --innodb-autoinc-lock-mode=2 --lock-wait-timeout=31536000"
    " --default-storage-engine=InnoDB --character-set-server=utf8mb4"
    " --collation-server=utf8mb4_bin --sql-mode=TRADITIONAL,ANSI"
    " --innodb-file-per-table=0 --innodb-flush-method=nosync --sync-frm=0"
    " --performance-schema=0 --query-cache-type=0";

}  // namespace

Result<std::unique_ptr<Session>> connect_mariadb(
    const MariadbAddress& address) {
  const auto text = [](const std::string& value) {
    return value.empty() ? nullptr : value.c_str();
  };
  if (auto why = libmariadb.load(); !why.empty())
    return failure(std::move(why));
  MYSQL* connection = mysql_init(nullptr);
  if (connection == nullptr) return failure("libmariadb has no memory");
  mysql_optionsv(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  if (address.reads_option_files)
    mysql_optionsv(connection, MYSQL_READ_DEFAULT_GROUP, "client");
  if (mysql_real_connect(connection, text(address.host), text(address.user),
                         text(address.password), text(address.database),
                         address.port, text(address.socket),
                         CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS) ==
      nullptr) {
    Error error = failure(mysql_error(connection));
    mysql_close(connection);
    return error;
  }
  return std::unique_ptr<Session>(std::make_unique<MariadbSession>(connection));
}

Result<std::unique_ptr<Session>> connect_mariadb(const std::string& socket,
                                                 const std::string& user,
                                                 const std::string& database) {
  MariadbAddress address;
  address.socket = socket;
  address.user = user;
  address.database = database;
  return connect_mariadb(address);
}

Result<std::unique_ptr<Server>> start_mariadb() {
  const std::string program = find_program();
  if (program.empty())
    return failure("there is no MariaDB server on this machine",
                   "install the package mariadb-server");
  auto keeper = Keeper::start("mariadb", "mysql", "KILL",
                              as_user("mysql") + "mkdir \"$dir/data\"\n" +
                                  as_user("mysql") + program + kSettings +
                                  " &\nserver=$!\n");
  if (!keeper) return keeper.error();
  auto server = std::make_unique<MariadbServer>(*std::move(keeper));
  if (auto done = server->wait(); !done) return done.error();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace txscope::db
