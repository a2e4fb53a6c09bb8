#include "certify/branch.h"
#include "model/real_time.h"

#include <algorithm>

namespace txscope::certify {

Branch::Branch(const Reading& reading, Level level)
    : reading_(reading),
      level_(level),
      happens_before_(
          std::make_shared<std::map<std::pair<TxnId, TxnId>, bool>>()) {
  find_who_counts();
  sort_by_end();
}

Branch::Branch(const Branch& root, std::span<const Assumption> assumptions)
    : reading_(root.reading_),
      level_(root.level_),
      counts_(root.counts_),
      by_end_(root.by_end_),
      happens_before_(root.happens_before_) {
  bool changes_readers = false;
  for (const Assumption& assumption : assumptions) {
    changes_readers |= assumption.kind != Assumption::Kind::Before;
    switch (assumption.kind) {
      case Assumption::Kind::Before:
        before_.emplace(assumption.a, assumption.b);
        break;
      case Assumption::Kind::Writer:
        writer_[assumption.op] = assumption.a;
        break;
      case Assumption::Kind::Committed:
        assumed_committed_.insert(assumption.a);
        break;
      case Assumption::Kind::Aborted:
        assumed_aborted_.insert(assumption.a);
        break;
      case Assumption::Kind::Element:
        element_[{assumption.key, assumption.position}] = assumption.op;
        position_[assumption.op] = assumption.position;
        break;
    }
  }
  if (!changes_readers) return;
  happens_before_ = std::make_shared<std::map<std::pair<TxnId, TxnId>, bool>>();
  find_who_counts();
  sort_by_end();
}

// A worklist: who counts makes those count that it must have read from.
void Branch::find_who_counts() {
  const History& h = history();
  std::vector<std::uint8_t> counts(h.size(), 0);
  std::vector<TxnId> work;
  const auto add = [&](TxnId t) {
    if (counts[t.index]) return;
    counts[t.index] = 1;
    work.push_back(t);
  };
  std::map<const Atom*, std::uint32_t> seen;
  bool has_unknown = false;
  for (std::size_t t = 0; t < h.size(); ++t) {
    const Status status = h.at(TxnId(t)).status;
    has_unknown |= status == Status::Unknown;
    counts[t] = status == Status::Committed ||
                (status == Status::Aborted && h.judge_aborted()) ||
                assumed_committed_.contains(TxnId(t));
  }
  if (has_unknown) {
    for (std::size_t t = h.size(); t-- > 0;)
      if (counts[t]) work.push_back(TxnId(t));
    while (!work.empty()) {
      const TxnId t = work.back();
      work.pop_back();
      for (const auto& read : reading_.reads(t)) {
        if (!read.is_list) {
          if (level_.base == Base::ReadUncommitted) continue;
          if (const auto from = writer(read)) add(*from);
          continue;
        }
        // Reads that are prefixes of one another share memory: look once.
        const Atom* const data = reading_.elements(read).data();
        std::uint32_t& looked_at = seen[data];
        for (; looked_at < read.length; ++looked_at)
          if (const auto from = element_writer(read, looked_at)) add(*from);
      }
    }
  }
  counts_ = std::make_shared<std::vector<std::uint8_t>>(std::move(counts));
}

void Branch::sort_by_end() {
  if (level_.order != Order::Realtime) return;
  const History& h = history();
  std::vector<TxnId> by_end;
  for (std::size_t t = 1; t < h.size(); ++t)
    if (counts(TxnId(t)) && h.at(TxnId(t)).end != Txn::kNoTime)
      by_end.push_back(TxnId(t));
  std::sort(by_end.begin(), by_end.end(), [&](TxnId a, TxnId b) {
    return std::pair(h.at(a).end, a) < std::pair(h.at(b).end, b);
  });
  by_end_ = std::make_shared<std::vector<TxnId>>(std::move(by_end));
}

std::vector<TxnId> Branch::candidates(const Reading::External& read) const {
  std::vector<TxnId> found;
  if (read.is_list) {
    if (read.length == 0) return {History::kInitial};
    for (const OpId op : element_candidates(read, read.length - 1))
      if (const TxnId t = history().txn_of(op);
          found.empty() || found.back() != t)
        found.push_back(t);
    return found;
  }
  const Atom value = history().at(read.op).value;
  if (history().initial(read.key) == value) found.push_back(History::kInitial);
  for (const auto& write : reading_.writes_of(read.key, value))
    if (write.txn != read.reader && may_commit(write.txn))
      found.push_back(write.txn);
  return found;
}

std::vector<TxnId> Branch::possible_writers(
    const Reading::External& read) const {
  std::vector<TxnId> found = candidates(read);
  std::erase_if(found,
                [&](TxnId t) { return is_in_real_time(read.reader, t); });
  return found;
}

std::optional<TxnId> Branch::writer(const Reading::External& read) const {
  const auto assumed = writer_.find(read.op);
  if (assumed != writer_.end()) return assumed->second;
  if (read.is_list) {
    if (read.length == 0) return History::kInitial;
    return element_writer(read, read.length - 1);
  }
  // The same as possible_writers(), but for values that thousands wrote.  If
  // only one wrote it, later, it is that one, and the branch is impossible.
  const Atom value = history().at(read.op).value;
  std::optional<TxnId> found;
  std::optional<TxnId> later;
  bool are_several_later = false;
  if (history().initial(read.key) == value) found = History::kInitial;
  for (const auto& write : reading_.writes_of(read.key, value)) {
    if (write.txn == read.reader || !may_commit(write.txn)) continue;
    if (is_in_real_time(read.reader, write.txn)) {
      are_several_later |= later.has_value();
      later = write.txn;
      continue;
    }
    if (found) return std::nullopt;
    found = write.txn;
  }
  return found || are_several_later ? found : later;
}

const Reading::External* Branch::longest_read(KeyId k) const {
  const Reading::External* longest = nullptr;
  for (const auto& read : reading_.list_reads(k))
    if (counts(read.reader) && (!longest || read.length > longest->length))
      longest = &read;
  return longest;
}

std::vector<OpId> Branch::element_candidates(const Reading::External& read,
                                             std::uint32_t position) const {
  const auto assumed = element_.find({read.key, position});
  if (assumed != element_.end()) return {assumed->second};
  std::vector<OpId> found;
  const Atom value = history().list(read.op)[position];
  for (const auto& append : reading_.appends_of(read.key, value)) {
    const auto elsewhere = position_.find(append.op);
    if (may_commit(append.txn) && elsewhere == position_.end())
      found.push_back(append.op);
  }
  return found;
}

std::optional<TxnId> Branch::element_writer(const Reading::External& read,
                                            std::uint32_t position) const {
  std::optional<TxnId> found;
  for (const OpId op : element_candidates(read, position)) {
    const TxnId t = history().txn_of(op);
    if (found && *found != t) return std::nullopt;
    found = t;
  }
  return found;
}

bool Branch::is_in_session_order(TxnId a, TxnId b) const {
  return level_.order != Order::None && a != History::kInitial &&
         history().at(a).session == history().at(b).session && a < b;
}

bool Branch::is_in_real_time(TxnId a, TxnId b) const {
  return level_.order == Order::Realtime && ended_before(history(), a, b);
}

bool Branch::reads_from(TxnId t, TxnId from, OpId end) const {
  for (const auto& read : reading_.reads(t))
    if (read.op < end && writer(read) == from) return true;
  return false;
}

bool Branch::happens_before(TxnId a, TxnId b) const {
  if (!counts(a) || !counts(b) || b == History::kInitial) return false;
  if (a == History::kInitial) return true;
  const auto [known, is_new] = happens_before_->try_emplace({a, b}, false);
  if (is_new) known->second = search_happens_before(a, b);
  return known->second;
}

// Backwards from b: the writers of its reads, what precedes it in its session,
// and what ended before it started; each transaction once.
bool Branch::search_happens_before(TxnId a, TxnId b) const {
  const History& h = history();
  std::vector<std::uint8_t> is_known(h.size(), 0);
  std::vector<TxnId> work;
  const auto reach = [&](TxnId t) {
    if (is_known[t.index] || !counts(t)) return;
    is_known[t.index] = 1;
    work.push_back(t);
  };
  std::size_t ended = 0;  // how many of by_end_ are known
  const auto expand = [&](TxnId t) {
    for (const auto& read : reading_.reads(t))
      if (const auto from = writer(read); from && *from != History::kInitial)
        reach(*from);
    if (level_.order == Order::None) return;
    const TxnId first = h.sessions()[h.at(t).session.index].first;
    for (TxnId p = t; p > first;) {
      p = TxnId(p.index - 1);
      if (is_known[p.index]) break;
      if (!counts(p)) continue;
      reach(p);
      break;
    }
    if (level_.order != Order::Realtime || h.at(t).start == Txn::kNoTime)
      return;
    while (ended < by_end_->size() &&
           h.at((*by_end_)[ended]).end < h.at(t).start)
      reach((*by_end_)[ended++]);
  };
  expand(b);
  while (!work.empty()) {
    const TxnId t = work.back();
    work.pop_back();
    if (t == a) return true;
    expand(t);
  }
  return false;
}

}  // namespace txscope::certify
