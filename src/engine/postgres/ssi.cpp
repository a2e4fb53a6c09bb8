#include "engine/postgres/ssi.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace txscope::engine {
namespace {

TxnSet bit(std::uint8_t slot) { return TxnSet{1} << slot; }

template <class Do>
void for_each(TxnSet set, Do&& visit) {
  for (; set != 0; set &= set - 1)
    visit(static_cast<std::uint8_t>(std::countr_zero(set)));
}

template <class Test>
bool any(TxnSet set, Test&& test) {
  for (; set != 0; set &= set - 1)
    if (test(static_cast<std::uint8_t>(std::countr_zero(set)))) return true;
  return false;
}

}  // namespace

bool Ssi::is_full() const {
  return txns_.size() == 64 &&
         std::all_of(txns_.begin(), txns_.end(),
                     [](const Txn& t) { return t.is_used; });
}

std::uint8_t Ssi::begin(std::uint8_t session, std::int32_t snapshot) {
  auto free = std::find_if(txns_.begin(), txns_.end(),
                           [](const Txn& t) { return !t.is_used; });
  if (free == txns_.end()) {
    assert(txns_.size() < 64 && "more overlapping transactions than a set has");
    free = txns_.insert(free, Txn());
  }
  *free = Txn();
  free->is_used = true;
  free->session = session;
  free->snapshot = snapshot;
  return static_cast<std::uint8_t>(free - txns_.begin());
}

std::optional<std::uint8_t> Ssi::find_slot(std::uint8_t session) const {
  for (std::size_t i = 0; i < txns_.size(); ++i) {
    const Txn& t = txns_[i];
    if (t.is_used && !t.is_committed && t.session == session)
      return static_cast<std::uint8_t>(i);
  }
  return std::nullopt;
}

// Ports and Grittner, section 5.4: T1 -> pivot -> T3 where T3 has committed
// before the others, and a T1 that wrote nothing began after T3 committed.
bool Ssi::has_dangerous_structure(const Txn& reader, const Txn& writer) const {
  if (writer.is_committed && writer.has_conflict_out) return true;
  const bool writer_is_pivot = any(writer.out, [&](std::uint8_t slot) {
    const Txn& t3 = txns_[slot];
    return t3.is_committed &&
           (!reader.is_committed || t3.commit <= reader.commit) &&
           (!writer.is_committed || t3.commit <= writer.commit) &&
           (!reader.is_read_only || t3.commit <= reader.snapshot);
  });
  if (writer_is_pivot) return true;
  if (!writer.is_committed || reader.is_read_only) return false;
  return any(reader.in, [&](std::uint8_t slot) {
    const Txn& t1 = txns_[slot];
    return !t1.is_doomed && (!t1.is_committed || t1.commit >= writer.commit) &&
           (!t1.is_read_only || t1.snapshot >= writer.commit);
  });
}

bool Ssi::conflict(std::uint8_t reader, std::uint8_t writer, std::uint8_t me) {
  Txn& r = txns_[reader];
  Txn& w = txns_[writer];
  if (reader == writer || (r.out & bit(writer)) != 0) return true;
  if (has_dangerous_structure(r, w)) {
    if (writer == me || w.is_committed) return false;
    w.is_doomed = true;
  }
  r.out |= bit(writer);
  w.in |= bit(reader);
  return true;
}

bool Ssi::write(TxnSet readers, std::uint8_t me) {
  if (txns_[me].is_doomed) return false;
  txns_[me].did_write = true;
  return !any(readers & ~bit(me), [&](std::uint8_t slot) {
    const Txn& reader = txns_[slot];
    if (!reader.is_used || reader.is_doomed) return false;
    if (reader.is_committed && reader.commit <= txns_[me].snapshot)
      return false;
    return !conflict(slot, me, me);
  });
}

bool Ssi::read(TxnSet writers, std::uint8_t me) {
  return !any(writers & ~bit(me), [&](std::uint8_t slot) {
    const Txn& writer = txns_[slot];
    if (!writer.is_used || writer.is_doomed) return false;
    if (writer.is_committed && writer.commit <= txns_[me].snapshot)
      return false;
    return !conflict(me, slot, me);
  });
}

bool Ssi::commit(std::uint8_t me, std::int32_t stamp) {
  Txn& t = txns_[me];
  if (t.is_doomed) return false;
  for_each(t.in, [&](std::uint8_t slot) {
    Txn& pivot = txns_[slot];
    if (pivot.is_committed || pivot.is_doomed) return;
    pivot.is_doomed = any(pivot.in, [&](std::uint8_t first) {
      const Txn& t1 = txns_[first];
      return first == me || (!t1.is_committed && !t1.is_doomed);
    });
  });
  t.is_committed = true;
  t.is_read_only = !t.did_write;
  t.commit = stamp;
  t.has_conflict_out = !t.is_read_only && any(t.out, [&](std::uint8_t slot) {
    return txns_[slot].is_committed;
  });
  return true;
}

void Ssi::forget(std::uint8_t slot) {
  for (Txn& t : txns_) {
    t.in &= ~bit(slot);
    t.out &= ~bit(slot);
  }
  txns_[slot] = Txn();
}

void Ssi::abort(std::uint8_t me) { forget(me); }

TxnSet Ssi::first_after(TxnSet writers, std::int32_t snapshot) const {
  TxnSet first = 0;
  std::int32_t commit = 0;
  for_each(writers, [&](std::uint8_t slot) {
    const Txn& t = txns_[slot];
    if (!t.is_committed || t.commit <= snapshot) return;
    if (first != 0 && commit <= t.commit) return;
    first = bit(slot);
    commit = t.commit;
  });
  return first;
}

TxnSet Ssi::release() {
  TxnSet released = 0;
  for (std::size_t i = 0; i < txns_.size(); ++i) {
    const Txn& t = txns_[i];
    if (!t.is_used || !t.is_committed) continue;
    const bool overlaps =
        std::any_of(txns_.begin(), txns_.end(), [&](const Txn& other) {
          return other.is_used && !other.is_committed &&
                 other.snapshot < t.commit;
        });
    if (!overlaps) released |= TxnSet{1} << i;
  }
  for_each(released, [&](std::uint8_t slot) { forget(slot); });
  while (!txns_.empty() && !txns_.back().is_used) txns_.pop_back();
  return released;
}

std::vector<std::uint8_t> Ssi::canonical_order(
    const std::function<std::uint8_t(std::uint8_t)>& name) const {
  std::vector<std::uint8_t> order;
  for (std::size_t i = 0; i < txns_.size(); ++i)
    if (txns_[i].is_used) order.push_back(static_cast<std::uint8_t>(i));
  std::sort(order.begin(), order.end(), [&](std::uint8_t a, std::uint8_t b) {
    const Txn& x = txns_[a];
    const Txn& y = txns_[b];
    if (x.is_committed != y.is_committed) return !x.is_committed;
    return x.is_committed ? x.commit < y.commit
                          : name(x.session) < name(y.session);
  });
  return order;
}

}  // namespace txscope::engine
