#include "check/strong/known_graph.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace txscope::check {

KnownGraph::KnownGraph(const History& history, const Facts& facts,
                       const OrderIndex& order, Base base)
    : history_(history),
      facts_(facts),
      order_(order),
      base_(base),
      per_txn_(base == Base::Causal || base == Base::Prefix ||
                       base == Base::SnapshotIsolation
                   ? 2
                   : 1),
      has_rw_(base == Base::Prefix || base == Base::SnapshotIsolation ||
              base == Base::Serializable) {
  txn_nodes_ = per_txn_ * static_cast<std::uint32_t>(history.size());
  add_order();
  add_reads();
  if (has_rw_) {
    share_readers();
    add_updates();
    add_initial();
  }
  add_version_orders();
  sort_links();
}

// Rows by node take half of what the links take, and everybody needs them.
void KnownGraph::sort_links() {
  begin_.assign(node_count_ + 1, 0);
  for (const Link& link : links_) ++begin_[link.to + 1];
  for (std::size_t n = 0; n < node_count_; ++n) begin_[n + 1] += begin_[n];
  from_.resize(links_.size());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for (const Link& link : links_) from_[at[link.to]++] = link.from;
  links_ = {};
}

std::span<const KnownGraph::Link> KnownGraph::dependency(TxnId a, TxnId b) {
  if (base_ == Base::Causal) {
    dependency_ = {Link{start(a), start(b)}, Link{commit(a), commit(b)}};
    return dependency_;
  }
  dependency_[0] = {commit(a), start(b)};
  return std::span(dependency_).first(1);
}

KnownGraph::Link KnownGraph::write_order(TxnId a, TxnId b) const {
  if (base_ == Base::SnapshotIsolation) return {commit(a), start(b)};
  return {commit(a), commit(b)};
}

void KnownGraph::add_order() {
  const std::uint32_t moments = order_.moment_count();
  const std::uint32_t layers = base_ == Base::Causal ? 2 : 1;
  first_shared_ = txn_nodes_ + layers * moments;
  node_count_ = first_shared_;
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t m = 1; m < moments; ++m)
      add(txn_nodes_ + layer * moments + m - 1,
          txn_nodes_ + layer * moments + m);
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    if (facts_.part(t) == Facts::Part::Out) continue;
    if (per_txn_ == 2) add(start(t), commit(t));
    if (order_.order() == Order::None) continue;
    if (const TxnId next = order_.next(t); next != kNone<TxnId>)
      for (const Link& link : dependency(t, next)) links_.push_back(link);
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      // The layers of causal are apart: each node meets its own moments.
      const Node out = base_ == Base::Causal ? start(t) + layer : commit(t);
      const Node in = base_ == Base::Causal ? start(t) + layer : start(t);
      const std::uint32_t base = txn_nodes_ + layer * moments;
      if (order_.moment_after(t) != OrderIndex::kNoMoment)
        add(out, base + order_.moment_after(t));
      if (order_.moment_before(t) != OrderIndex::kNoMoment)
        add(base + order_.moment_before(t), in);
    }
  }
}

// Readers by version, and reads-from.
void KnownGraph::add_reads() {
  const std::size_t versions = facts_.version_count();
  reader_begin_.assign(versions + 1, 0);

  std::size_t reads = 0;
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (facts_.counts(TxnId(i))) reads += facts_.reads(TxnId(i)).size();
  // Room for most of what is to come; what is not used costs nothing.
  links_.reserve(links_.size() + reads * (base_ == Base::Causal ? 2 : 3));
  constexpr std::uint32_t kNoVersion = 0xffffffffu;
  std::vector<std::uint32_t> version_of_read;
  version_of_read.reserve(reads);
  std::vector<TxnId> last(versions, kNone<TxnId>);
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    if (!facts_.counts(t)) continue;
    for (const Facts::Read& read : facts_.reads(t)) {
      version_of_read.push_back(kNoVersion);
      if (read.writer == kNone<TxnId>) continue;
      const Version v = version(read.key, read.writer);
      if (last[v.index] == t) continue;
      last[v.index] = t;
      ++reader_begin_[v.index + 1];
      version_of_read.back() = v.index;
      if (read.writer != History::kInitial && base_ != Base::ReadUncommitted)
        for (const Link& link : dependency(read.writer, t))
          links_.push_back(link);
    }
  }
  for (std::size_t v = 0; v < versions; ++v)
    reader_begin_[v + 1] += reader_begin_[v];
  last = {};
  readers_.resize(reader_begin_.back());
  std::vector<std::uint32_t> at(reader_begin_.begin(), reader_begin_.end() - 1);
  std::size_t read = 0;
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    if (!facts_.counts(TxnId(i))) continue;
    const std::size_t end = read + facts_.reads(TxnId(i)).size();
    for (; read < end; ++read)
      if (version_of_read[read] != kNoVersion)
        readers_[at[version_of_read[read]]++] = TxnId(i);
  }
}

KnownGraph::Node KnownGraph::reader_node(Version v) const {
  if (!has_rw_) return kNoNode;
  const auto all = readers(v);
  if (all.empty()) return kNoNode;
  if (all.size() == 1) return start(all[0]);
  const SharedBlock& block = shared_blocks_[v.index / 64];
  const std::uint64_t before =
      block.has & ((std::uint64_t{1} << v.index % 64) - 1);
  return first_shared_ + block.before +
         static_cast<std::uint32_t>(std::popcount(before));
}

bool KnownGraph::has_read(TxnId t, KeyId key, TxnId writer) const {
  for (const Facts::Read& read : facts_.reads(t))
    if (read.key == key && read.writer == writer) return true;
  return false;
}

void KnownGraph::share_readers() {
  shared_blocks_.resize(version_count() / 64 + 1);
  for (std::uint32_t v = 0; v < version_count(); ++v) {
    SharedBlock& block = shared_blocks_[v / 64];
    if (v % 64 == 0) block.before = node_count_ - first_shared_;
    const auto all = readers({v});
    if (all.size() < 2) continue;
    block.has |= std::uint64_t{1} << v % 64;
    const Node shared = node_count_++;
    shared_versions_.push_back(v);
    for (const TxnId reader : all) add(start(reader), shared);
  }
}

// Who read a version and wrote the key overwrote it: the other readers of the
// version are before that.  With one node per transaction the shared node is
// of no use here, since the writer is a reader, too; two such writers are a
// cycle, and no third is needed.
void KnownGraph::add_updates() {
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    const TxnId t(i);
    if (!facts_.counts(t)) continue;
    for (const Facts::Read& read : facts_.reads(t)) {
      if (read.writer == kNone<TxnId> || !facts_.writes_key(t, read.key))
        continue;
      const Version v = version(read.key, read.writer);
      const auto all = readers(v);
      if (all.size() < 2) continue;
      if (per_txn_ == 2) {
        add(reader_node(v), commit(t));
        continue;
      }
      std::uint32_t updates = 0;
      for (const TxnId reader : all) {
        if (reader == t) continue;
        add(start(reader), commit(t));
        if (facts_.writes_key(reader, read.key) && ++updates == 2) break;
      }
    }
  }
}

// Whoever read the initial version did so before all writers of the key.
void KnownGraph::add_initial() {
  for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key(k);
    if (readers(version(key, History::kInitial)).empty()) continue;
    for (const TxnId writer : facts_.writers(key))
      if (facts_.counts(writer)) add_overwrite(key, History::kInitial, writer);
  }
}

void KnownGraph::add_version_orders() {
  for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
    const KeyId key(k);
    const auto known = facts_.version_order(key);
    if (known.empty()) continue;
    for (std::size_t i = 1; i < known.size(); ++i) {
      links_.push_back(write_order(known[i - 1], known[i]));
      add_overwrite(key, known[i - 1], known[i]);
    }
    std::vector<TxnId> sorted(known.begin(), known.end());
    std::sort(sorted.begin(), sorted.end());
    for (const TxnId writer : facts_.writers(key)) {
      if (!facts_.counts(writer) ||
          std::binary_search(sorted.begin(), sorted.end(), writer))
        continue;
      links_.push_back(write_order(known.back(), writer));
      add_overwrite(key, known.back(), writer);
    }
  }
}

// The readers of `writer`'s version are before `later` commits.
void KnownGraph::add_overwrite(KeyId key, TxnId writer, TxnId later) {
  if (!has_rw_) return;
  if (per_txn_ == 1 && has_read(later, key, writer)) return;  // add_updates()
  const Node from = reader_node(version(key, writer));
  if (from != kNoNode) add(from, commit(later));
}

}  // namespace txscope::check
