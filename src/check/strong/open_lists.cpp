#include <algorithm>
#include <map>

#include "check/strong/refinement.h"

namespace txscope::check {

/// The literals "element i of the list is this append", and what they imply.
///
/// Definition.  The version order of a list is the appends of those who
/// committed, each transaction's adjacent and in program order, contained in
/// the commit order; each read is a prefix of it that ends where some
/// transaction's appends end.  At read-uncommitted a read may end anywhere, and
/// elements that nobody can have appended are strangers, allowed between the
/// appends of transactions.
class Refinement::OpenList {
 public:
  OpenList(Refinement& outer, KeyId key)
      : r_(outer),
        key_(key),
        is_strict_(outer.level_.base != Base::ReadUncommitted) {}

  void add_read(TxnId reader, OpId op) {
    reads_.push_back({reader, op});
    about_.push_back(r_.known_.start(reader));
  }
  void encode();

 private:
  struct Element {
    OpId op;
    TxnId txn;
    Lit lit;
  };
  struct ListRead {
    TxnId reader;
    OpId op;
  };
  [[nodiscard]] std::span<const Atom> elements(OpId read) const {
    return r_.history_.list(read).span().first(r_.facts_.external_length(read));
  }
  void add(std::vector<Lit> clause) {
    r_.add_clause(std::move(clause), about_);
  }
  Lit element(std::size_t i, OpId op);
  void bind_neighbours(std::size_t i, OpId op);
  [[nodiscard]] std::vector<OpId> appends_of(TxnId t) const;
  void cover(std::span<const Atom> list, Lit counts);
  void exclude();
  void exclude_strangers(std::span<const Atom> list, Lit counts);
  void exclude_incompatible();
  void end_read(const ListRead& read);
  void order_elements();
  void order_rest();

  Refinement& r_;
  KeyId key_;
  bool is_strict_;
  std::size_t known_length_ = 0;  // of the reads that surely count
  std::vector<ListRead> reads_;
  std::vector<Node> about_;               // their readers
  std::vector<std::vector<Element>> at_;  // by position
  std::vector<std::pair<std::size_t, OpId>> work_;
};

std::vector<OpId> Refinement::OpenList::appends_of(TxnId t) const {
  std::vector<OpId> found;
  const Txn& txn = r_.history_.at(t);
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
    if (const Op& op = r_.history_.at(OpId(i));
        op.kind == OpKind::Append && op.key == key_)
      found.push_back(OpId(i));
  return found;
}

Refinement::Lit Refinement::OpenList::element(std::size_t i, OpId op) {
  for (const Element& e : at_[i])
    if (e.op == op) return e.lit;
  const TxnId t = r_.history_.txn_of(op);
  const Lit lit = r_.new_literal(false, t, t);
  at_[i].push_back({op, t, lit});
  add({~lit, r_.committed(t)});
  work_.emplace_back(i, op);
  return lit;
}

// The appends of one transaction are adjacent and in program order.
void Refinement::OpenList::bind_neighbours(std::size_t i, OpId op) {
  const auto own = appends_of(r_.history_.txn_of(op));
  const auto place = std::find(own.begin(), own.end(), op);
  const Lit lit = element(i, op);
  if (place != own.begin())
    add({~lit, i == 0 ? kFalse : element(i - 1, place[-1])});
  if (place + 1 != own.end() && i + 1 < at_.size())
    add({~lit, element(i + 1, place[1])});
}

void Refinement::OpenList::encode() {
  std::size_t length = 0;
  for (const ListRead& read : reads_) {
    length = std::max(length, elements(read.op).size());
    if (r_.facts_.counts(read.reader))
      known_length_ = std::max(known_length_, elements(read.op).size());
  }
  at_.resize(length);
  for (const ListRead& read : reads_) {
    const auto list = elements(read.op);
    // All reads that count say the same; the longest of them is enough.
    if (r_.facts_.counts(read.reader) && list.size() < known_length_) continue;
    cover(list, r_.committed(read.reader));
  }
  while (!work_.empty()) {
    const auto [i, op] = work_.back();
    work_.pop_back();
    bind_neighbours(i, op);
  }
  exclude();
  for (const ListRead& read : reads_) {
    if (is_strict_)
      end_read(read);
    else
      exclude_strangers(elements(read.op), r_.committed(read.reader));
  }
  if (!is_strict_) exclude_incompatible();
  order_elements();
  order_rest();
}

void Refinement::OpenList::cover(std::span<const Atom> list, Lit counts) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto appends = r_.facts_.appends(key_, list[i]);
    if (!is_strict_ && appends.empty()) continue;
    std::vector<Lit> clause(1, ~counts);
    for (const OpId op : appends) clause.push_back(element(i, op));
    add(std::move(clause));
  }
}

// One append per place, one place per append.
void Refinement::OpenList::exclude() {
  std::map<OpId, std::vector<Lit>> places;
  for (const auto& here : at_) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) add({~here[i].lit, ~here[j].lit});
      auto& others = places[here[i].op];
      for (const Lit other : others) add({~here[i].lit, ~other});
      others.push_back(here[i].lit);
    }
  }
}

// A stranger's place is nobody else's.
void Refinement::OpenList::exclude_strangers(std::span<const Atom> list,
                                             Lit counts) {
  for (std::size_t i = 0; i < list.size(); ++i)
    for (const Element& e : at_[i])
      if (r_.history_.at(e.op).value != list[i]) add({~counts, ~e.lit});
}

// Strangers, too, are the same in all reads that count.
void Refinement::OpenList::exclude_incompatible() {
  for (const ListRead& read : reads_)
    for (const ListRead& other : reads_) {
      if (!(read.op < other.op)) continue;
      const auto a = elements(read.op);
      const auto b = elements(other.op);
      const std::size_t common = std::min(a.size(), b.size());
      if (!std::equal(a.begin(), a.begin() + common, b.begin()))
        add({~r_.committed(read.reader), ~r_.committed(other.reader)});
    }
}

// A read ends with all appends of the transaction that it reads from, and does
// not contain the reader's own.
void Refinement::OpenList::end_read(const ListRead& read) {
  const std::size_t length = elements(read.op).size();
  const Lit counts = r_.committed(read.reader);
  for (std::size_t i = 0; i < length; ++i)
    for (const Element& e : at_[i])
      if (e.txn == read.reader) add({~counts, ~e.lit});
  if (length == 0) return;
  const auto open =
      std::find_if(r_.open_reads_.begin(), r_.open_reads_.end(),
                   [&](const OpenRead& o) { return o.op == read.op; });
  for (const Element& e : at_[length - 1]) {
    if (appends_of(e.txn).back() != e.op) {
      add({~counts, ~e.lit});
      continue;
    }
    if (open == r_.open_reads_.end()) continue;
    Lit chosen = kFalse;
    for (const auto& candidate : open->candidates)
      if (candidate.writer == e.txn) chosen = candidate.chosen;
    add({~counts, ~e.lit, chosen});
    // If the writer is known, that it is chosen only says that it counts.
    if (open->candidates.size() > 1) add({~chosen, e.lit});
  }
}

void Refinement::OpenList::order_elements() {
  // Beyond what surely was read there may be nothing, but there are no holes.
  for (std::size_t i = std::max<std::size_t>(known_length_, 1);
       is_strict_ && i < at_.size(); ++i) {
    for (const Element& e : at_[i]) {
      std::vector<Lit> clause(1, ~e.lit);
      for (const Element& earlier : at_[i - 1]) clause.push_back(earlier.lit);
      add(std::move(clause));
    }
  }
  for (std::size_t i = 0; i + 1 < at_.size(); ++i) {
    const std::size_t end = is_strict_ ? i + 2 : at_.size();
    for (std::size_t j = i + 1; j < end; ++j)
      for (const Element& a : at_[i])
        for (const Element& b : at_[j])
          if (a.txn != b.txn) add({~a.lit, ~b.lit, r_.before(a.txn, b.txn)});
  }
}

// Whoever appended nothing that was read comes after all that was.
void Refinement::OpenList::order_rest() {
  const std::size_t first =
      !is_strict_ || known_length_ == 0 ? 0 : known_length_ - 1;
  for (const TxnId t : r_.facts_.writers(key_)) {
    const OpId op = appends_of(t).front();
    std::vector<Lit> places;
    for (const auto& here : at_)
      for (const Element& e : here)
        if (e.op == op) places.push_back(e.lit);
    Lit is_read = kFalse;
    if (!places.empty()) {
      is_read = r_.new_literal(true, t, t);
      places.push_back(~is_read);
      add(std::move(places));
    }
    for (std::size_t i = first; i < at_.size(); ++i)
      for (const Element& e : at_[i])
        if (e.txn != t)
          add({~e.lit, ~r_.committed(t), is_read, r_.before(e.txn, t)});
  }
}

bool Refinement::contradicts_own_append(OpId list_read) const {
  const auto bad = facts_.bad_reads_if_committed();
  return std::any_of(bad.begin(), bad.end(), [&](const BadRead& b) {
    return b.read == list_read && b.kind == BadReadKind::Internal;
  });
}

void Refinement::open_lists() {
  std::map<KeyId, OpenList> lists;
  for (std::uint32_t k = 0; k < history_.key_count(); ++k)
    if (facts_.list_is_open(KeyId(k)))
      lists.try_emplace(KeyId(k), *this, KeyId(k));
  if (lists.empty()) return;
  // At read-uncommitted reads with strange elements count as well; of those
  // by transactions that count the longest is known.
  const bool is_strict = level_.base != Base::ReadUncommitted;
  for (auto& [key, list] : lists)
    if (const OpId read = facts_.longest_read(key);
        !is_strict && read != kNone<OpId>)
      list.add_read(history_.txn_of(read), read);
  const auto add = [&](TxnId reader, OpId op) {
    const auto place = lists.find(history_.at(op).key);
    if (place != lists.end()) place->second.add_read(reader, op);
  };
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const TxnId t(i);
    if (is_strict)
      for (const Facts::Read& read : facts_.reads(t)) add(t, read.op);
    else if (facts_.part(t) == Facts::Part::Open)
      for (OpId op(history_.at(t).first_op); op.index < history_.at(t).end_op;
           ++op.index)
        if (history_.at(op).kind == OpKind::ReadList &&
            !contradicts_own_append(op))
          add(t, op);
  }
  for (auto& [key, list] : lists) list.encode();
}

}  // namespace txscope::check
