#include "report/check_evidence.h"

#include <algorithm>
#include <set>
#include <span>

#include "check/anomaly/anomaly.h"
#include "report/check_report.h"
#include "report/page/wrap.h"

namespace txscope::report {
namespace {

constexpr std::size_t kOpsShown = 8;
constexpr std::size_t kTxnsShown = 12;
constexpr std::size_t kCasesShown = 4;
constexpr std::size_t kCasesShownOfLemmas = 2;

// What a refutation speaks of: its transactions, in order of appearance, and
// its keys.
struct Cast {
  std::vector<TxnId> txns;
  std::set<TxnId> known;
  std::set<KeyId> keys;

  void add(TxnId t) {
    if (known.insert(t).second) txns.push_back(t);
  }
  void add(KeyId k) {
    if (k != kNone<KeyId>) keys.insert(k);
  }
  void add(const History& history, OpId op) {
    if (op == kNone<OpId>) return;
    add(history.txn_of(op));
    add(history.at(op).key);
  }
};

Cast cast_of(const History& history, std::span<const Case> cases) {
  Cast cast;
  for (const Case& c : cases) {
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
    if (!cast.keys.contains(history.at(OpId(i)).key) || shown == kOpsShown) {
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
    chain += " --" + std::string(check::edge_letters(edge.kind));
    if (edge.key != kNone<KeyId>) chain += "(" + history.name(edge.key) + ")";
    chain += "--> " + history.name(edge.to);
  }
  std::string text = wrapped("  ", chain);
  for (const Edge& edge : cycle)
    text += wrapped("  - ", check::reason(history, edge));
  return text;
}

std::string show_case(const History& history, const Case& c) {
  if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
    return show_cycle(history, *cycle);
  if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
    return wrapped("  - ", check::reason(history, *bad));
  const auto& set = std::get<UnfoundedSet>(c.contradiction);
  std::string text;
  const std::size_t shown = std::min(set.members.size(), kTxnsShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += wrapped("  - ", check::reason(history, set.members[i]));
  if (shown < set.members.size())
    text += "  .. and " + grouped(set.members.size() - shown) + " more\n";
  return text + wrapped("  - ", check::conclusion(set));
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

std::string describe(const History& history, const Literal& literal) {
  if (!literal.is_negated) return describe(history, literal.atom);
  const Assumption& atom = literal.atom;
  switch (atom.kind) {
    case Assumption::Kind::Before:
      return history.name(atom.b) + " is before " + history.name(atom.a);
    case Assumption::Kind::Committed:
      return history.name(atom.a) + " did not commit";
    case Assumption::Kind::Aborted: return history.name(atom.a) + " committed";
    case Assumption::Kind::Writer:
      return history.describe(atom.op) + " of " +
             history.name(history.txn_of(atom.op)) + " is not from " +
             history.name(atom.a);
    case Assumption::Kind::Element:
      return "element " + std::to_string(atom.position + 1) + " of list " +
             history.name(atom.key) + " is not by " +
             history.name(history.txn_of(atom.op));
  }
  return "";
}

std::span<const Case> cases_to_draw(const Refutation& refutation) {
  const std::span all(refutation.cases);
  if (refutation.lemmas.empty()) return all;
  return all.first(std::min(all.size(), kCasesShownOfLemmas));
}

std::string show_refutation(const History& history, Level level,
                            const Refutation& refutation) {
  const auto drawn = cases_to_draw(refutation);
  const Cast cast = cast_of(history, drawn);
  std::string text = "\nThe transactions:\n";
  const std::size_t shown = std::min(cast.txns.size(), kTxnsShown);
  for (std::size_t i = 0; i < shown; ++i)
    text += show_txn(history, cast.txns[i], cast);
  if (shown < cast.txns.size())
    text += "  .. and " + grouped(cast.txns.size() - shown) + " more\n";
  text += "\nWhy " + std::string(name(level.base)) + " forbids it:\n";
  const std::size_t count = refutation.cases.size();
  if (!refutation.lemmas.empty())
    text += wrapped(" ", grouped(count) +
                             " cases contradict themselves, and " +
                             grouped(refutation.lemmas.size()) +
                             " lemmas show that nothing else is possible; "
                             "--format json has them and --certify checks "
                             "them. The simplest cases:");
  for (std::size_t i = 0; i < std::min(drawn.size(), kCasesShown); ++i) {
    const Case& c = drawn[i];
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
  if (refutation.lemmas.empty() && count > kCasesShown)
    text += " .. and " + grouped(count - kCasesShown) +
            " more cases, each with a contradiction; --format json has them\n";
  return text;
}

}  // namespace txscope::report
