#include <algorithm>

#include "check/strong/refinement.h"

namespace txscope::check {

// Fills findings_.  Stating them takes the assignment back, so that comes
// afterwards.
void Refinement::walk() {
  findings_.clear();
  collect_loose_readers();
  collect_dirty_keys();
  switch (level_.base) {
    case Base::ReadUncommitted:
    case Base::ReadCommitted: break;
    case Base::MonotonicAtomicView:
    case Base::ReadAtomic:
      for (std::uint32_t i = 1; i < history_.size(); ++i)
        if (counts(TxnId(i))) walk_reads(TxnId(i));
      break;
    case Base::ParallelSnapshotIsolation:
      next_writer_.assign(known_.version_count(), kNone<TxnId>);
      for (const KeyId key : dirty_keys_) line_up(key);
      [[fallthrough]];
    case Base::Causal:
    case Base::Prefix:
    case Base::SnapshotIsolation:
    case Base::Serializable:
      for (const KeyId key : dirty_keys_) walk_along(key);
      break;
  }
}

bool Refinement::counts(TxnId t) const {
  return facts_.counts(t) || (facts_.part(t) == Facts::Part::Open &&
                              solver_->is_true(outcomes_.at(t)));
}

// Keys whose readers or writers have moved since the last walk.  Open reads
// may have changed anywhere, and so may paths.
void Refinement::collect_dirty_keys() {
  const auto moved = solver_->graph().take_moved();
  const bool is_all = is_first_walk_ || !open_reads_.empty() ||
                      !outcomes_.empty() || !known_.has_anti_dependencies();
  is_first_walk_ = false;
  dirty_keys_.clear();
  if (is_all) {
    for (std::uint32_t k = 0; k < history_.key_count(); ++k)
      dirty_keys_.push_back(KeyId(k));
    return;
  }
  std::vector<bool> is_dirty(history_.key_count());
  for (const Node n : moved) {
    const TxnId t = known_.txn_of(n);
    if (t == kNone<TxnId> || !facts_.counts(t)) continue;
    for (const KeyId key : facts_.writes(t)) is_dirty[key.index] = true;
    for (const Facts::Read& read : facts_.reads(t))
      is_dirty[read.key.index] = true;
  }
  for (std::uint32_t k = 0; k < history_.key_count(); ++k)
    if (is_dirty[k]) dirty_keys_.push_back(KeyId(k));
}

void Refinement::collect_loose_readers() {
  loose_.clear();
  for (std::uint32_t r = 0; r < open_reads_.size(); ++r) {
    const OpenRead& read = open_reads_[r];
    if (!counts(read.reader)) continue;
    // Several may be true: then each of them satisfies the axiom.
    for (std::uint32_t c = 0; c < read.candidates.size(); ++c) {
      if (!solver_->is_true(read.candidates[c].chosen)) continue;
      loose_.push_back(
          {known_.version(read.key, read.candidates[c].writer), r, c});
    }
  }
  std::sort(loose_.begin(), loose_.end());
}

std::span<const Refinement::LooseReader> Refinement::loose_readers(
    Version v) const {
  const auto first = std::lower_bound(
      loose_.begin(), loose_.end(), v,
      [](const LooseReader& l, Version w) { return l.version < w; });
  auto last = first;
  while (last != loose_.end() && last->version == v) ++last;
  return {first, last};
}

// The writers of a key that count, in the current order.
void Refinement::line_up(KeyId key) {
  line_.clear();
  for (const TxnId t : facts_.writers(key))
    if (counts(t)) line_.push_back(t);
  std::sort(line_.begin(), line_.end(), [&](TxnId a, TxnId b) {
    return commit_position(a) < commit_position(b);
  });
  if (level_.base != Base::ParallelSnapshotIsolation) return;
  for (std::size_t i = 1; i < line_.size(); ++i)
    next_writer_[known_.version(key, line_[i - 1]).index] = line_[i];
}

void Refinement::walk_along(KeyId key) {
  line_up(key);
  TxnId earlier = History::kInitial;
  for (std::size_t i = 0; i < line_.size(); ++i) {
    // At causal a later writer may be seen through nobody but itself.
    const std::size_t end = level_.base == Base::Causal ? line_.size() : i + 1;
    for (std::size_t j = i; j < end; ++j) look_at_pair(key, earlier, line_[j]);
    earlier = line_[i];
  }
}

// Whether nothing is wrong about b overwriting a.
void Refinement::look_at_pair(KeyId key, TxnId a, TxnId b) {
  const Version v = known_.version(key, a);
  const auto readers = known_.readers(v);
  if (!known_.has_anti_dependencies()) {
    for (const TxnId reader : readers) look_at_path(a, b, reader, kTrue);
    for (const LooseReader& l : loose_readers(v))
      look_at_path(a, b, open_reads_[l.read].reader,
                   open_reads_[l.read].candidates[l.candidate].chosen);
    return;
  }
  bool is_wrong = level_.base == Base::SnapshotIsolation &&
                  a != History::kInitial &&
                  start_position(b) < commit_position(a);
  for (const TxnId reader : readers)
    is_wrong |= reader != b && start_position(reader) > commit_position(b);
  if (is_wrong)
    findings_.push_back(
        {Finding::Conclusion::Overwrite, key, a, b, {}, {}, {}});
  for (const LooseReader& l : loose_readers(v)) {
    const OpenRead& read = open_reads_[l.read];
    if (read.reader == b || start_position(read.reader) < commit_position(b))
      continue;
    findings_.push_back({Finding::Conclusion::ReadsBefore,
                         key,
                         read.reader,
                         b,
                         {read.candidates[l.candidate].chosen, committed(b)},
                         {{a, b}},
                         {known_.start(read.reader), known_.start(b)}});
  }
}

// A reader of a must not see b, which overwrote it.
void Refinement::look_at_path(TxnId a, TxnId b, TxnId reader, Lit chosen) {
  if (reader == b || start_position(b) > start_position(reader)) return;
  sat::AcyclicGraph::MoreEdges more;
  if (level_.base == Base::ParallelSnapshotIsolation) {
    more = [&](Node n, std::vector<sat::AcyclicGraph::PathNode>& to) {
      const TxnId t = known_.txn_of(n);
      if (t == kNone<TxnId> || !counts(t)) return;
      for (const KeyId key : facts_.writes(t)) {
        const TxnId next = next_writer_[known_.version(key, t).index];
        if (next != kNone<TxnId>) to.push_back({known_.start(next), kFalse});
      }
    };
  }
  const auto path =
      solver_->graph().path(known_.start(b), known_.start(reader), more);
  if (path.empty()) return;
  Finding finding;
  finding.premises = {chosen, committed(b)};
  finding.orders.emplace_back(a, b);
  for (const auto& step : path) finding.about.push_back(step.node);
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i].why == kFalse)
      finding.orders.emplace_back(known_.txn_of(path[i - 1].node),
                                  known_.txn_of(path[i].node));
    else
      finding.premises.push_back(path[i].why);
  }
  findings_.push_back(std::move(finding));
}

std::vector<Refinement::ChosenRead> Refinement::chosen_reads(TxnId t) const {
  std::vector<ChosenRead> chosen;
  if (facts_.counts(t))
    for (const Facts::Read& read : facts_.reads(t))
      if (read.writer != kNone<TxnId>)
        chosen.push_back({read.op, read.key, read.writer, kTrue});
  auto open =
      std::lower_bound(open_reads_.begin(), open_reads_.end(), t,
                       [](const OpenRead& r, TxnId u) { return r.reader < u; });
  for (; open != open_reads_.end() && open->reader == t; ++open)
    for (const auto& candidate : open->candidates)
      if (solver_->is_true(candidate.chosen))
        chosen.push_back(
            {open->op, open->key, candidate.writer, candidate.chosen});
  return chosen;
}

// monotonic-atomic-view and read-atomic: who surely precedes t by the premise
// of the level, and writes what t reads, is before the writer that t read.
void Refinement::walk_reads(TxnId t) {
  const auto reads = chosen_reads(t);
  for (const ChosenRead& read : reads) {
    for (const ChosenRead& other : reads) {
      if (other.writer == read.writer || other.writer == History::kInitial ||
          !facts_.writes_key(other.writer, read.key))
        continue;
      if (level_.base == Base::MonotonicAtomicView && !(other.op < read.op))
        continue;
      if (read.writer != History::kInitial &&
          commit_position(other.writer) < commit_position(read.writer))
        continue;
      findings_.push_back({Finding::Conclusion::Before,
                           read.key,
                           other.writer,
                           read.writer,
                           {other.chosen, read.chosen},
                           {},
                           {known_.start(t)}});
    }
    if (level_.base == Base::ReadAtomic) look_at_order(t, read);
  }
}

void Refinement::look_at_order(TxnId t, const ChosenRead& read) {
  if (order_.order() == Order::None) return;
  for (const TxnId writer : facts_.writers(read.key)) {
    if (writer == read.writer || writer == t || !counts(writer) ||
        !order_.precedes(writer, t))
      continue;
    if (read.writer != History::kInitial &&
        commit_position(writer) < commit_position(read.writer))
      continue;
    findings_.push_back({Finding::Conclusion::Before,
                         read.key,
                         writer,
                         read.writer,
                         {committed(writer), read.chosen},
                         {},
                         {known_.start(t)}});
  }
}

void Refinement::state(const Finding& finding) {
  if (finding.conclusion == Finding::Conclusion::Overwrite) {
    before(finding.a, finding.b);
    overwrite(finding.key, finding.a, finding.b);
    overwrite(finding.key, finding.b, finding.a);
    return;
  }
  std::vector<Lit> clause;
  for (const Lit premise : finding.premises) clause.push_back(~premise);
  for (const auto& [a, b] : finding.orders) clause.push_back(~before(a, b));
  if (finding.conclusion == Finding::Conclusion::Before)
    clause.push_back(before(finding.a, finding.b));
  if (finding.conclusion == Finding::Conclusion::ReadsBefore)
    clause.push_back(reads_before(finding.a, finding.b));
  std::vector<Node> about = finding.about;
  about.push_back(known_.start(finding.a));
  about.push_back(known_.start(finding.b));
  add_clause(std::move(clause), about);
}

}  // namespace txscope::check
