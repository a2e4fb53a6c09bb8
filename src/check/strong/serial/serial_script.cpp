#include "check/strong/serial/serial_script.h"

#include <algorithm>

namespace txscope::check {

std::uint32_t SerialScript::item(KeyId key, Atom value) {
  const auto [place, is_new] = items_.try_emplace(
      std::pair(key, value), static_cast<std::uint32_t>(reads.size()));
  if (is_new) {
    reads.push_back(0);
    writes.push_back(0);
  }
  return place->second;
}

bool SerialScript::collect(const History& history, const Facts& facts,
                           const OrderIndex& order, const Budget& budget) {
  for (std::uint32_t k = 0; k < history.key_count(); ++k) {
    if (history.kind(KeyId(k)) == KeyKind::List) return false;
    initial.push_back(item(KeyId(k), history.initial(KeyId(k))));
  }
  session_first.push_back(0);
  SessionId session = kNone<SessionId>;
  for (std::uint32_t i = 1; i < history.size(); ++i) {
    const TxnId t(i);
    if (budget.spent()) return false;
    if (facts.part(t) == Facts::Part::Open) return false;
    if (!facts.counts(t)) continue;
    if (history.at(t).session != session) {
      if (!members.empty())
        session_first.push_back(static_cast<std::uint32_t>(members.size()));
      session = history.at(t).session;
    }
    has_times &= history.at(t).end != Txn::kNoTime;
    const auto number = static_cast<std::uint32_t>(session_first.size() - 1);
    members.push_back(
        {t, number,
         static_cast<std::uint32_t>(members.size()) - session_first.back(), 0,
         0});
    if (!collect_accesses(history, facts, members.back())) return false;
  }
  session_first.push_back(static_cast<std::uint32_t>(members.size()));
  collect_groups(history.key_count());
  if (order.moment_count() > 0) collect_ends(order);
  return true;
}

// False if a key is seen with two values: no serial run has that.
bool SerialScript::collect_accesses(const History& history, const Facts& facts,
                                    Member& member) {
  member.first = static_cast<std::uint32_t>(accesses.size());
  const auto access = [&](KeyId key) -> Access& {
    for (std::size_t i = member.first; i < accesses.size(); ++i)
      if (accesses[i].key == key) return accesses[i];
    accesses.push_back({key, 0});
    return accesses.back();
  };
  for (const Facts::Read& read : facts.reads(member.txn)) {
    Access& a = access(read.key);
    const std::uint32_t seen = item(read.key, history.at(read.op).value);
    if (a.reads && a.read_item != seen) return false;
    if (!a.reads) ++reads[seen];
    a.reads = true;
    a.read_item = seen;
  }
  for (const KeyId key : facts.writes(member.txn)) access(key).writes = true;
  if (!facts.writes(member.txn).empty())
    for (const Op& op : history.ops(member.txn))
      if (op.is_write()) access(op.key).write_item = item(op.key, op.value);
  member.last = static_cast<std::uint32_t>(accesses.size());
  for (std::uint32_t i = member.first; i < member.last; ++i)
    if (accesses[i].writes) ++writes[accesses[i].write_item];
  return true;
}

void SerialScript::collect_groups(std::size_t key_count) {
  std::vector<std::uint32_t> order(accesses.size());
  access_member.resize(accesses.size());
  for (std::uint32_t m = 0; m < members.size(); ++m)
    for (std::uint32_t a = members[m].first; a < members[m].last; ++a) {
      order[a] = a;
      access_member[a] = m;
    }
  // Accesses are in the order of members, so of sessions and of their parts.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return accesses[a].key < accesses[b].key;
                   });
  key_first.assign(key_count + 1, 0);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t key = accesses[order[i]].key.index;
    const std::uint32_t session = members[access_member[order[i]]].session;
    if (groups.empty() || groups.back().key != key ||
        groups.back().session != session) {
      groups.push_back({key, session, i, i});
      ++key_first[key + 1];
    }
    groups.back().last = i + 1;
    accesses[order[i]].group = static_cast<std::uint32_t>(groups.size() - 1);
  }
  for (std::size_t k = 1; k < key_first.size(); ++k)
    key_first[k] += key_first[k - 1];
  group_accesses = std::move(order);
}

void SerialScript::collect_ends(const OrderIndex& order) {
  for (std::uint32_t m = 0; m < members.size(); ++m)
    if (order.moment_after(members[m].txn) != OrderIndex::kNoMoment)
      by_end.push_back(m);
  std::sort(by_end.begin(), by_end.end(),
            [&](std::uint32_t a, std::uint32_t b) {
              return order.moment_after(members[a].txn) <
                     order.moment_after(members[b].txn);
            });
}

CommitOrder SerialScript::evidence(const History& history, const Facts& facts,
                                   std::span<const std::uint32_t> order,
                                   std::span<const std::uint32_t> taken) const {
  struct Version {
    std::uint32_t position;
    TxnId writer;
  };
  CommitOrder found;
  found.order.push_back(History::kInitial);
  std::vector<std::vector<Version>> versions(initial.size());
  for (std::uint32_t position = 0; position < order.size(); ++position) {
    const Member& m = members[order[position]];
    found.order.push_back(m.txn);
    for (const Facts::Read& read : facts.reads(m.txn)) {
      if (read.writer != kNone<TxnId>) continue;
      // The last version before it took its snapshot.
      const auto& of_key = versions[read.key.index];
      const auto after = std::partition_point(
          of_key.begin(), of_key.end(), [&](const Version& v) {
            return v.position < taken[order[position]];
          });
      found.reads_from.push_back({read.op, after == of_key.begin()
                                               ? History::kInitial
                                               : (after - 1)->writer});
    }
    for (std::uint32_t i = m.first; i < m.last; ++i)
      if (accesses[i].writes)
        versions[accesses[i].key.index].push_back({position, m.txn});
  }
  for (std::uint32_t i = 1; i < history.size(); ++i)
    if (history.at(TxnId(i)).status == Status::Unknown)
      found.outcomes.push_back({TxnId(i), facts.counts(TxnId(i))});
  return found;
}

}  // namespace txscope::check
