#include <algorithm>

#include "check/anomaly.h"
#include "report/check_report.h"
#include "report/dictionary.h"
#include "report/wrap.h"

namespace txscope {
namespace {

constexpr std::size_t kLevelColumn = 30;
constexpr std::size_t kOpsShown = 8;
constexpr std::size_t kOrderShown = 12;
constexpr std::size_t kTxnsShown = 12;
constexpr std::size_t kCasesShown = 4;

std::string title(const History& history, const Verdict& verdict) {
  const Anomaly anomaly =
      anomaly_of(history, verdict.level, verdict.refutation());
  if (anomaly.words.empty()) return anomaly.id;
  return anomaly.words + " (" + anomaly.id + ")";
}

template <class T>
bool contains(const std::vector<T>& all, T one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// What a refutation speaks of: its transactions, in order of appearance, and
// its keys.
struct Cast {
  std::vector<TxnId> txns;
  std::vector<KeyId> keys;

  void add(TxnId t) {
    if (!contains(txns, t)) txns.push_back(t);
  }
  void add(KeyId k) {
    if (k != kNone<KeyId> && !contains(keys, k)) keys.push_back(k);
  }
  void add(const History& history, OpId op) {
    if (op == kNone<OpId>) return;
    add(history.txn_of(op));
    add(history.at(op).key);
  }
};

Cast cast_of(const History& history, const Refutation& refutation) {
  Cast cast;
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        cast.add(edge.from);
        cast.add(edge.key);
        cast.add(history, edge.forced_by);
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      cast.add(history, bad->read);
      cast.add(history, bad->other);
    } else {
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members) {
        cast.add(m.txn);
        cast.add(history, m.read);
      }
    }
  }
  return cast;
}

// "  a#1   line 3   r(x)=0 w(x)=1", without the operations on other keys.
std::string show_txn(const History& history, TxnId t, const Cast& cast) {
  std::string line = "  " + padded(history.name(t), 10) + " ";
  if (t == History::kInitial) return line + "the initial state\n";
  const Txn& txn = history.at(t);
  std::string ops;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
    if (!contains(cast.keys, history.at(OpId(i)).key) || shown == kOpsShown) {
      ++left_out;
      continue;
    }
    ops += history.describe(OpId(i)) + " ";
    ++shown;
  }
  if (left_out > 0)
    ops += "(" + grouped(left_out) + (shown > 0 ? " more" : " others") + ") ";
  if (txn.status == Status::Aborted) ops += "aborted";
  if (txn.status == Status::Unknown) ops += "outcome unknown";
  line += padded(history.where(t), 10) + " ";
  return wrapped(line, ops);
}

std::string show_cycle(const History& history, const Cycle& cycle) {
  std::string chain = history.name(cycle.front().from);
  for (const Edge& edge : cycle) {
    chain += " --" + std::string(edge_letters(edge.kind));
    if (edge.key != kNone<KeyId>) chain += "(" + history.name(edge.key) + ")";
    chain += "--> " + history.name(edge.to);
  }
  std::string text = wrapped("  ", chain);
  for (const Edge& edge : cycle) text += wrapped("  - ", reason(history, edge));
  return text;
}

std::string show_case(const History& history, const Case& c) {
  if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
    return show_cycle(history, *cycle);
  if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
    return wrapped("  - ", reason(history, *bad));
  const auto& set = std::get<UnfoundedSet>(c.contradiction);
  std::string text;
  const std::size_t shown = std::min(set.members.size(), kTxnsShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += wrapped("  - ", reason(history, set.members[i]));
  if (shown < set.members.size())
    text += "  .. and " + grouped(set.members.size() - shown) + " more\n";
  return text + wrapped("  - ", conclusion(set));
}

std::string show_refutation(const History& history, const Verdict& verdict) {
  const Refutation& refutation = verdict.refutation();
  const Cast cast = cast_of(history, refutation);
  std::string text = "\nThe transactions:\n";
  const std::size_t shown = std::min(cast.txns.size(), kTxnsShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += show_txn(history, cast.txns[i], cast);
  if (shown < cast.txns.size())
    text += "  .. and " + grouped(cast.txns.size() - shown) + " more\n";
  text += "\nWhy " + std::string(name(verdict.level.base)) + " forbids it:\n";
  const std::size_t count = refutation.cases.size();
  for (std::size_t i = 0; i < std::min(count, kCasesShown); ++i) {
    const Case& c = refutation.cases[i];
    if (count > 1) {
      std::string assume;
      for (const Assumption& a : c.assume)
        assume += (assume.empty() ? "if " : " and ") + describe(history, a);
      text += wrapped(" case " + std::to_string(i + 1) + " of " +
                          std::to_string(count) + ": ",
                      assume);
    }
    text += show_case(history, c);
  }
  if (count > kCasesShown)
    text += " .. and " + grouped(count - kCasesShown) +
            " more cases, each with a contradiction; --format json has them\n";
  return text;
}

// The dictionary knows what an anomaly means in practice; by its plain word if
// it has one of its own, else by its class.
std::string what_to_do(const Anomaly& anomaly) {
  const auto* entry = dictionary::find(anomaly.words);
  if (entry == nullptr) entry = dictionary::find(anomaly.id);
  if (entry == nullptr) return "";
  std::string text;
  if (!entry->practice.empty())
    text += "\nWhat to do:\n" + wrapped("  ", entry->practice);
  return text + "\nMore: txscope explain " +
         dictionary::canonical(entry->name) + "\n";
}

std::string show_commit_order(const History& history, const CommitOrder& co) {
  std::string order;
  const std::size_t shown = std::min(co.order.size(), kOrderShown);
  for (std::size_t i = 0; i < shown; ++i)
    order += (i > 0 ? ", " : "") + history.name(co.order[i]);
  if (shown < co.order.size())
    order += ", .. (" + grouped(co.order.size()) +
             " in all; --format json --evidence has them)";
  return wrapped("  commit order: ", order);
}

std::string size_of(const History& history) {
  return counted(history.size() - 1, "transaction") + " in " +
         counted(history.sessions().size(), "session") + ", " +
         counted(history.ops().size(), "operation");
}

// The rows that are violated by themselves.
std::vector<const CheckReport::Row*> minimal_rows(const CheckReport& report) {
  std::vector<const CheckReport::Row*> found;
  for (const auto& row : report.rows)
    if (row.verdict.outcome() == Outcome::Violated && !row.follows_from)
      found.push_back(&row);
  return found;
}

std::string headline_of_one(const History& history, const Verdict& verdict) {
  const std::string level = describe(verdict.level);
  switch (verdict.outcome()) {
    case Outcome::Holds: return level + " holds";
    case Outcome::Violated:
      return level + " is VIOLATED: " + title(history, verdict);
    case Outcome::Undecided: break;
  }
  return level + " is undecided: the " + to_string(verdict.spent()) +
         " budget ended";
}

// By its base; with its order where that is not the one of the headline.
std::string row_name(const CheckReport& report, Level level) {
  if (level.order == report.rows.front().verdict.level.order)
    return std::string(name(level.base));
  if (level == Level{Base::Serializable, Order::Realtime})
    return "strict-serializable";
  return describe(level);
}

std::string headline(const CheckReport& report) {
  if (report.rows.size() == 1)
    return headline_of_one(*report.history, report.rows.front().verdict);
  const Level first = report.rows.front().verdict.level;
  const std::string order = " (" + describe(first.order) + ")";
  const auto minimal = minimal_rows(report);
  const auto undecided = std::count_if(
      report.rows.begin(), report.rows.end(),
      [](const auto& r) { return r.verdict.outcome() == Outcome::Undecided; });
  if (minimal.empty() && undecided == 0)
    return "every level asked for holds" + order;
  if (minimal.empty())
    return counted(static_cast<std::uint64_t>(undecided), "level") +
           " undecided, none violated" + order;
  std::string text = "VIOLATED from ";
  for (std::size_t i = 0; i < minimal.size(); ++i)
    text +=
        (i > 0 ? " and " : "") + row_name(report, minimal[i]->verdict.level);
  return text + " up" + order;
}

std::string table(const CheckReport& report) {
  std::string text;
  for (const auto& row : report.rows) {
    const Verdict& verdict = row.verdict;
    std::string answer(name(verdict.outcome()));
    if (verdict.outcome() == Outcome::Undecided)
      answer += ": the " + to_string(verdict.spent()) + " budget ended";
    if (verdict.outcome() == Outcome::Violated)
      answer = row.follows_from
                   ? "also not"
                   : "VIOLATED   " + title(*report.history, verdict);
    text += "  " + padded(row_name(report, verdict.level), kLevelColumn) +
            answer + "\n";
  }
  return text;
}

bool nothing_committed(const History& history) {
  return history.size() > 1 &&
         std::none_of(history.txns().begin() + 1, history.txns().end(),
                      [](const Txn& t) { return t.status != Status::Aborted; });
}

}  // namespace

std::string describe(const History& history, const Assumption& assumption) {
  switch (assumption.kind) {
    case Assumption::Kind::Before:
      return history.name(assumption.a) + " is before " +
             history.name(assumption.b);
    case Assumption::Kind::Writer:
      return history.describe(assumption.op) + " of " +
             history.name(history.txn_of(assumption.op)) + " is from " +
             history.name(assumption.a);
    case Assumption::Kind::Committed:
      return history.name(assumption.a) + " committed";
    case Assumption::Kind::Aborted:
      return history.name(assumption.a) + " did not commit";
    case Assumption::Kind::Element:
      return "element " + std::to_string(assumption.position + 1) +
             " of list " + history.name(assumption.key) + " is by " +
             history.name(history.txn_of(assumption.op));
  }
  return "";
}

std::string check_text(const CheckReport& report) {
  const History& history = *report.history;
  std::string input = report.input;
  if (report.number > 0) input += ", history " + std::to_string(report.number);
  // Never wrapped, so that `grep VIOLATED` shows all of it.
  std::string text = input + ": " + headline(report) + "\n";
  text += "  " + size_of(history) + "\n";
  if (nothing_committed(history))
    text += "  Nothing committed: every level holds of nothing at all.\n";
  if (report.is_certified)
    text += "  Certified: every verdict was re-checked from the definitions.\n";
  const bool has_table = report.rows.size() > 1;
  if (has_table) text += "\n" + table(report);
  for (const auto* row : minimal_rows(report)) {
    const Verdict& verdict = row->verdict;
    if (has_table)
      text += "\n" + wrapped("", describe(verdict.level) + ": " +
                                     title(history, verdict));
    text += show_refutation(history, verdict);
    text +=
        what_to_do(anomaly_of(history, verdict.level, verdict.refutation()));
  }
  const Verdict& only = report.rows.front().verdict;
  if (!has_table && only.outcome() == Outcome::Holds)
    text += show_commit_order(history, only.commit_order());
  return text;
}

}  // namespace txscope
