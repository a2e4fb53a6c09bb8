#include "cli/record_proxy.h"

#include <charconv>
#include <cstdio>

#include "cli/diagnostics.h"
#include "cli/limits.h"
#include "cli/progress.h"
#include "cli/record_setup.h"
#include "cli/stop_signal.h"
#include "db/postgresql.h"
#include "db/proxy/initial_state.h"
#include "db/proxy/proxy.h"
#include "db/record/write_log.h"

namespace txscope::cli {
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

void tell_listening(const db::ProxyPlan& plan, std::uint16_t port) {
  std::fprintf(stderr,
               "listening on %s:%u for clients of database %s; end with "
               "Ctrl-C\n",
               plan.host.c_str(), static_cast<unsigned>(port),
               plan.database.c_str());
}

void tell_counts(const db::ProxyCounts& counts) {
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
  std::fputs(text.c_str(), stderr);
}

/// The database as it is, and where its server is.
Result<db::LogHeader> look_at(const db::Database& database,
                              db::ProxyPlan& plan) {
  auto session = database.connect();
  if (!session) return session.error();
  const db::PostgresqlEndpoint endpoint = db::endpoint_of(**session);
  plan.server_host = endpoint.host;
  plan.server_port = endpoint.port;
  plan.database = endpoint.database;
  auto header = db::initial_state(**session, kMaxInitialRows);
  if (!header) return header.error();
  header->database = db::version_of(**session, database.product());
  header->settings.emplace_back("clock", db::clock_of(**session));
  return header;
}

}  // namespace

int run_proxy(const Options& options) {
  db::ProxyPlan plan;
  if (auto ok = parse_listen(options.proxy, plan); !ok)
    return report_error(ok.error());
  if (options.clients != Options::kNotSaid) {
    if (options.clients < 1)
      return report_error(wrong_call("--clients: 0 is out of range",
                                     "a proxy of no connections is of no use"));
    plan.max_connections = options.clients;
  }
  const auto found_limits = limits(options);
  if (!found_limits) return report_error(found_limits.error());
  auto database = open_database(options);
  if (!database) return report_error(database.error());
  if ((*database)->product() != db::Product::PostgreSql)
    return report_error(wrong_call("--proxy speaks PostgreSQL's protocol only",
                                   "record other databases by --workload"));
  auto header = look_at(**database, plan);
  if (!header) return report_error(header.error());
  if (!options.level.empty()) {
    auto level = db::isolation(db::Product::PostgreSql, options.level);
    if (!level) return report_error(level.error());
    header->level = level->level;
  }
  auto file = db::LineFile::open(options.outputs.front().file);
  if (!file) return report_error(file.error());
  const db::Redactor redactor(options.seed);
  if (options.redact) redactor.redact(*header);
  file->write(db::header_line(*header));
  file->flush();

  const Budget budget(*found_limits);
  const StopSignals signals;
  Progress progress;
  db::ProxyWorld world;
  world.file = &*file;
  world.redactor = options.redact ? &redactor : nullptr;
  world.on_listening = [&](std::uint16_t port) { tell_listening(plan, port); };
  world.on_progress = [&](const db::ProxyCounts& counts) {
    if (progress.is_visible())
      progress.show(std::to_string(counts.transactions) + " transactions of " +
                    std::to_string(counts.connections) + " connections");
    return !is_stop_wanted() && !budget.spent_now();
  };
  const auto counts = db::run_recording_proxy(plan, world);
  if (!counts) {
    report_error(counts.error());
    return file->bytes() > 0 ? kUndecided : kWrong;
  }
  tell_counts(*counts);
  return kHolds;
}

}  // namespace txscope::cli
