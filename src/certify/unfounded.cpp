#include <algorithm>

#include "certify/contradiction.h"

namespace txscope::certify {
namespace {

using Complaint = std::optional<std::string>;
using Member = UnfoundedSet::Member;

const Member* member(const UnfoundedSet& set, TxnId t) {
  const auto place =
      std::lower_bound(set.members.begin(), set.members.end(), t,
                       [](const Member& m, TxnId u) { return m.txn < u; });
  return place != set.members.end() && place->txn == t ? &*place : nullptr;
}

Complaint complaint_about_read(const Branch& branch, const UnfoundedSet& set,
                               const Member& m) {
  const auto* read = branch.reading().external(m.read);
  if (read == nullptr || read->reader != m.txn)
    return "the set names no external read of " + branch.history().name(m.txn);
  std::vector<TxnId> writers;
  if (const auto writer = branch.writer(*read))
    writers.push_back(*writer);
  else if (read->is_list)
    return "the writer of a list's last element is not known";
  else
    writers = branch.possible_writers(*read);
  for (const TxnId w : writers)
    if (w != m.txn && member(set, w) == nullptr)
      return branch.history().describe(m.read) + " of " +
             branch.history().name(m.txn) + " may be from " +
             branch.history().name(w) + ", which is not in the set";
  return {};
}

}  // namespace

// The first of them in the commit order would come after another of them.
Complaint complaint_about(const Branch& branch, const UnfoundedSet& set) {
  if (branch.level().base == Base::ReadUncommitted)
    return "a set of readers says nothing at read uncommitted";
  bool any_counts = false;
  for (std::size_t i = 0; i < set.members.size(); ++i) {
    const Member& m = set.members[i];
    if (m.txn.index >= branch.history().size() || m.txn == History::kInitial)
      return "the set has a member that is no transaction";
    if (i > 0 && !(set.members[i - 1].txn < m.txn))
      return "the set is not in order";
    any_counts |= branch.counts(m.txn);
    if (m.after == kNone<TxnId>) {
      if (auto complaint = complaint_about_read(branch, set, m))
        return complaint;
      continue;
    }
    if (member(set, m.after) == nullptr || !branch.counts(m.after) ||
        !branch.is_in_order(m.after, m.txn))
      return branch.history().name(m.txn) +
             " need not come after a member of the set";
  }
  if (!any_counts) return "no member of the set must have committed";
  return {};
}

}  // namespace txscope::certify
