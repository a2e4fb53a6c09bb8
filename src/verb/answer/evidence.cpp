#include "verb/answer/evidence.h"

#include <map>
#include <memory>
#include <string>

#include "verb/answer/document.h"

namespace txscope::verb {
namespace {

evidence::Run run_of(report::document::Finding& from) {
  return {std::move(from.lanes),  std::move(from.steps),
          std::move(from.arrows), std::move(from.end),
          std::move(from.serial), std::move(from.serial_says),
          std::move(from.cycle)};
}

/// By what kind of question was asked: of what clients saw, whether an order
/// explains it; of a protocol, which states it reaches; else how transactions
/// run.
evidence::Evidence evidence_of(bool is_observed,
                               report::document::Finding& from) {
  if (from.is_protocol) {
    if (from.steps.empty()) return {};
    return evidence::Trace{std::move(from.lanes), std::move(from.steps),
                           std::move(from.arrows), from.loop};
  }
  if (is_observed) {
    evidence::Refutation refutation;
    refutation.cycle = from.cycle;
    refutation.mismatches = std::move(from.mismatches);
    refutation.transactions = run_of(from);
    return refutation;
  }
  if (from.steps.empty() && from.cycle.empty()) return {};
  return run_of(from);
}

evidence::Shown shown_of(bool is_observed, report::document::Finding& from) {
  evidence::Shown shown;
  shown.id = from.id;
  shown.kind = from.kind;
  shown.sentence = from.title;
  shown.level = from.level;
  shown.place = from.place;
  shown.rule = std::move(from.rule);
  shown.facts = std::move(from.facts);
  shown.repairs = std::move(from.repairs);
  shown.word = from.word;
  shown.evidence = evidence_of(is_observed, from);
  return shown;
}

/// What shows that a level or a rule holds, where that was asked for.
class Proofs {
 public:
  explicit Proofs(Report& report) : report_(report) {}

  void operator()(const VerifyDetail& found) const {
    for (std::size_t i = 0; i < found.result.rows.size(); ++i) {
      const verify::VerifyRow& row = found.result.rows[i];
      if (row.evidence)
        add(i, evidence::Formula{"smt-lib 2", "unsat", *row.evidence});
    }
  }
  void operator()(const CheckDetail& found) const {
    std::size_t i = 0;
    for (const CheckedInput& input : found.inputs)
      for (const auto& order : input.orders) {
        if (order) add(i, *order);
        ++i;
      }
  }
  void operator()(const AuditDetail& found) const {
    if (!found.evidence) return;
    for (std::size_t i = 0; i < found.report.results.size(); ++i) {
      const audit::AuditResult& result = found.report.results[i];
      evidence::CommitOrder order;
      for (const audit::Placed& placed : result.found.order)
        if (placed.is_committed)
          order.transactions.push_back(result.ids[placed.txn]);
      if (!order.transactions.empty()) add(i, std::move(order));
    }
  }
  template <class Other>
  void operator()(const Other&) const {}

 private:
  void add(std::size_t finding, evidence::Evidence evidence) const {
    if (finding >= report_.findings.size()) return;
    evidence::Shown shown;
    shown.kind = "holds";
    shown.level = report_.findings[finding].level;
    shown.evidence = std::move(evidence);
    report_.findings[finding].shown.push_back(report_.shown.size());
    report_.shown.push_back(std::move(shown));
  }

  Report& report_;
};

}  // namespace

void conclude(Report& report, Detail found) {
  report.detail = std::make_shared<const Detail>(std::move(found));
  report::document::Document document = engine_document(report);
  std::map<std::string, std::size_t> number_of;
  for (std::size_t i = 0; i < document.findings.size(); ++i)
    number_of[document.findings[i].id] = i;
  for (Finding& finding : report.findings) {
    if (finding.outcome == Outcome::Holds) continue;
    for (const std::string& id : shown_by(document, finding))
      finding.shown.push_back(number_of[id]);
  }
  const bool is_observed = report.verb == "check" || report.verb == "audit";
  for (report::document::Finding& one : document.findings)
    report.shown.push_back(shown_of(is_observed, one));
  std::visit(Proofs(report), report.detail->found);
}

}  // namespace txscope::verb
