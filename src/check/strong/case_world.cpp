#include "check/strong/case_world.h"
#include "model/real_time.h"

#include <algorithm>

namespace txscope::check {

Excerpt::Excerpt(const History& of_history, const Facts& its_facts,
                 const OrderIndex& its_order, Level at_level,
                 std::vector<TxnId> of_txns)
    : history(of_history),
      facts(its_facts),
      order(its_order),
      level(at_level),
      txns(std::move(of_txns)),
      index_of(history.size(), kNobody),
      precedes(txns.size(),
               std::vector<std::uint64_t>((txns.size() + 63) / 64)) {
  std::vector<std::pair<KeyId, Index>> writes;
  for (Index a = 0; a < txns.size(); ++a) {
    index_of[txns[a].index] = a;
    for (Index b = 0; b < txns.size(); ++b)
      if (a != b && order.precedes(txns[a], txns[b]))
        precedes[a][b / 64] |= std::uint64_t{1} << (b % 64);
    for (const KeyId key : facts.writes(txns[a])) writes.emplace_back(key, a);
  }
  std::sort(writes.begin(), writes.end());
  for (const auto& [key, writer] : writes) {
    if (keys.empty() || keys.back().key != key) keys.push_back({key, {}});
    keys.back().writers.push_back(writer);
  }
}

std::span<const Excerpt::Index> Excerpt::writers(KeyId key) const {
  const auto place =
      std::lower_bound(keys.begin(), keys.end(), key,
                       [](const Writers& w, KeyId k) { return w.key < k; });
  if (place == keys.end() || place->key != key) return {};
  return place->writers;
}

CaseWorld::CaseWorld(const Excerpt& excerpt,
                     std::span<const Assumption> assumptions)
    : x_(excerpt), assumptions_(assumptions) {
  find_who_counts();
  find_happens_before();
  find_links();
}

bool CaseWorld::is_assumed(Assumption::Kind kind, TxnId a) const {
  return std::any_of(
      assumptions_.begin(), assumptions_.end(),
      [&](const Assumption& x) { return x.kind == kind && x.a == a; });
}

bool CaseWorld::is_assumed_before(TxnId a, TxnId b) const {
  return std::any_of(
      assumptions_.begin(), assumptions_.end(), [&](const Assumption& x) {
        return x.kind == Assumption::Kind::Before && x.a == a && x.b == b;
      });
}

bool CaseWorld::may_commit(TxnId t) const {
  return t == History::kInitial || (x_.facts.part(t) != Facts::Part::Out &&
                                    !is_assumed(Assumption::Kind::Aborted, t));
}

// Who counts makes those count that it must have read from, and who counts
// decides which reads say something.
void CaseWorld::find_who_counts() {
  counts_.resize(size());
  for (Index i = 0; i < size(); ++i)
    counts_[i] = x_.facts.counts(txn(i)) ||
                 is_assumed(Assumption::Kind::Committed, txn(i));
  for (;;) {
    find_writers();
    bool is_stable = true;
    const auto add = [&](TxnId t) {
      const Index i =
          t == kNone<TxnId> || t == History::kInitial ? kNobody : index(t);
      if (i == kNobody || counts_[i] != 0) return;
      counts_[i] = 1;
      is_stable = false;
    };
    for (const Read& read : reads_) {
      add(read.writer);
      if (x_.history.at(read.op).kind != OpKind::ReadList ||
          !x_.facts.list_is_open(read.key))
        continue;
      const auto list = elements(read.op);
      for (std::uint32_t p = 0; p < list.size(); ++p)
        add(appender(read.key, p, list[p]));
    }
    if (is_stable) return;
  }
}

void CaseWorld::find_writers() {
  reads_.clear();
  for (Index i = 0; i < size(); ++i) {
    if (counts_[i] == 0) continue;
    for (const Facts::Read& read : x_.facts.reads(txn(i))) {
      bool is_from_case = false;
      const TxnId writer = known_writer(txn(i), read, is_from_case);
      reads_.push_back({i, read.key, read.op, writer, is_from_case});
    }
    if (x_.level.base == Base::ReadUncommitted) find_longest_reads(i);
  }
}

// At read-uncommitted the longest read of a list says something even if it has
// elements that nobody can have appended.
void CaseWorld::find_longest_reads(Index reader) {
  const Txn& t = x_.history.at(txn(reader));
  for (std::uint32_t i = t.first_op; i < t.end_op; ++i) {
    const Op& op = x_.history.at(OpId(i));
    if (op.kind != OpKind::ReadList || !x_.facts.list_is_open(op.key) ||
        x_.facts.longest_read(op.key) != OpId(i) ||
        std::any_of(reads_.begin(), reads_.end(),
                    [&](const Read& read) { return read.op == OpId(i); }))
      continue;
    reads_.push_back({reader, op.key, OpId(i), kNone<TxnId>, false});
  }
}

TxnId CaseWorld::known_writer(TxnId reader, const Facts::Read& read,
                              bool& is_from_case) const {
  if (x_.facts.list_is_open(read.key)) {
    // Facts exclude the reader's own later appends; a case has to say so.
    const auto list = elements(read.op);
    if (list.empty()) return History::kInitial;
    const auto last = static_cast<std::uint32_t>(list.size() - 1);
    const TxnId writer = appender(read.key, last, list[last]);
    is_from_case = writer != read.writer;
    return writer;
  }
  if (read.writer != kNone<TxnId>) return read.writer;
  is_from_case = true;
  for (const Assumption& a : assumptions_)
    if (a.kind == Assumption::Kind::Writer && a.op == read.op) return a.a;
  const auto left = candidates(read.op, reader);
  return left.size() == 1 ? left[0] : kNone<TxnId>;
}

// Who may have written what an open read of a register saw: at realtime nobody
// who was invoked after the reader had ended.
std::vector<TxnId> CaseWorld::candidates(OpId read, TxnId reader) const {
  const bool by_time = x_.level.order == Order::Realtime;
  std::vector<TxnId> left;
  for (const TxnId t : x_.facts.candidates(read))
    if (t != reader && may_commit(t) &&
        !(by_time && ended_before(x_.history, reader, t)))
      left.push_back(t);
  return left;
}

// (order + wr)+, closed by rows of bits.
void CaseWorld::find_happens_before() {
  const std::size_t words = (size() + 63) / 64;
  std::vector<std::uint64_t> counted(words);
  for (Index i = 0; i < size(); ++i)
    if (counts_[i]) counted[i / 64] |= std::uint64_t{1} << (i % 64);
  happens_before_ = x_.precedes;
  for (Index i = 0; i < size(); ++i)
    for (std::size_t w = 0; w < words; ++w)
      happens_before_[i][w] &= counts_[i] ? counted[w] : 0;
  const auto add = [&](Index a, Index b) {
    happens_before_[a][b / 64] |= std::uint64_t{1} << (b % 64);
  };
  for (const Read& read : reads_) {
    if (read.writer == kNone<TxnId> || read.writer == History::kInitial)
      continue;
    if (const Index w = index(read.writer); w != kNobody) add(w, read.reader);
  }
  for (Index k = 0; k < size(); ++k)
    for (Index a = 0; a < size(); ++a)
      if (happens_before_[a][k / 64] >> (k % 64) & 1)
        for (std::size_t w = 0; w < words; ++w)
          happens_before_[a][w] |= happens_before_[k][w];
}

bool CaseWorld::happens_before(TxnId a, TxnId b) const {
  const Index i = index(a);
  const Index j = index(b);
  return i != kNobody && j != kNobody &&
         (happens_before_[i][j / 64] >> (j % 64) & 1) != 0;
}

void CaseWorld::add_link(TxnId from, TxnId to, Edge edge,
                         std::uint32_t weight) {
  edge.from = from;
  edge.to = to;
  links_.push_back({index(from), index(to), edge, weight});
}

std::uint32_t CaseWorld::weight(const Edge& edge) const {
  constexpr std::uint32_t kAssumed = 1000;
  if (edge.kind == EdgeKind::ReadsFrom || edge.kind == EdgeKind::Session ||
      edge.kind == EdgeKind::Realtime)
    return 1;
  return edge.reason == WriteOrderReason::Assumed ? 1 + kAssumed : 1;
}

void CaseWorld::find_links() {
  for (Index a = 0; a < size(); ++a) {
    for (Index b = 0; b < size(); ++b) {
      if (!is_before(a, b) || !counts_[a] || !counts_[b]) continue;
      Edge edge;
      edge.kind = x_.history.at(txn(a)).session == x_.history.at(txn(b)).session
                      ? EdgeKind::Session
                      : EdgeKind::Realtime;
      add_link(txn(a), txn(b), edge, 1);
    }
  }
  for (const Read& read : reads_) {
    if (read.writer == kNone<TxnId>) continue;
    Edge edge;
    edge.kind = EdgeKind::ReadsFrom;
    edge.key = read.key;
    edge.read = read.op;
    if (read.writer != History::kInitial && counts(read.writer))
      add_link(read.writer, txn(read.reader), edge, read.is_assumed ? 1001 : 1);
    edge.kind = EdgeKind::AntiDependency;
    for (const TxnId later : x_.txns) {
      if (later == read.writer || later == txn(read.reader) || !counts(later) ||
          !x_.facts.writes_key(later, read.key) ||
          !explain_order(read.writer, later, edge))
        continue;
      add_link(txn(read.reader), later, edge,
               weight(edge) + (read.is_assumed ? 1000 : 0));
    }
  }
  for (const auto& [key, writers] : x_.keys) {
    for (const Index a : writers) {
      for (const Index b : writers) {
        Edge edge;
        edge.kind = EdgeKind::WriteOrder;
        edge.key = key;
        if (a != b && counts_[a] && counts_[b] &&
            explain_order(txn(a), txn(b), edge))
          add_link(txn(a), txn(b), edge, weight(edge));
      }
    }
  }
}

bool CaseWorld::explain_order(TxnId a, TxnId b, Edge& edge) const {
  edge.forced_by = kNone<OpId>;
  if (a == History::kInitial) {
    edge.reason = WriteOrderReason::Initial;
    return true;
  }
  if (!counts(a)) return false;
  if (lists_show(edge.key, a, b)) {
    edge.reason = WriteOrderReason::Known;
    return true;
  }
  if (happens_before(a, b)) {
    edge.reason = WriteOrderReason::HappensBefore;
    return true;
  }
  if (edge.forced_by = forcing_read(a, b, edge.key);
      edge.forced_by != kNone<OpId>) {
    edge.reason = WriteOrderReason::Forced;
    return true;
  }
  edge.reason = WriteOrderReason::Assumed;
  return is_assumed_before(a, b);
}

// A read of the key from b by somebody whom a, by the premise, precedes.
OpId CaseWorld::forcing_read(TxnId a, TxnId b, KeyId key) const {
  for (const Read& read : reads_)
    if (read.key == key && read.writer == b && txn(read.reader) != a &&
        is_premise(a, read))
      return read.op;
  return kNone<OpId>;
}

bool CaseWorld::is_premise(TxnId a, const Read& read) const {
  const Base base = x_.level.base;
  if (base < Base::MonotonicAtomicView) return false;
  if (base >= Base::Causal) return happens_before(a, txn(read.reader));
  for (const Read& other : reads_)
    if (other.reader == read.reader && other.writer == a &&
        (other.op < read.op || base >= Base::ReadAtomic))
      return true;
  return base >= Base::ReadAtomic && is_before(index(a), read.reader);
}

std::vector<Assumption> CaseWorld::order_of(TxnId a, TxnId b) const {
  if (!counts(a) || !counts(b) || is_assumed_before(a, b) ||
      is_assumed_before(b, a))
    return {};
  Assumption forth;
  forth.kind = Assumption::Kind::Before;
  forth.a = a;
  forth.b = b;
  Assumption back = forth;
  std::swap(back.a, back.b);
  return {forth, back};
}

std::vector<Assumption> CaseWorld::writers_of(OpId op) const {
  std::vector<Assumption> answers;
  for (const Read& read : reads_) {
    if (read.op != op || read.writer != kNone<TxnId> ||
        x_.history.at(op).kind == OpKind::ReadList)
      continue;
    for (const TxnId t : candidates(op, txn(read.reader))) {
      Assumption answer;
      answer.kind = Assumption::Kind::Writer;
      answer.op = op;
      answer.a = t;
      answers.push_back(answer);
    }
  }
  return answers;
}

std::vector<Assumption> CaseWorld::outcomes_of(TxnId t) const {
  if (x_.facts.part(t) != Facts::Part::Open || counts(t) || !may_commit(t))
    return {};
  Assumption committed;
  committed.kind = Assumption::Kind::Committed;
  committed.a = t;
  Assumption aborted = committed;
  aborted.kind = Assumption::Kind::Aborted;
  return {committed, aborted};
}

std::vector<Assumption> CaseWorld::appends_at(KeyId list,
                                              std::uint32_t position) const {
  const OpId read = longest_read(list);
  if (read == kNone<OpId> || elements(read).size() <= position) return {};
  const auto appends = appends_behind(list, position, elements(read)[position]);
  if (appends.empty() || is_placed(list, position)) return {};
  // Who would read its own append is no answer, but where all would, the cases
  // have to say so.
  const bool is_hopeless =
      std::all_of(appends.begin(), appends.end(),
                  [&](OpId op) { return reads_itself(op, position); });
  std::vector<Assumption> answers;
  for (const OpId op : appends) {
    if (!is_hopeless && reads_itself(op, position)) continue;
    Assumption answer;
    answer.kind = Assumption::Kind::Element;
    answer.key = list;
    answer.position = position;
    answer.op = op;
    answers.push_back(answer);
  }
  return answers;
}

std::vector<Assumption> CaseWorld::alternatives(
    const Assumption& answer) const {
  switch (answer.kind) {
    case Assumption::Kind::Before: return order_of(answer.a, answer.b);
    case Assumption::Kind::Writer: return writers_of(answer.op);
    case Assumption::Kind::Committed:
    case Assumption::Kind::Aborted: return outcomes_of(answer.a);
    case Assumption::Kind::Element:
      return appends_at(answer.key, answer.position);
  }
  return {};
}

std::vector<std::vector<Assumption>> CaseWorld::questions() const {
  auto found = questions(false);
  return found.empty() ? questions(true) : found;
}

std::vector<std::vector<Assumption>> CaseWorld::questions(
    bool is_everything) const {
  std::vector<std::vector<Assumption>> all;
  // With one answer it is no choice, but saying so excludes the append from
  // other places.
  std::vector<std::vector<Assumption>> trivial;
  const auto add = [&](std::vector<Assumption> answers) {
    if (answers.size() == 1)
      trivial.push_back(std::move(answers));
    else if (!answers.empty())
      all.push_back(std::move(answers));
  };
  for (const TxnId t : x_.txns) {
    for (const KeyId key : x_.facts.writes(t)) {
      if (!x_.facts.list_is_open(key)) continue;
      const OpId read = longest_read(key);
      if (read == kNone<OpId>) continue;
      for (std::uint32_t p = 0; p < elements(read).size(); ++p)
        add(appends_at(key, p));
    }
  }
  for (const Read& read : reads_)
    if (read.writer == kNone<TxnId> &&
        (is_everything ||
         std::binary_search(x_.reads.begin(), x_.reads.end(), read.op)))
      add(writers_of(read.op));
  for (const TxnId t : x_.txns) add(outcomes_of(t));
  // Up to causal nothing depends on the order of writers.
  const bool has_pairs = x_.level.base >= Base::Prefix;
  if (has_pairs && !is_everything)
    for (const auto& [a, b] : x_.pairs)
      if (is_order_open(a, b)) add(order_of(a, b));
  if (has_pairs && is_everything)
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (is_order_open(txn(static_cast<Index>(j)),
                          txn(static_cast<Index>(i))))
          add(order_of(x_.txns[j], x_.txns[i]));
  if (is_everything || !all.empty())
    all.insert(all.end(), trivial.begin(), trivial.end());
  return all;
}

// Both count and write a key, and nothing orders their versions yet.
bool CaseWorld::is_order_open(TxnId a, TxnId b) const {
  if (!counts(a) || !counts(b)) return false;
  for (const KeyId key : x_.facts.writes(a)) {
    Edge edge;
    edge.key = key;
    if (x_.facts.writes_key(b, key) && !explain_order(a, b, edge) &&
        !explain_order(b, a, edge))
      return true;
  }
  return false;
}

}  // namespace txscope::check
