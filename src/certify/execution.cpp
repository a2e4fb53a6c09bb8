#include "certify/execution.h"

#include <algorithm>

namespace txscope::certify {

Execution::Execution(const Reading& reading, Level level,
                     const CommitOrder& evidence)
    : reading_(reading), level_(level) {
  if (!take_outcomes(evidence) || !take_sequence(evidence) || !contains_order())
    return;
  find_versions();
  if (level.base != Base::ReadUncommitted) find_writers(evidence);
}

bool Execution::fail(std::string why) {
  complaint_ = std::move(why);
  return false;
}

std::string Execution::describe(OpId op) const {
  return history().describe(op) + " of " + name(history().txn_of(op));
}

bool Execution::take_outcomes(const CommitOrder& evidence) {
  const History& h = history();
  committed_.assign(h.size(), 0);
  std::vector<std::uint8_t> has_outcome(h.size(), 0);
  for (std::size_t t = 0; t < h.size(); ++t)
    committed_[t] = h.at(TxnId(t)).status == Status::Committed;
  for (const auto& [txn, committed] : evidence.outcomes) {
    if (txn.index >= h.size()) return fail("an outcome names no transaction");
    if (h.at(txn).status != Status::Unknown)
      return fail("the outcome of " + name(txn) + " was not open");
    if (has_outcome[txn.index]) return fail(name(txn) + " has two outcomes");
    has_outcome[txn.index] = 1;
    committed_[txn.index] = committed;
  }
  for (std::size_t t = 0; t < h.size(); ++t)
    if (h.at(TxnId(t)).status == Status::Unknown && !has_outcome[t])
      return fail("the outcome of " + name(TxnId(t)) + " is not given");
  return true;
}

bool Execution::take_sequence(const CommitOrder& evidence) {
  const History& h = history();
  position_.assign(h.size(), kOut);
  if (evidence.order.empty() || evidence.order[0] != History::kInitial)
    return fail("the commit order does not begin with the initial transaction");
  for (const TxnId t : evidence.order) {
    if (t.index >= h.size())
      return fail("the commit order names a transaction that does not exist");
    if (takes_part(t)) return fail(name(t) + " is in the commit order twice");
    const bool is_judged =
        h.at(t).status == Status::Aborted && h.judge_aborted();
    if (!committed_[t.index] && !is_judged)
      return fail(name(t) + " is in the commit order but did not commit");
    position_[t.index] = static_cast<std::uint32_t>(sequence_.size());
    sequence_.push_back(t);
  }
  for (std::size_t t = 0; t < h.size(); ++t) {
    const bool is_judged =
        h.at(TxnId(t)).status == Status::Aborted && h.judge_aborted();
    if ((committed_[t] || is_judged) && !takes_part(TxnId(t)))
      return fail(name(TxnId(t)) + " is missing in the commit order");
  }
  return true;
}

TxnId Execution::session_predecessor(TxnId t) const {
  const History& h = history();
  if (t == History::kInitial || order() == Order::None)
    return History::kInitial;
  const TxnId first = h.sessions()[h.at(t).session.index].first;
  for (TxnId p = t; p > first;) {
    p = TxnId(p.index - 1);
    if (takes_part(p)) return p;
  }
  return History::kInitial;
}

std::size_t Execution::ended_before(TxnId t) const {
  const std::int64_t start = history().at(t).start;
  if (order() != Order::Realtime || start == Txn::kNoTime) return 0;
  return static_cast<std::size_t>(
      std::partition_point(
          by_end_.begin(), by_end_.end(),
          [&](TxnId other) { return history().at(other).end < start; }) -
      by_end_.begin());
}

bool Execution::contains_order() {
  const History& h = history();
  if (order() != Order::None)
    for (const TxnId t : sequence_) {
      const TxnId before = session_predecessor(t);
      if (position(before) > position(t))
        return fail(name(before) + " precedes " + name(t) +
                    " in their session, but not in the commit order");
    }
  if (order() != Order::Realtime) return true;
  // The latest start so far must not be after the end of what follows.
  TxnId latest = History::kInitial;
  for (const TxnId t : sequence_) {
    const Txn& txn = h.at(t);
    if (txn.end != Txn::kNoTime && h.at(latest).start != Txn::kNoTime &&
        txn.end < h.at(latest).start)
      return fail(name(t) + " ended before " + name(latest) +
                  " started, but follows it in the commit order");
    if (txn.start != Txn::kNoTime &&
        (h.at(latest).start == Txn::kNoTime || txn.start > h.at(latest).start))
      latest = t;
    if (txn.end != Txn::kNoTime) by_end_.push_back(t);
  }
  std::stable_sort(by_end_.begin(), by_end_.end(),
                   [&](TxnId a, TxnId b) { return h.at(a).end < h.at(b).end; });
  return true;
}

void Execution::find_versions() {
  const History& h = history();
  first_version_.assign(h.key_count() + 1, 0);
  for (const TxnId t : sequence_)
    for (const KeyId k : keys(t)) ++first_version_[k.index + 1];
  for (std::size_t k = 0; k < h.key_count(); ++k)
    first_version_[k + 1] += first_version_[k];
  versions_.resize(first_version_.back());
  std::vector<std::uint32_t> next = first_version_;
  for (const TxnId t : sequence_)
    for (const KeyId k : keys(t)) versions_[next[k.index]++] = t;
}

TxnId Execution::last_writer(KeyId k, std::uint32_t limit) const {
  const auto row = versions(k);
  const auto after = std::upper_bound(
      row.begin(), row.end(), limit,
      [&](std::uint32_t p, TxnId t) { return p < position(t); });
  return after == row.begin() ? History::kInitial : *(after - 1);
}

bool Execution::is_possible_writer(const Reading::External& read,
                                   TxnId writer) const {
  const Atom value = history().at(read.op).value;
  if (writer == History::kInitial) return history().initial(read.key) == value;
  if (writer == read.reader || !takes_part(writer) || !committed_[writer.index])
    return false;
  const auto writes = reading_.writes_of(read.key, value);
  return std::binary_search(
      writes.begin(), writes.end(), Reading::Write{read.key, writer, value, {}},
      [](const auto& a, const auto& b) { return a.txn < b.txn; });
}

std::optional<TxnId> Execution::register_writer(const Reading::External& read,
                                                std::optional<TxnId> chosen) {
  if (chosen) {
    if (is_possible_writer(read, *chosen)) return chosen;
    fail(describe(read.op) + " cannot read from " + name(*chosen) +
         ", which has no such version");
    return std::nullopt;
  }
  std::optional<TxnId> found;
  if (is_possible_writer(read, History::kInitial)) found = History::kInitial;
  for (const auto& write :
       reading_.writes_of(read.key, history().at(read.op).value)) {
    if (!is_possible_writer(read, write.txn)) continue;
    if (found) {
      fail(describe(read.op) + " may have read from " + name(*found) +
           " or from " + name(write.txn) + "; the evidence does not say which");
      return std::nullopt;
    }
    found = write.txn;
  }
  if (!found) fail(describe(read.op) + " has no committed writer");
  return found;
}

// The versions of a list are what its writers appended, along co.  A read is
// the concatenation of the first k of them; it reads from the k-th.
std::optional<TxnId> Execution::list_writer(const Reading::External& read) {
  List& list = lists_[read.key.index];
  const auto writers = versions(read.key);
  if (list.ends.empty()) {
    for (const TxnId t : writers) {
      for (const OpId op : reading_.appends(t, read.key))
        list.elements.push_back(history().at(op).value);
      list.ends.push_back(static_cast<std::uint32_t>(list.elements.size()));
    }
  }
  if (read.length == 0) return History::kInitial;
  const auto end =
      std::lower_bound(list.ends.begin(), list.ends.end(), read.length);
  if (end == list.ends.end() || *end != read.length) {
    fail(describe(read.op) + " ends inside a transaction's appends");
    return std::nullopt;
  }
  // Reads that are prefixes of one another share memory: compare it once.
  const auto elements = reading_.elements(read);
  const std::size_t known = elements.data() == list.seen ? list.seen_length : 0;
  for (std::size_t i = known; i < elements.size(); ++i)
    if (elements[i] != list.elements[i]) {
      fail(describe(read.op) + " is no prefix of the list along the order");
      return std::nullopt;
    }
  if (elements.data() == list.seen || list.seen == nullptr) {
    list.seen = elements.data();
    list.seen_length = std::max(list.seen_length, elements.size());
  }
  return writers[static_cast<std::size_t>(end - list.ends.begin())];
}

bool Execution::find_writers(const CommitOrder& evidence) {
  const History& h = history();
  for (const auto& wrong : reading_.wrong())
    if (takes_part(h.txn_of(wrong.op)))
      return fail(describe(wrong.op) + " is not what " + h.describe(wrong.own) +
                  " before it wrote");
  std::vector<CommitOrder::Choice> choices = evidence.reads_from;
  std::sort(choices.begin(), choices.end(),
            [](const auto& a, const auto& b) { return a.read < b.read; });
  lists_.resize(h.key_count());
  first_read_.push_back(0);
  for (std::size_t t = 0; t < h.size(); ++t) {
    for (const auto& read : reading_.reads(TxnId(t))) {
      if (!takes_part(TxnId(t))) break;
      const auto choice = std::lower_bound(
          choices.begin(), choices.end(), read.op,
          [](const auto& c, OpId wanted) { return c.read < wanted; });
      std::optional<TxnId> chosen;
      if (choice != choices.end() && choice->read == read.op)
        chosen = choice->writer;
      if (chosen && chosen->index >= h.size())
        return fail("a chosen writer does not exist");
      const auto writer =
          read.is_list ? list_writer(read) : register_writer(read, chosen);
      if (!writer) return false;
      if (chosen && *chosen != *writer)
        return fail(describe(read.op) + " reads from " + name(*writer) +
                    " along the commit order, not from " + name(*chosen));
      if (position(*writer) >= position(read.reader))
        return fail(describe(read.op) + " reads from " + name(*writer) +
                    ", which is not before it in the commit order");
      reads_.push_back({read.op, read.key, *writer});
    }
    first_read_.push_back(static_cast<std::uint32_t>(reads_.size()));
  }
  return true;
}

}  // namespace txscope::certify
