#include "txscope/record.h"

#include <cstdio>
#include <utility>

#include "db/record/recorder.h"
#include "db/record/write_log.h"
#include "verb/database/record_proxy.h"
#include "verb/database/record_setup.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

std::string summary_of(const db::RecordCounts& counts,
                       const RecordRequest& request,
                       const db::Database& database) {
  char rate[32];
  std::snprintf(
      rate, sizeof rate, "%.0f",
      counts.seconds > 0
          ? static_cast<double>(counts.transactions()) / counts.seconds
          : 0.0);
  const auto part = [](std::uint64_t count, const char* name) {
    return count == 0 ? std::string()
                      : ", " + std::to_string(count) + " " + name;
  };
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", counts.seconds);
  return "recorded " + std::to_string(counts.transactions()) +
         " transactions of " + std::to_string(request.client_count()) +
         (request.client_count() == 1 ? " client on " : " clients on ") +
         database.shown() + " in " + seconds + " s (" + rate +
         "/s): " + std::to_string(counts.committed) + " committed" +
         part(counts.aborted, "aborted") + part(counts.unknown, "unknown") +
         part(counts.retries, "retries") +
         part(counts.reconnections, "reconnections") + "\n";
}

/// Drops what was made; a note if that cannot be done.
std::string clean_up(RecordSetup& setup) {
  setup.control.reset();
  const auto done = setup.own->drop();
  return done ? "" : "note: " + done.error().what + "\n";
}

Result<Report> record_workload(const RecordRequest& request,
                               const Budget& budget) {
  auto file = db::LineFile::open(request.output);
  if (!file) return file.error();
  auto made = make_setup(request);
  if (!made) return made.error();
  RecordSetup& setup = **made;
  const db::Redactor redactor(request.seed);
  if (auto done = write_header(setup.header,
                               request.redact ? &redactor : nullptr, *file);
      !done)
    return done.error();

  db::RecordWorld world;
  world.connect = [&] { return setup.connect(); };
  world.make_actor = setup.make_actor;
  world.end_session = [&](db::Session& session) { setup.end(session); };
  world.file = &*file;
  world.redactor = request.redact ? &redactor : nullptr;
  const Budget until =
      request.time ? budget.within(*request.time) : Budget(budget);
  world.on_progress = [&](const db::RecordCounts& counts) {
    if (request.listener.on_progress)
      request.listener.on_progress(
          std::to_string(counts.transactions()) + " of " +
          std::to_string(request.transactions) + " transactions, " +
          std::to_string(counts.aborted) + " aborted");
    return !(request.is_over && request.is_over()) && !until.spent_now();
  };
  const auto counts = db::record(setup.plan, world);
  const std::string left = clean_up(setup);
  if (!counts) return report_of(counts.error(), 0, *file);
  return report_of(summary_of(*counts, request, *setup.database) + left,
                   counts->committed, *file);
}

}  // namespace

Result<Done> write_header(db::LogHeader header, const db::Redactor* redactor,
                          db::LineFile& file) {
  if (redactor != nullptr) redactor->redact(header);
  file.write(db::header_line(header));
  if (file.flush()) return Done{};
  return Error{Place{file.path(), 0, 0, {}}, "cannot write: " + file.error(),
               "", ""};
}

Result<Report> report_of(const Result<std::string>& summary,
                         std::uint64_t committed, const db::LineFile& file) {
  if (!summary && file.bytes() == 0) return summary.error();
  Report report;
  report.verb = "record";
  if (summary) {
    report.summary = *summary;
    report.checked.committed = committed;
    if (committed > 0) return report;
    report.checked.vacuous_because = "no transaction committed";
    report.summary +=
        "nothing to audit was recorded: no transaction committed\n";
    return report;
  }
  // What was recorded is there and good; but it is not what was asked for.
  report.failure = summary.error();
  Finding cut;
  cut.property = "recorded as asked";
  cut.why = summary.error().what;
  report.findings.push_back(std::move(cut));
  return report;
}

Result<Report> record(const RecordRequest& request, const Budget& budget) {
  if (!request.proxy.empty() && !request.workload.empty())
    return wrong_call("--proxy and --workload exclude each other",
                      "a proxy records what others do");
  if (!request.proxy.empty()) return record_proxy(request, budget);
  if (request.workload.empty())
    return wrong_call("what should be recorded?",
                      "say --workload bank, or --proxy 127.0.0.1:6432");
  return record_workload(request, budget);
}

}  // namespace txscope::verb
