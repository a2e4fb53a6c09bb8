#include "verb/database/record_proxy.h"

#include <charconv>

#include "db/postgresql.h"
#include "db/proxy/initial_state.h"
#include "db/proxy/mariadb_state.h"
#include "db/proxy/proxy.h"
#include "db/record/write_log.h"
#include "verb/database/record_setup.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

constexpr std::uint64_t kMaxInitialRows = 100'000;  // per table

// "127.0.0.1:6432", "[::1]:6432", "6432"
Result<Done> parse_listen(const std::string& text, db::ProxyPlan& plan) {
  const std::size_t colon = text.rfind(':');
  const std::string port =
      colon == std::string::npos ? text : text.substr(colon + 1);
  if (colon != std::string::npos && colon > 0)
    plan.host = text.substr(0, colon);
  if (plan.host.size() > 2 && plan.host.front() == '[')
    plan.host = plan.host.substr(1, plan.host.size() - 2);
  const char* end = port.data() + port.size();
  const auto [rest, error] = std::from_chars(port.data(), end, plan.port);
  if (error == std::errc() && rest == end && !port.empty()) return Done{};
  return wrong_call("--proxy: cannot read '" + text + "'",
                    "say 127.0.0.1:6432");
}

std::string summary_of(const db::ProxyCounts& counts) {
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string text = "recorded " + number(counts.transactions) +
                     " transactions of " + number(counts.connections) +
                     " connections\n";
  if (counts.refused_tls > 0)
    text += "note: " + number(counts.refused_tls) +
            " times a client asked for TLS and was told that there is none; "
            "one with sslmode=require gives up then\n";
  if (counts.unrecorded > 0)
    text += "note: " + number(counts.unrecorded) +
            " connections to other databases were passed on, not recorded\n";
  if (counts.unobserved > 0)
    text += "note: " + number(counts.unobserved) +
            " results were too large to keep, or of unknown binary types\n";
  if (counts.unknown > 0)
    text += "note: " + number(counts.unknown) +
            " statements were too large to keep, or calls without SQL: audit "
            "assumes that they may have done anything\n";
  if (counts.never_started > 0)
    text += "note: " + number(counts.never_started) +
            " times a client connected and did not log in\n";
  return text;
}

/// Where the server is that a session talks to.
Result<Done> find_server(db::Session& session, const db::Database& database,
                         db::ProxyPlan& plan) {
  plan.product = database.product();
  if (plan.product == Product::PostgreSql) {
    const db::PostgresqlEndpoint endpoint = db::endpoint_of(session);
    plan.server_host = endpoint.host;
    plan.server_port = endpoint.port;
    plan.database = endpoint.database;
    return Done{};
  }
  const db::Answer here =
      session.execute("SELECT database(), @@socket, @@port");
  if (!here.is_ok()) return db::failure(here.message);
  const std::vector<db::Cell>& row = here.rows.at(0);
  plan.database = row[0].value_or("");
  if (plan.database.empty())
    return wrong_call("--db names no database",
                      "say which one to record: mariadb://localhost/shop");
  const std::string host = database.mariadb_host();
  if (!host.empty() && host != "localhost") {
    plan.server_host = host;
    plan.server_port = row[2].value_or("3306");
    return Done{};
  }
  const std::string socket = row[1].value_or("");
  const std::size_t slash = socket.rfind('/');
  plan.server_host = socket.substr(0, slash);
  plan.server_file = socket.substr(slash + 1);
  return Done{};
}

/// The database as it is.
Result<db::LogHeader> look_at(db::Session& session, const std::string& level,
                              db::ProxyPlan& plan, std::string& note) {
  if (plan.product == Product::MariaDb) {
    auto state = db::mariadb_state(session, plan.database, kMaxInitialRows);
    if (!state) return state.error();
    plan.mariadb = state->world;
    if (!state->left_out.empty())
      note += "note: the log does not describe " + state->left_out +
              "; audit assumes that statements on those tables may have done "
              "anything\n";
    if (state->ignores_case)
      note +=
          "note: this database compares texts without regard to case; "
          "audit compares them as they are\n";
    state->header.database = db::version_of(session, Product::MariaDb);
    if (!level.empty()) state->header.level = level;
    return std::move(state->header);
  }
  auto header = db::initial_state(session, kMaxInitialRows);
  if (!header) return header.error();
  header->database = db::version_of(session, Product::PostgreSql);
  header->settings.emplace_back("clock", db::clock_of(session));
  if (!level.empty()) header->level = level;
  return header;
}

Result<db::ProxyPlan> plan_of(const RecordRequest& request) {
  db::ProxyPlan plan;
  if (auto ok = parse_listen(request.proxy, plan); !ok) return ok.error();
  if (!request.clients) return plan;
  if (*request.clients < 1)
    return wrong_call("--clients: 0 is out of range",
                      "a proxy needs at least one connection");
  plan.max_connections = *request.clients;
  return plan;
}

/// What the log claims; empty: what the server has as its default.
Result<std::string> level_of(const RecordRequest& request, Product product) {
  if (request.level.empty()) return std::string();
  auto level = db::isolation(product, request.level);
  if (!level) return level.error();
  return level->level;
}

/// For people who want to connect.
std::string shown(const db::ProxyPlan& plan, const db::Database& database) {
  return plan.database +
         (database.is_private()
              ? " on " + database.shown() + ", user " +
                    (plan.product == Product::PostgreSql ? "postgres" : "root")
              : "");
}

}  // namespace

Result<Report> record_proxy(const RecordRequest& request,
                            const Budget& budget) {
  auto plan = plan_of(request);
  if (!plan) return plan.error();
  auto file = db::LineFile::open(request.output,
                                 request.force ? db::LineFile::Older::Replace
                                               : db::LineFile::Older::Refuse);
  if (!file) return file.error();
  auto database = open_database(request);
  if (!database) return database.error();
  if ((*database)->product() == Product::Sqlite)
    return wrong_call("--proxy: SQLite has no server to connect to",
                      "record it by --workload");
  auto level = level_of(request, (*database)->product());
  if (!level) return level.error();
  auto session = (*database)->connect();
  if (!session) return session.error();
  if (auto ok = find_server(**session, **database, *plan); !ok)
    return ok.error();
  std::string note;
  const db::Redactor redactor(request.seed);
  const Budget until =
      request.time ? budget.within(*request.time) : Budget(budget);
  db::ProxyWorld world;
  world.file = &*file;
  world.redactor = request.redact ? &redactor : nullptr;
  // The port is ours before anything is written, and the log has its first
  // line before anybody writes through it.
  world.on_listening = [&](std::uint16_t port) -> Result<Done> {
    auto header = look_at(**session, *level, *plan, note);
    if (!header) return header.error();
    session->reset();
    auto done = write_header(*std::move(header), world.redactor, *file);
    if (done && request.on_listening)
      request.on_listening(plan->host, port, shown(*plan, **database));
    return done;
  };
  world.on_progress = [&](const db::ProxyCounts& counts) {
    if (request.listener.on_progress)
      request.listener.on_progress(
          std::to_string(counts.transactions) + " transactions of " +
          std::to_string(counts.connections) + " connections");
    return !(request.is_over && request.is_over()) && !until.spent_now();
  };
  const auto counts = db::run_recording_proxy(*plan, world);
  if (!counts) return report_of(counts.error(), 0, *file);
  return report_of(summary_of(*counts) + note, counts->transactions, *file);
}

}  // namespace txscope::verb
