#include <algorithm>

#include "check/strong/refinement.h"

namespace txscope::check {
namespace {

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | b;
}

}  // namespace

void Refinement::start_solver(std::span<const Node> order) {
  solver_.emplace(sat::AcyclicGraph(known_.rows(), links_of(forced_), order));
  if (!facts_.is_open()) return;
  open_outcomes();
  if (level_.base != Base::ReadUncommitted) open_reads();
  open_lists();
  open_overwrites();
}

Refinement::Lit Refinement::committed(TxnId t) const {
  if (facts_.part(t) != Facts::Part::Open) return kTrue;
  return outcomes_.at(t);
}

// "a is before b in the commit order", which also orders their versions.
Refinement::Lit Refinement::before(TxnId a, TxnId b) {
  if (a == History::kInitial) return kTrue;
  if (b == History::kInitial) return kFalse;
  const bool is_swapped = b < a;
  if (is_swapped) std::swap(a, b);
  const auto [place, is_new] = pairs_.try_emplace(pair_of(a.index, b.index));
  if (is_new) {
    ++stated_;
    place->second =
        new_literal(commit_position(a) < commit_position(b), a, b).var();
    const Lit lit(place->second, false);
    const auto forth = known_.write_order(a, b);
    const auto back = known_.write_order(b, a);
    solver_->add_edge(lit, forth.from, forth.to);
    solver_->add_edge(~lit, back.from, back.to);
  }
  return Lit(place->second, is_swapped);
}

// "The reader starts before the writer commits", where that is an edge.
Refinement::Lit Refinement::reads_before(TxnId reader, TxnId writer) {
  if (level_.base == Base::Serializable) return before(reader, writer);
  const auto [place, is_new] =
      read_pairs_.try_emplace(pair_of(reader.index, writer.index));
  if (is_new) {
    const Node start = known_.start(reader);
    const Node commit = known_.commit(writer);
    place->second =
        new_literal(start_position(reader) < commit_position(writer), reader,
                    writer)
            .var();
    solver_->add_edge(Lit(place->second, false), start, commit);
    solver_->add_edge(Lit(place->second, true), commit, start);
  }
  return Lit(place->second, false);
}

// If `later` is after `writer`, it is after those who surely read the key from
// `writer`.
void Refinement::overwrite(KeyId key, TxnId writer, TxnId later) {
  const Version v = known_.version(key, writer);
  const Node readers = known_.reader_node(v);
  if (readers == KnownGraph::kNoNode) return;
  // Known already, and with one node per transaction it would be a loop.
  if (known_.start(later) == known_.commit(later) && facts_.counts(later) &&
      known_.has_read(later, key, writer))
    return;
  if (!overwrites_.insert(v.index, later.index)) return;
  ++stated_;
  Lit why = before(writer, later);
  if (const Lit counts = committed(later); counts != kTrue) {
    const Lit both = new_literal(false, writer, later);
    add_clause({~why, ~counts, both}, later);
    why = both;
  }
  solver_->add_edge(why, readers, known_.commit(later));
}

Refinement::Lit Refinement::new_literal(bool phase, TxnId a, TxnId b,
                                        OpId read) {
  meanings_.push_back({a, b, read});
  return Lit(solver_->add_variable(phase), false);
}

void Refinement::add_clause(std::initializer_list<Lit> clause, TxnId about) {
  const Node node = known_.start(about);
  add_clause(std::vector<Lit>(clause), std::span(&node, 1));
}

void Refinement::add_clause(std::vector<Lit> clause,
                            std::span<const Node> about) {
  if (std::find(clause.begin(), clause.end(), kTrue) != clause.end()) return;
  std::erase(clause, kFalse);
  ++stated_;
  solver_->add_clause(clause, about);
}

void Refinement::open_outcomes() {
  for (std::uint32_t i = 1; i < history_.size(); ++i)
    if (facts_.part(TxnId(i)) == Facts::Part::Open)
      outcomes_.emplace(TxnId(i), new_literal(false, TxnId(i), TxnId(i)));
  for (const BadRead& bad : facts_.bad_reads_if_committed())
    if (bad.kind == BadReadKind::Incompatible ||
        level_.base != Base::ReadUncommitted)
      add_clause({~committed(history_.txn_of(bad.read))},
                 history_.txn_of(bad.read));
}

void Refinement::open_reads() {
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    if (budget_.spent()) return;
    if (facts_.part(t) == Facts::Part::Out) continue;
    for (const Facts::Read& read : facts_.reads(t))
      if (!facts_.counts(t) || read.writer == kNone<TxnId>) open_read(t, read);
  }
}

// Where times were guessed, the last candidate before the reader.
TxnId Refinement::likely_writer(TxnId reader, const Facts::Read& read) const {
  if (times_.empty()) return kNone<TxnId>;
  TxnId likely = kNone<TxnId>;
  for (const TxnId writer : facts_.candidates(read.op)) {
    if (writer == reader || commit_position(writer) >= start_position(reader))
      continue;
    if (likely == kNone<TxnId> ||
        commit_position(likely) < commit_position(writer))
      likely = writer;
  }
  return likely;
}

// A reader that counts has read from somebody, who then committed.
void Refinement::open_read(TxnId reader, const Facts::Read& read) {
  OpenRead open{reader, read.key, read.op, {}};
  const auto add = [&](TxnId writer, Lit chosen) {
    open.candidates.push_back({writer, chosen});
    if (writer == History::kInitial) return;
    add_clause({~chosen, committed(writer)}, reader);
    for (const auto& link : known_.dependency(writer, reader))
      solver_->add_edge(chosen, link.from, link.to);
  };
  if (read.writer != kNone<TxnId>) {
    add(read.writer, committed(reader));
  } else {
    std::vector<Lit> somebody(1, ~committed(reader));
    const TxnId likely = likely_writer(reader, read);
    for (const TxnId writer : facts_.candidates(read.op)) {
      if (budget_.spent()) return;
      if (writer == reader) continue;
      if (order_.precedes(reader, writer)) continue;
      const Lit chosen = new_literal(writer == likely, reader, writer, read.op);
      somebody.push_back(chosen);
      add(writer, chosen);
    }
    const Node about = known_.start(reader);
    add_clause(somebody, std::span(&about, 1));
  }
  open_reads_.push_back(std::move(open));
}

// What KnownGraph says of writers that count, for those that may.
void Refinement::open_overwrites() {
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId writer(i);
    if (facts_.part(writer) != Facts::Part::Open) continue;
    for (const KeyId key : facts_.writes(writer)) {
      open_overwrite(key, History::kInitial, writer);
      const auto known = facts_.version_order(key);
      if (known.empty()) continue;
      open_overwrite(key, known.back(), writer);
      const auto link = known_.write_order(known.back(), writer);
      solver_->add_edge(committed(writer), link.from, link.to);
    }
  }
}

void Refinement::open_overwrite(KeyId key, TxnId writer, TxnId later) {
  const Node readers = known_.reader_node(known_.version(key, writer));
  if (readers != KnownGraph::kNoNode)
    solver_->add_edge(committed(later), readers, known_.commit(later));
}

}  // namespace txscope::check
