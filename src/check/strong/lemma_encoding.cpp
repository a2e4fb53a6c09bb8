#include <algorithm>
#include <numeric>

#include "check/strong/lemma_search.h"

namespace txscope::check {
namespace {

constexpr std::size_t kMostArcs = 2'000'000;

sat::AcyclicGraph graph_without_edges(std::size_t nodes) {
  std::vector<sat::AcyclicGraph::Node> order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  return sat::AcyclicGraph({}, order);
}

bool has_start_and_commit(Base base) {
  return base == Base::Prefix || base == Base::SnapshotIsolation;
}

}  // namespace

LemmaSearch::LemmaSearch(const Excerpt& excerpt, const Budget& budget)
    : x_(excerpt),
      budget_(budget),
      has_two_(has_start_and_commit(excerpt.level.base)),
      has_rw_in_graph_(has_two_ || excerpt.level.base == Base::Serializable),
      solver_(graph_without_edges(excerpt.txns.size() * (has_two_ ? 2 : 1))) {
  solver_.keep_lemmas();
}

// False if the excerpt cannot be told so, or if the budget ended.
bool LemmaSearch::encode() {
  for (Index i = 0; has_two_ && i < x_.txns.size(); ++i)
    solver_.add_edge(kTrue, 2 * i, 2 * i + 1);
  encode_order();
  encode_bad_reads();
  for (const TxnId t : x_.txns) {
    if (budget_.spent_now() || arcs_.size() > kMostArcs) return false;
    if (x_.facts.part(t) != Facts::Part::Out) encode_reads(t);
  }
  for (const auto& key : x_.keys) {
    if (budget_.spent_now() || arcs_.size() > kMostArcs) return false;
    // Below monotonic-atomic-view only what lists show is worth knowing.
    if (x_.level.base >= Base::MonotonicAtomicView ||
        x_.history.kind(key.key) == KeyKind::List)
      encode_write_order(key);
  }
  return true;
}

void LemmaSearch::encode_order() {
  for (Index a = 0; a < x_.txns.size(); ++a) {
    for (Index b = 0; b < x_.txns.size(); ++b) {
      if ((x_.precedes[a][b / 64] >> (b % 64) & 1) == 0) continue;
      Edge edge;
      edge.from = x_.txns[a];
      edge.to = x_.txns[b];
      edge.kind =
          x_.history.at(edge.from).session == x_.history.at(edge.to).session
              ? EdgeKind::Session
              : EdgeKind::Realtime;
      add_arc(edge, {committed(edge.from), committed(edge.to)});
    }
  }
}

void LemmaSearch::encode_bad_reads() {
  for (const BadRead& bad : x_.facts.bad_reads_if_committed()) {
    const TxnId reader = x_.history.txn_of(bad.read);
    if (is_in(reader)) add_case({committed(reader)}, Case{{}, bad});
  }
}

void LemmaSearch::encode_reads(TxnId reader) {
  if (x_.level.base == Base::ReadUncommitted) return;
  for (const Facts::Read& read : x_.facts.reads(reader)) {
    if (x_.facts.list_is_open(read.key)) continue;
    for (const Source& source : sources(reader, read))
      encode_source(reader, read, source);
  }
}

// Whoever took part has read from somebody, who took part, too.
std::vector<LemmaSearch::Source> LemmaSearch::sources(TxnId reader,
                                                      const Facts::Read& read) {
  const Lit reads = committed(reader);
  if (read.writer != kNone<TxnId>) {
    if (is_in(read.writer)) add_clause({~reads, committed(read.writer)});
    return {{read.writer, reads}};
  }
  std::vector<Source> found;
  std::vector<Lit> somebody;
  if (reads != kTrue) somebody.push_back(~reads);
  for (const TxnId writer : x_.facts.candidates(read.op)) {
    if (writer == reader) continue;
    Assumption answer;
    answer.kind = Assumption::Kind::Writer;
    answer.op = read.op;
    answer.a = writer;
    const Lit chosen = atom(answer, false);
    somebody.push_back(chosen);
    found.push_back({writer, chosen});
    add_clause({~chosen, reads});
    if (is_in(writer)) add_clause({~chosen, committed(writer)});
  }
  solver_.add_clause(somebody);
  return found;
}

void LemmaSearch::encode_source(TxnId reader, const Facts::Read& read,
                                const Source& source) {
  Edge edge;
  edge.key = read.key;
  edge.read = read.op;
  const TxnId writer = source.writer;
  if (is_in(writer)) {
    edge.kind = EdgeKind::ReadsFrom;
    edge.from = writer;
    edge.to = reader;
    add_arc(edge, {source.chosen, committed(reader)});
  } else if (writer != History::kInitial) {
    return;
  }
  if (x_.level.base < Base::MonotonicAtomicView) return;
  edge.kind = EdgeKind::AntiDependency;
  edge.from = reader;
  for (const Index i : x_.writers(read.key)) {
    edge.to = x_.txns[i];
    if (edge.to == reader || edge.to == writer) continue;
    if (const auto order = is_older(read.key, writer, edge.to, edge.reason))
      add_arc(edge,
              {source.chosen, committed(reader), committed(edge.to), *order});
  }
}

void LemmaSearch::encode_write_order(const Excerpt::Writers& key) {
  for (const Index a : key.writers) {
    for (const Index b : key.writers) {
      if (a == b) continue;
      Edge edge;
      edge.kind = EdgeKind::WriteOrder;
      edge.key = key.key;
      edge.from = x_.txns[a];
      edge.to = x_.txns[b];
      if (const auto order = is_older(key.key, edge.from, edge.to, edge.reason))
        add_arc(edge, {*order, committed(edge.from), committed(edge.to)});
    }
  }
}

// What says that the version by a is older than that by b; nothing if it is
// not.
std::optional<LemmaSearch::Lit> LemmaSearch::is_older(
    KeyId key, TxnId a, TxnId b, WriteOrderReason& reason) {
  reason = WriteOrderReason::Initial;
  if (a == History::kInitial) return kTrue;
  const auto known = x_.facts.version_order(key);
  const auto first = std::find(known.begin(), known.end(), a);
  const auto second = std::find(known.begin(), known.end(), b);
  reason = WriteOrderReason::Known;
  if (first < second) return kTrue;
  if (second < first) return std::nullopt;
  reason = WriteOrderReason::Assumed;
  return before(a, b);
}

LemmaSearch::Lit LemmaSearch::atom(const Assumption& assumption, bool phase) {
  const sat::Var v = solver_.add_variable(phase);
  atoms_.resize(v + std::size_t{1});
  atoms_[v] = assumption;
  return {v, false};
}

LemmaSearch::Lit LemmaSearch::before(TxnId a, TxnId b) {
  const bool is_swapped = b < a;
  if (is_swapped) std::swap(a, b);
  const auto [place, is_new] =
      orders_.try_emplace(static_cast<std::uint64_t>(a.index) << 32 | b.index);
  if (is_new) {
    Assumption order;
    order.kind = Assumption::Kind::Before;
    order.a = a;
    order.b = b;
    place->second = atom(order, true);
  }
  return is_swapped ? ~place->second : place->second;
}

LemmaSearch::Lit LemmaSearch::committed(TxnId t) {
  if (x_.facts.part(t) != Facts::Part::Open) return kTrue;
  const auto [place, is_new] = outcomes_.try_emplace(t);
  if (is_new) {
    Assumption outcome;
    outcome.kind = Assumption::Kind::Committed;
    outcome.a = t;
    place->second = atom(outcome, false);
  }
  return place->second;
}

LemmaSearch::Lit LemmaSearch::conjunction(const std::vector<Lit>& all_of) {
  if (all_of.empty()) return kTrue;
  if (all_of.size() == 1) return all_of[0];
  const auto [place, is_new] = conjunctions_.try_emplace(all_of);
  if (is_new) {
    place->second = Lit(solver_.add_auxiliary(), false);
    std::vector<Lit> definition(1, place->second);
    for (const Lit l : all_of) definition.push_back(~l);
    solver_.add_clause(definition);
  }
  return place->second;
}

void LemmaSearch::add_arc(const Edge& edge, std::initializer_list<Lit> all_of) {
  Arc arc{edge, {}, kTrue};
  for (const Lit l : all_of)
    if (l != kTrue) arc.all_of.push_back(l);
  std::sort(arc.all_of.begin(), arc.all_of.end());
  arc.all_of.erase(std::unique(arc.all_of.begin(), arc.all_of.end()),
                   arc.all_of.end());
  if (is_link(edge)) {
    const Node from = leaves(edge);
    const Node to = arrives(edge);
    auto& others = arcs_between_[static_cast<std::uint64_t>(from) << 32 | to];
    // One reason is enough, but where the kind of edge matters.
    for (const std::uint32_t other : others)
      if (has_rw_in_graph_ &&
          std::includes(arc.all_of.begin(), arc.all_of.end(),
                        arcs_[other].all_of.begin(), arcs_[other].all_of.end()))
        return;
    others.push_back(static_cast<std::uint32_t>(arcs_.size()));
    arc.why = conjunction(arc.all_of);
    solver_.add_edge(arc.why, from, to);
  }
  arcs_.push_back(std::move(arc));
}

void LemmaSearch::add_clause(std::initializer_list<Lit> clause) {
  std::vector<Lit> lits;
  for (const Lit l : clause) {
    if (l == kTrue) return;
    if (l != ~kTrue) lits.push_back(l);
  }
  solver_.add_clause(lits);
}

// Under all of these there is a contradiction.
void LemmaSearch::add_case(std::vector<Lit> all_of, Case&& found) {
  std::erase(all_of, kTrue);
  found.assume = assumptions(all_of);
  for (Lit& l : all_of) l = ~l;
  const auto number = static_cast<std::uint32_t>(cases_.size());
  cases_.push_back(std::move(found));
  solver_.add_clause(all_of, std::span(&number, 1));
}

}  // namespace txscope::check
