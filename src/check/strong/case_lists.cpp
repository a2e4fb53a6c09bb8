#include <algorithm>

#include "check/strong/case_world.h"

namespace txscope::check {

std::span<const Atom> CaseWorld::elements(OpId read) const {
  return x_.history.list(read).span().first(x_.facts.external_length(read));
}

// Of those who count.
OpId CaseWorld::longest_read(KeyId key) const {
  OpId longest = kNone<OpId>;
  std::size_t length = 0;
  for (const Read& read : reads_) {
    if (read.key != key || x_.history.at(read.op).kind != OpKind::ReadList)
      continue;
    const std::size_t here = elements(read.op).size();
    if (longest != kNone<OpId> && here <= length) continue;
    longest = read.op;
    length = here;
  }
  return longest;
}

bool CaseWorld::is_placed(KeyId key, std::uint32_t position) const {
  return std::any_of(assumptions_.begin(), assumptions_.end(),
                     [&](const Assumption& a) {
                       return a.kind == Assumption::Kind::Element &&
                              a.key == key && a.position == position;
                     });
}

std::vector<OpId> CaseWorld::appends_behind(KeyId key, std::uint32_t position,
                                            Atom value) const {
  for (const Assumption& a : assumptions_)
    if (a.kind == Assumption::Kind::Element && a.key == key &&
        a.position == position)
      return {a.op};
  std::vector<OpId> left;
  for (const OpId op : x_.facts.appends(key, value)) {
    const bool is_elsewhere = std::any_of(
        assumptions_.begin(), assumptions_.end(), [&](const Assumption& a) {
          return a.kind == Assumption::Kind::Element && a.op == op;
        });
    if (!is_elsewhere && may_commit(x_.history.txn_of(op))) left.push_back(op);
  }
  return left;
}

// Who is behind an element, kNone if that is open.
TxnId CaseWorld::appender(KeyId key, std::uint32_t position, Atom value) const {
  TxnId found = kNone<TxnId>;
  for (const OpId op : appends_behind(key, position, value)) {
    const TxnId t = x_.history.txn_of(op);
    if (found != kNone<TxnId> && found != t) return kNone<TxnId>;
    found = t;
  }
  return found;
}

// a is behind an element, and b behind none before it.
bool CaseWorld::lists_show(KeyId key, TxnId a, TxnId b) const {
  if (x_.history.kind(key) != KeyKind::List) return false;
  if (!x_.facts.list_is_open(key)) {
    const auto known = x_.facts.version_order(key);
    const auto first = std::find(known.begin(), known.end(), a);
    return first != known.end() && std::find(known.begin(), first, b) == first;
  }
  const OpId read = longest_read(key);
  if (read == kNone<OpId>) return false;
  const auto list = elements(read);
  for (std::uint32_t p = 0; p < list.size(); ++p) {
    if (appender(key, p, list[p]) == a) return true;
    for (const OpId op : appends_behind(key, p, list[p]))
      if (x_.history.txn_of(op) == b) return false;
  }
  return false;
}

std::vector<OpId> CaseWorld::own_appends(TxnId t, KeyId key) const {
  std::vector<OpId> own;
  const Txn& txn = x_.history.at(t);
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
    if (const Op& op = x_.history.at(OpId(i));
        op.kind == OpKind::Append && op.key == key)
      own.push_back(OpId(i));
  return own;
}

// From read-committed on nobody reads what it appends later.
bool CaseWorld::reads_itself(OpId append, std::uint32_t position) const {
  if (x_.level.base == Base::ReadUncommitted) return false;
  const KeyId key = x_.history.at(append).key;
  for (const Facts::Read& read : x_.facts.reads(x_.history.txn_of(append)))
    if (read.key == key && elements(read.op).size() > position) return true;
  return false;
}

// Something about one read of an open list that no execution explains.
std::optional<BadRead> CaseWorld::bad_list_read(const Read& read) const {
  const auto list = elements(read.op);
  const bool is_strict = x_.level.base != Base::ReadUncommitted;
  for (std::uint32_t p = 0; p < list.size(); ++p) {
    if (!is_strict && x_.facts.appends(read.key, list[p]).empty()) continue;
    const auto appends = appends_behind(read.key, p, list[p]);
    const bool is_possible =
        std::any_of(appends.begin(), appends.end(), [&](OpId op) {
          const TxnId t = x_.history.txn_of(op);
          if (!is_strict) return true;
          if (t == txn(read.reader)) return false;
          return p + 1 < list.size() || own_appends(t, read.key).back() == op;
        });
    if (!is_possible)
      return BadRead{BadReadKind::NoWriter, read.op, kNone<OpId>};
  }
  if (breaks_up(read.op, read.key))
    return BadRead{BadReadKind::Incompatible, read.op, kNone<OpId>};
  for (const Read& other : reads_) {
    if (other.key != read.key || other.op == read.op ||
        x_.history.at(other.op).kind != OpKind::ReadList)
      continue;
    const auto longer = elements(other.op);
    const std::size_t common = std::min(list.size(), longer.size());
    if (!std::equal(list.begin(), list.begin() + static_cast<long>(common),
                    longer.begin()))
      return BadRead{BadReadKind::Incompatible, read.op, other.op};
  }
  return std::nullopt;
}

// The appends of a transaction are adjacent and in program order: true if for
// some element no append can be so.
bool CaseWorld::breaks_up(OpId read, KeyId key) const {
  const auto list = elements(read);
  for (std::uint32_t p = 0; p < list.size(); ++p) {
    if (x_.facts.appends(key, list[p]).empty()) continue;
    const auto appends = appends_behind(key, p, list[p]);
    if (std::none_of(appends.begin(), appends.end(),
                     [&](OpId op) { return fits(list, key, p, op); }))
      return true;
  }
  return false;
}

bool CaseWorld::fits(std::span<const Atom> list, KeyId key,
                     std::uint32_t position, OpId op) const {
  const auto own = own_appends(x_.history.txn_of(op), key);
  const auto place = std::find(own.begin(), own.end(), op) - own.begin();
  for (long i = 0; i < static_cast<long>(own.size()); ++i) {
    const long at = static_cast<long>(position) + i - place;
    if (at < 0) return false;
    if (at >= static_cast<long>(list.size())) break;
    const auto p = static_cast<std::uint32_t>(at);
    const auto appends = appends_behind(key, p, list[p]);
    if (std::find(appends.begin(), appends.end(),
                  own[static_cast<std::size_t>(i)]) == appends.end())
      return false;
  }
  return true;
}

}  // namespace txscope::check
