#include <nlohmann/json.hpp>

#include "report/audit_report.h"
#include "report/nothing_committed.h"

namespace txscope::report {
namespace {

using AuditJson = nlohmann::ordered_json;

AuditJson first_bad_json(const audit::FirstBad& bad) {
  AuditJson nearest = AuditJson::array();
  for (const audit::FirstBad::Nearest& one : bad.nearest)
    nearest.push_back(
        {{"after", one.after.empty() ? AuditJson() : AuditJson(one.after)},
         {"statement", one.statement},
         {"expected", one.expected},
         {"why", one.why}});
  return {{"transaction", bad.transaction},
          {"statement", bad.statement},
          {"line", bad.line},
          {"sql", bad.sql},
          {"expected", bad.expected},
          {"observed", bad.observed},
          {"why", bad.why},
          {"nearest", std::move(nearest)}};
}

}  // namespace

AuditJson audit_json(const audit::AuditReport& report, double seconds,
                     bool evidence) {
  AuditJson results = AuditJson::array();
  for (const audit::AuditResult& result : report.results) {
    AuditJson json;
    json["level"] = result.level.name;
    json["order"] = result.level.is_strict ? "realtime" : "session";
    if (result.level.is_exact) json["times"] = "exact";
    json["verdict"] = name(result.found.answer);
    json["transactions"] = report.transactions;
    json["statements"] = report.statements;
    if (!nothing_committed(report.transactions - report.unknown, report.unknown)
             .empty())
      json["nothing_committed"] = true;
    if (report.own_levels > 0) json["own_levels"] = report.own_levels;
    if (report.skipped > 0) json["skipped"] = report.skipped;
    if (report.not_judged > 0) {
      json["understood"] = report.statements - report.not_judged;
      if (result.found.answer == Outcome::Holds) json["partial"] = true;
    }
    if (report.is_cut) json["cut"] = true;
    if (!result.found.reason.empty()) json["reason"] = result.found.reason;
    if (!result.found.strategy.empty())
      json["strategy"] = result.found.strategy;
    if (result.found.answer != Outcome::Holds && result.found.first_bad)
      json["first_bad"] = first_bad_json(*result.found.first_bad);
    if (!result.found.core.empty()) json["core"] = result.found.core;
    if (!result.found.schedule.empty()) {
      json["schedule"] = AuditJson::array();
      for (const audit::CoreTxn& txn : result.found.schedule) {
        AuditJson one{{"transaction", txn.id},
                      {"session", txn.session},
                      {"line", txn.line},
                      {"statements", AuditJson::array()}};
        for (const auto& statement : txn.statements)
          one["statements"].push_back(
              {{"sql", statement.sql}, {"observed", statement.observed}});
        json["schedule"].push_back(std::move(one));
      }
    }
    if (!result.certified.empty()) json["certified"] = result.certified;
    if (evidence && result.found.answer == Outcome::Holds) {
      json["commit_order"] = AuditJson::array();
      json["snapshots"] = AuditJson::array();
      for (const audit::Placed& placed : result.found.order) {
        if (!placed.is_committed) continue;
        json["commit_order"].push_back(result.ids[placed.txn]);
        json["snapshots"].push_back(placed.snapshot);
      }
    }
    json["checked_per_s"] =
        seconds > 0 ? static_cast<std::int64_t>(
                          static_cast<double>(report.transactions) / seconds)
                    : 0;
    results.push_back(std::move(json));
  }
  return results;
}

}  // namespace txscope::report
