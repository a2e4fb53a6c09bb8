#include <algorithm>
#include <optional>

#include "check/anomaly/anomaly.h"
#include "check/facts/provenance.h"
#include "model/real_time.h"

namespace txscope::check {
namespace {

// "t3 (line 7)"
std::string with_place(const History& history, TxnId t) {
  const std::string where = history.where(t);
  return history.name(t) + (where.empty() ? "" : " (" + where + ")");
}

// "w(x)=2 of t2 (line 9)"
std::string write_of(const History& history, TxnId t, KeyId key) {
  const auto op = last_write(history, t, key);
  if (!op) return "the initial value of " + history.name(key);
  return history.describe(*op) + " of " + with_place(history, t);
}

std::string read_of(const History& history, OpId read) {
  return history.describe(read) + " of " +
         with_place(history, history.txn_of(read));
}

// How one transaction is known to precede another, as far as one step tells.
std::string happens_before(const History& history, TxnId a, TxnId b) {
  const std::string name_a = with_place(history, a);
  const std::string name_b = history.name(b);
  const auto edge = direct_edge(history, a, b);
  if (!edge) return name_a + " happens before " + name_b;
  switch (edge->kind) {
    case EdgeKind::ReadsFrom:
      return name_b + " read from " + name_a + " by " +
             history.describe(edge->read);
    case EdgeKind::Session:
      return name_a + " is before " + name_b + " in session " +
             history.name(history.at(a).session);
    default: return name_a + " ended before " + name_b + " started";
  }
}

// What t3 read, by the edge t3 -> t2, is older than what t2 wrote: why.
std::string because(const History& history, const Edge& edge) {
  if (edge.reason == WriteOrderReason::Initial)
    return ", but the initial value";
  const auto t1 = only_writer(history, edge.read);
  const std::string old = t1 ? with_place(history, *t1) : "the writer it saw";
  switch (edge.reason) {
    case WriteOrderReason::Initial: break;
    case WriteOrderReason::Known:
      return "; the reads of list " + history.name(edge.key) +
             " show that order";
    case WriteOrderReason::HappensBefore:
      if (!t1) return ", which overwrote what it read";
      return ", which overwrote what it read: " +
             happens_before(history, *t1, edge.to);
    case WriteOrderReason::Assumed:
      return ", which in this case overwrote what it read: " + old +
             " commits before " + history.name(edge.to);
    case WriteOrderReason::Forced:
      return ", which overwrote what it read: " +
             read_of(history, edge.forced_by) + " is from " +
             history.name(edge.to) + " though " + old + " was visible to it";
  }
  return "";
}

std::string write_order_reason(const History& history, const Edge& edge) {
  const std::string both = write_of(history, edge.from, edge.key) +
                           " is older than " +
                           write_of(history, edge.to, edge.key);
  switch (edge.reason) {
    case WriteOrderReason::Initial: return both;
    case WriteOrderReason::Known:
      return both + ": the reads of list " + history.name(edge.key) +
             " show it";
    case WriteOrderReason::HappensBefore:
      return both + ": " + happens_before(history, edge.from, edge.to);
    case WriteOrderReason::Assumed: return both + ", in this case";
    case WriteOrderReason::Forced:
      return both + ": " + read_of(history, edge.forced_by) + " is from " +
             history.name(edge.to) + " although " + history.name(edge.from) +
             ", which writes " + history.name(edge.key) +
             " too, was visible to it";
  }
  return both;
}

// "x starts as 0"
std::string start_of(const History& history, const BadRead& bad) {
  const KeyId key = history.at(bad.read).key;
  return history.name(key) + " starts as " +
         history.shown(history.initial(key));
}

}  // namespace

bool is_of_a_later_write(const History& history, const BadRead& bad) {
  return bad.kind == BadReadKind::ThinAir && bad.other != kNone<OpId> &&
         ended_before(history, history.txn_of(bad.read),
                      history.txn_of(bad.other));
}

bool is_repeated(const History& history, const BadRead& bad) {
  if (bad.other == kNone<OpId>) return false;
  const Op& other = history.at(bad.other);
  const ListView list = history.list(bad.read);
  return other.is_write() &&
         std::count(list.begin(), list.end(), other.value) > 1;
}

std::string reason(const History& history, const Edge& edge) {
  const auto name = [&](TxnId t) { return with_place(history, t); };
  switch (edge.kind) {
    case EdgeKind::Session:
      if (edge.from == History::kInitial) return "init comes before everything";
      return name(edge.from) + " is before " + name(edge.to) + " in session " +
             history.name(history.at(edge.from).session);
    case EdgeKind::Realtime:
      if (edge.from == History::kInitial) return "init comes before everything";
      return name(edge.from) + " ended at " +
             std::to_string(history.at(edge.from).end) + ", before " +
             name(edge.to) + " started at " +
             std::to_string(history.at(edge.to).start);
    case EdgeKind::ReadsFrom:
      return read_of(history, edge.read) + " saw " +
             write_of(history, edge.from, edge.key) +
             (ended_before(history, edge.to, edge.from)
                  ? ", which by the recorded times was invoked only after " +
                        history.name(edge.to) + " had ended"
                  : "");
    case EdgeKind::WriteOrder: return write_order_reason(history, edge);
    case EdgeKind::AntiDependency:
      return read_of(history, edge.read) + " did not see " +
             write_of(history, edge.to, edge.key) + because(history, edge);
  }
  return "";
}

std::string reason(const History& history, const BadRead& bad) {
  const std::string read = read_of(history, bad.read);
  const std::string other =
      bad.other == kNone<OpId> ? "" : read_of(history, bad.other);
  switch (bad.kind) {
    case BadReadKind::Aborted:
      return read + " saw " + other + ", which aborted";
    case BadReadKind::Intermediate:
      return read + " saw " + other +
             ", which its own transaction overwrote afterwards";
    case BadReadKind::ThinAir:
      if (is_of_a_later_write(history, bad))
        return read + " saw a value that nobody had written yet: " + other +
               " was invoked only after " +
               history.name(history.txn_of(bad.read)) + " had ended" +
               (history.at(bad.read).kind == OpKind::ReadList
                    ? ""
                    : "; " + start_of(history, bad));
      if (!other.empty())
        return read + " saw what only its own transaction wrote, later: " +
               history.describe(bad.other);
      if (history.at(bad.read).kind == OpKind::ReadList)
        return read + " has an element that nobody appended";
      return read + " saw a value that nobody wrote; " + start_of(history, bad);
    case BadReadKind::Internal:
      return read + " is not what the transaction itself had written" +
             (other.empty() ? "" : ": " + history.describe(bad.other));
    case BadReadKind::Incompatible:
      if (other.empty())
        return read + " has elements in an order that no run can give";
      if (is_repeated(history, bad))
        return read +
               " has an element more often than it was appended: " + other;
      if (history.at(bad.other).is_write())
        return read +
               " splits or reorders what one transaction appended: " + other;
      return read + " and " + other + " cannot belong to one order of list " +
             history.name(history.at(bad.read).key);
    case BadReadKind::NoWriter:
      return read + " has no possible writer left in this case";
  }
  return read;
}

std::string reason(const History& history, const UnfoundedSet::Member& member) {
  if (member.after != kNone<TxnId>)
    return with_place(history, member.txn) + " comes after " +
           with_place(history, member.after);
  return read_of(history, member.read) +
         " saw a value that only others of these wrote";
}

std::string conclusion(const UnfoundedSet& set) {
  if (set.members.size() == 1) return "so it could only have read from itself";
  return "so none of these " + std::to_string(set.members.size()) +
         " transactions can have been the first of them";
}

}  // namespace txscope::check
