#include <nlohmann/json.hpp>
#include <set>

#include "check/anomaly/anomaly.h"
#include "report/check_evidence.h"
#include "report/check_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

Json cycle_json(const History& history, const Cycle& cycle) {
  Json json = Json::array();
  for (const Edge& edge : cycle) {
    const bool has_key = edge.key != kNone<KeyId>;
    json.push_back({{"from", history.name(edge.from)},
                    {"to", history.name(edge.to)},
                    {"kind", check::edge_letters(edge.kind)},
                    {"key", has_key ? Json(history.name(edge.key)) : Json()},
                    {"reason", check::reason(history, edge)}});
  }
  return json;
}

Json bad_read_json(const History& history, const BadRead& bad) {
  return {{"transaction", history.name(history.txn_of(bad.read))},
          {"operation", history.describe(bad.read)},
          {"key", history.name(history.at(bad.read).key)},
          {"reason", check::reason(history, bad)}};
}

Json unfounded_json(const History& history, const UnfoundedSet& set) {
  Json json = Json::array();
  for (const auto& member : set.members)
    json.push_back({{"transaction", history.name(member.txn)},
                    {"reason", check::reason(history, member)}});
  return json;
}

Json case_json(const History& history, const Case& c) {
  Json json;
  json["assume"] = Json::array();
  for (const Assumption& a : c.assume)
    json["assume"].push_back(describe(history, a));
  json["cycle"] = Json::array();
  if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
    json["cycle"] = cycle_json(history, *cycle);
  else if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
    json["read"] = bad_read_json(history, *bad);
  else
    json["unfounded"] =
        unfounded_json(history, std::get<UnfoundedSet>(c.contradiction));
  return json;
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::Committed: return "committed";
    case Status::Aborted: return "aborted";
    case Status::Unknown: return "unknown";
  }
  return "";
}

Json atom_json(const AtomTable& atoms, Atom atom) {
  if (atom.is_null() || atom.is_no_value()) return nullptr;
  if (atom.is_small_int()) return atom.small_int();
  return atoms.text(atom);
}

Json operation_json(const History& history, OpId id) {
  const Op& op = history.at(id);
  Json json;
  json["kind"] = op.kind == OpKind::Append ? "append"
                 : op.is_read()            ? "read"
                                           : "write";
  json["key"] = history.name(op.key);
  if (op.kind == OpKind::ReadList) {
    json["value"] = Json::array();
    for (const Atom element : history.list(op))
      json["value"].push_back(atom_json(history.atoms(), element));
  } else {
    json["value"] = atom_json(history.atoms(), op.value);
  }
  const Place place = history.place(id);
  json["line"] = place.line == 0 ? Json() : Json(place.line);
  json["text"] = history.describe(id);
  return json;
}

// The transactions that a refutation speaks of, with what they did and where.
Json cast_json(const History& history, const Refutation& refutation) {
  std::set<TxnId> cast;
  const auto add = [&](OpId op) {
    if (op != kNone<OpId>) cast.insert(history.txn_of(op));
  };
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        cast.insert(edge.from);
        add(edge.forced_by);
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      add(bad->read);
      add(bad->other);
    } else {
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members)
        cast.insert(m.txn);
    }
  }
  Json json = Json::array();
  for (const TxnId t : cast) {
    const Place place = history.place(t);
    Json one;
    one["id"] = history.name(t);
    if (t != History::kInitial)
      one["session"] = history.name(history.at(t).session);
    one["file"] = place.file;
    one["line"] = place.line == 0 ? Json() : Json(place.line);
    one["status"] = status_name(history.at(t).status);
    one["operations"] = Json::array();
    const Txn& txn = history.at(t);
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
      one["operations"].push_back(operation_json(history, OpId(i)));
    json.push_back(std::move(one));
  }
  return json;
}

// A refutation by cases shows the first cycle under "cycle", too, so that a
// reader who knows only that field still sees one.
void add_refutation(const History& history, const Anomaly& anomaly,
                    const Refutation& refutation, Json& json) {
  json["anomaly"] = anomaly.id;
  json["anomaly_words"] = anomaly.words;
  const Json first = case_json(history, refutation.cases.front());
  json["cycle"] = first["cycle"];
  for (const char* other : {"read", "unfounded"})
    if (first.contains(other)) json[other] = first[other];
  json["involved"] = cast_json(history, refutation);
  if (refutation.cases.size() < 2 && refutation.lemmas.empty()) return;
  json["cases"] = Json::array();
  for (const Case& c : refutation.cases)
    json["cases"].push_back(case_json(history, c));
  if (refutation.lemmas.empty()) return;
  json["lemmas"] = Json::array();
  for (const Lemma& lemma : refutation.lemmas) {
    Json one_of = Json::array();
    for (const Literal& literal : lemma)
      one_of.push_back(describe(history, literal));
    json["lemmas"].push_back(std::move(one_of));
  }
}

void add_commit_order(const History& history, const CommitOrder& co,
                      Json& json) {
  json["commit_order"] = Json::array();
  for (const TxnId t : co.order)
    json["commit_order"].push_back(history.name(t));
  if (!co.reads_from.empty()) json["reads_from"] = Json::array();
  for (const auto& choice : co.reads_from)
    json["reads_from"].push_back(
        {{"transaction", history.name(history.txn_of(choice.read))},
         {"operation", history.describe(choice.read)},
         {"writer", history.name(choice.writer)}});
  if (!co.outcomes.empty()) json["outcomes"] = Json::array();
  for (const auto& outcome : co.outcomes)
    json["outcomes"].push_back(
        {{"transaction", history.name(outcome.txn)},
         {"outcome", outcome.committed ? "committed" : "aborted"}});
}

Json anomalies_json(const CheckReport& report, Level level) {
  Json all = Json::array();
  for (const check::AnomalyKind& kind : report.all->kinds) {
    if (kind.level != level) continue;
    Json json;
    json["count"] = kind.count;
    add_refutation(*report.history, kind.anomaly, kind.smallest, json);
    all.push_back(std::move(json));
  }
  return all;
}

void add_counts(const History& history, Json& json) {
  const HistoryCounts counts(history);
  json["committed"] = counts.committed;
  json["aborted"] = counts.aborted;
  json["unknown"] = counts.unknown;
  json["reads"] = counts.reads;
  json["writes"] = counts.writes;
  json["sessions"] = history.sessions().size();
  json["keys"] = history.key_count();
}

}  // namespace

nlohmann::ordered_json check_json(const CheckReport& report) {
  const History& history = *report.history;
  Json results = Json::array();
  for (const auto& row : report.rows) {
    const Verdict& verdict = row.verdict;
    Json json;
    if (report.is_one_of_many) json["input"] = report.input;
    if (report.number > 0) json["history"] = report.number;
    json["level"] = name(verdict.level.base);
    json["order"] = name(verdict.level.order);
    json["verdict"] = name(verdict.outcome());
    if (verdict.outcome() == Outcome::Undecided)
      json["budget"] = to_string(verdict.spent());
    if (!verdict.strategy.empty()) json["strategy"] = verdict.strategy;
    if (row.follows_from) json["follows_from"] = name(row.follows_from->base);
    if (verdict.outcome() == Outcome::Violated)
      add_refutation(history, anomaly_of(report, verdict), verdict.refutation(),
                     json);
    if (verdict.outcome() == Outcome::Holds && report.with_evidence)
      add_commit_order(history, verdict.commit_order(), json);
    if (report.is_certified) json["certified"] = true;
    if (report.all) {
      json["anomalies"] = anomalies_json(report, verdict.level);
      const auto& until = report.all->counted_until;
      json["all_counted"] =
          !until || (verdict.level != *until && implies(*until, verdict.level));
    }
    json["transactions"] = history.size() - 1;
    json["operations"] = history.ops().size();
    if (!nothing_committed(history).empty()) json["nothing_committed"] = true;
    if (report.all) add_counts(history, json);
    results.push_back(std::move(json));
  }
  return results;
}

}  // namespace txscope::report
