#include "audit/search/refuted.h"

#include <set>
#include <unordered_map>
#include <utility>
#include <variant>

#include "check/anomaly/anomaly.h"
#include "model/workload.h"

namespace txscope::audit {
namespace {

/// Those whose answers tell that they wrote nothing, or under which key: what
/// rows can have been rests on that.
std::vector<std::uint32_t> told_by_answers(const LoadedLog& log) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t t = 0; t < log.judged().size(); ++t) {
    const Txn& txn = log.judged()[t];
    for (std::size_t k = 0; k < txn.statements.size(); ++k) {
      const sql::LogStatement& s = txn.log->statements[k];
      if (!txn.statements[k]->is_sql() || txn.statements[k]->is_select() ||
          (s.count != std::uint64_t{0} && (!s.rows || s.rows->empty())))
        continue;
      all.push_back(t);
      break;
    }
  }
  return all;
}

}  // namespace

Found impossible(const LoadedLog& log, const Impossible& why) {
  Found found;
  found.answer = Outcome::Violated;
  const Txn& txn = log.judged()[why.txn];
  found.first_bad =
      first_bad(txn, Mismatch{why.statement, why.expected, why.why, kSetup});
  if (!why.has_core) return found;
  // More than these are no help to anybody.
  constexpr std::size_t kMostTold = 6;
  const std::vector<std::uint32_t> told = told_by_answers(log);
  if (told.size() > kMostTold) return found;
  std::set<std::uint32_t> core(told.begin(), told.end());
  core.insert(why.others.begin(), why.others.end());
  core.insert(why.txn);
  for (const std::uint32_t one : core)
    found.core.push_back(log.judged()[one].log->id);
  return found;
}

Found refuted(const LoadedLog& log, const History& history,
              const Verdict& verdict) {
  Found found;
  found.answer = Outcome::Violated;
  const Refutation& refutation = verdict.refutation();
  const Anomaly anomaly = check::anomaly_of(history, verdict.level, refutation);
  std::set<std::uint32_t> members;
  std::string why = anomaly.words + ":";
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        members.insert(edge.from.index);
        members.insert(edge.to.index);
        if (&c == &refutation.cases.front())
          why += " " + check::reason(history, edge) + ";";
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      members.insert(history.txn_of(bad->read).index);
      if (&c == &refutation.cases.front())
        why += " " + check::reason(history, *bad);
    } else {
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members) {
        members.insert(m.txn.index);
        if (&c == &refutation.cases.front())
          why += " " + check::reason(history, m) + ";";
      }
    }
  }
  if (why.back() == ';') why.pop_back();
  std::unordered_map<std::uint64_t, const Txn*> by_line;
  for (const Txn& txn : log.judged()) by_line.emplace(txn.log->line, &txn);
  const Txn* last = nullptr;
  for (const std::uint32_t member : members) {
    const auto txn = by_line.find(history.at(TxnId(member)).line);
    if (txn == by_line.end()) continue;
    found.core.push_back(txn->second->log->id);
    if (last == nullptr || txn->second->log->line > last->log->line)
      last = txn->second;
  }
  if (last != nullptr)
    found.first_bad =
        first_bad(*last, Mismatch{last->statements.size(), "", why, kSetup});
  return found;
}

CoreTxn core_txn(const Txn& txn) {
  CoreTxn one;
  one.id = txn.log->id;
  one.session = txn.log->session;
  one.line = txn.log->line;
  one.status = txn.log->status;
  for (const sql::LogStatement& s : txn.log->statements)
    one.statements.push_back({one_line(with_parameters(s)), describe(s)});
  return one;
}

void tell_core(const LoadedLog& log, Found& found) {
  constexpr std::size_t kMost = 6;
  if (found.core.size() > kMost) return;
  const std::set<std::string> core(found.core.begin(), found.core.end());
  for (const Txn& txn : log.judged()) {
    if (core.count(txn.log->id) == 0) continue;
    found.schedule.push_back(core_txn(txn));
  }
}

}  // namespace txscope::audit
