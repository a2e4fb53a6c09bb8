#include <algorithm>
#include <map>

#include "check/strong/refinement.h"

namespace txscope {

/// The literals "element i of the list is this append", and what they imply.
///
/// Definition.  The version order of a list is the appends of those who
/// committed, each transaction's adjacent and in program order, contained in
/// the commit order; each read is a prefix of it that ends where some
/// transaction's appends end.  At read-uncommitted the longest read of those
/// who committed is compared with it: it may end anywhere, and elements for
/// which there are not enough appends are strangers, allowed between the
/// appends of transactions.  There an element is literally one of that read.
class Refinement::OpenList {
 public:
  OpenList(Refinement& outer, KeyId key)
      : r_(outer),
        key_(key),
        is_strict_(outer.level_.base != Base::ReadUncommitted) {}

  void add_read(TxnId reader, OpId op) { reads_.push_back({reader, op}); }
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
  Lit element(std::size_t i, OpId op);
  void bind_neighbours(std::size_t i, OpId op);
  [[nodiscard]] std::vector<OpId> appends_of(TxnId t) const;
  void cover(const ListRead& read);
  void place_scarce(const ListRead& read);
  void exclude();
  void tie_to_reads();
  void exclude_incompatible();
  [[nodiscard]] bool is_scarce(std::span<const Atom> list, Atom value) const;
  void end_read(const ListRead& read);
  void order_elements();
  void order_rest();

  Refinement& r_;
  KeyId key_;
  bool is_strict_;
  std::size_t known_length_ = 0;  // of the reads that surely count
  std::vector<ListRead> reads_;
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
  const Lit lit(r_.solver_->add_variable(false), false);
  at_[i].push_back({op, t, lit});
  r_.add_clause({~lit, r_.committed(t)});
  work_.emplace_back(i, op);
  return lit;
}

// The appends of one transaction are adjacent and in program order.
void Refinement::OpenList::bind_neighbours(std::size_t i, OpId op) {
  const auto own = appends_of(r_.history_.txn_of(op));
  const auto place = std::find(own.begin(), own.end(), op);
  const Lit lit = element(i, op);
  if (place != own.begin())
    r_.add_clause({~lit, i == 0 ? kFalse : element(i - 1, place[-1])});
  if (place + 1 == own.end() || i + 1 >= at_.size()) return;
  if (is_strict_) return r_.add_clause({~lit, element(i + 1, place[1])});
  for (const ListRead& read : reads_)
    if (elements(read.op).size() > i + 1)
      r_.add_clause(
          {~lit, ~r_.committed(read.reader), element(i + 1, place[1])});
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
    cover(read);
    if (!is_strict_) place_scarce(read);
  }
  while (!work_.empty()) {
    const auto [i, op] = work_.back();
    work_.pop_back();
    bind_neighbours(i, op);
  }
  exclude();
  if (is_strict_) {
    for (const ListRead& read : reads_) end_read(read);
  } else {
    tie_to_reads();
    exclude_incompatible();
  }
  order_elements();
  order_rest();
}

bool Refinement::OpenList::is_scarce(std::span<const Atom> list,
                                     Atom value) const {
  const auto wanted = std::count(list.begin(), list.end(), value);
  return static_cast<long>(r_.facts_.appends(key_, value).size()) < wanted;
}

// Every element is some append; at read-uncommitted unless a read that counts
// shows more of the value than were appended.
void Refinement::OpenList::cover(const ListRead& read) {
  const auto list = elements(read.op);
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::vector<Lit> clause(1, ~r_.committed(read.reader));
    for (const OpId op : r_.facts_.appends(key_, list[i]))
      clause.push_back(element(i, op));
    if (!is_strict_)
      for (const ListRead& other : reads_)
        if (is_scarce(elements(other.op), list[i]))
          clause.push_back(r_.committed(other.reader));
    r_.add_clause(std::move(clause));
  }
}

// Where there are more elements than appends, each append is one of them.
void Refinement::OpenList::place_scarce(const ListRead& read) {
  std::vector<Atom> values;
  for (const Atom value : elements(read.op))
    if (is_scarce(elements(read.op), value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const Atom value : values)
    for (const OpId op : r_.facts_.appends(key_, value)) {
      std::vector<Lit> somewhere(1, ~r_.committed(read.reader));
      for (const ListRead& other : reads_) {
        const auto list = elements(other.op);
        for (std::size_t i = 0; i < list.size(); ++i)
          if (list[i] == value) somewhere.push_back(element(i, op));
      }
      r_.add_clause(std::move(somewhere));
    }
}

// One append per place, one place per append.
void Refinement::OpenList::exclude() {
  std::map<OpId, std::vector<Lit>> places;
  for (const auto& here : at_) {
    for (std::size_t i = 0; i < here.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        r_.add_clause({~here[i].lit, ~here[j].lit});
      auto& others = places[here[i].op];
      for (const Lit other : others) r_.add_clause({~here[i].lit, ~other});
      others.push_back(here[i].lit);
    }
  }
}

// At read-uncommitted an element is one of a read that counts, and none of
// them says otherwise.
void Refinement::OpenList::tie_to_reads() {
  for (std::size_t i = 0; i < at_.size(); ++i)
    for (const Element& e : at_[i]) {
      std::vector<Lit> shown(1, ~e.lit);
      for (const ListRead& read : reads_) {
        const auto list = elements(read.op);
        if (list.size() <= i) continue;
        const Lit counts = r_.committed(read.reader);
        if (list[i] == r_.history_.at(e.op).value)
          shown.push_back(counts);
        else
          r_.add_clause({~counts, ~e.lit});
      }
      r_.add_clause(std::move(shown));
    }
}

void Refinement::OpenList::exclude_incompatible() {
  for (const ListRead& read : reads_)
    for (const ListRead& other : reads_) {
      if (!(read.op < other.op)) continue;
      const auto a = elements(read.op);
      const auto b = elements(other.op);
      const std::size_t common = std::min(a.size(), b.size());
      if (!std::equal(a.begin(), a.begin() + common, b.begin()))
        r_.add_clause(
            {~r_.committed(read.reader), ~r_.committed(other.reader)});
    }
}

// A read ends with all appends of the transaction that it reads from, and does
// not contain the reader's own.
void Refinement::OpenList::end_read(const ListRead& read) {
  const std::size_t length = elements(read.op).size();
  const Lit counts = r_.committed(read.reader);
  for (std::size_t i = 0; i < length; ++i)
    for (const Element& e : at_[i])
      if (e.txn == read.reader) r_.add_clause({~counts, ~e.lit});
  if (length == 0) return;
  const auto open =
      std::find_if(r_.open_reads_.begin(), r_.open_reads_.end(),
                   [&](const OpenRead& o) { return o.op == read.op; });
  for (const Element& e : at_[length - 1]) {
    if (appends_of(e.txn).back() != e.op) {
      r_.add_clause({~counts, ~e.lit});
      continue;
    }
    if (open == r_.open_reads_.end()) continue;
    Lit chosen = kFalse;
    for (const auto& candidate : open->candidates)
      if (candidate.writer == e.txn) chosen = candidate.chosen;
    r_.add_clause({~counts, ~e.lit, chosen});
    // If the writer is known, that it is chosen only says that it counts.
    if (open->candidates.size() > 1) r_.add_clause({~chosen, e.lit});
  }
}

void Refinement::OpenList::order_elements() {
  // Beyond what surely was read there may be nothing, but there are no holes.
  for (std::size_t i = std::max<std::size_t>(known_length_, 1);
       is_strict_ && i < at_.size(); ++i) {
    for (const Element& e : at_[i]) {
      std::vector<Lit> clause(1, ~e.lit);
      for (const Element& earlier : at_[i - 1]) clause.push_back(earlier.lit);
      r_.add_clause(std::move(clause));
    }
  }
  for (std::size_t i = 0; i + 1 < at_.size(); ++i) {
    const std::size_t end = is_strict_ ? i + 2 : at_.size();
    for (std::size_t j = i + 1; j < end; ++j)
      for (const Element& a : at_[i])
        for (const Element& b : at_[j])
          if (a.txn != b.txn)
            r_.add_clause({~a.lit, ~b.lit, r_.before(a.txn, b.txn)});
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
      is_read = Lit(r_.solver_->add_variable(true), false);
      places.push_back(~is_read);
      r_.add_clause(std::move(places));
    }
    for (std::size_t i = first; i < at_.size(); ++i)
      for (const Element& e : at_[i])
        if (e.txn != t)
          r_.add_clause(
              {~e.lit, ~r_.committed(t), is_read, r_.before(e.txn, t)});
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
  const auto add = [&](TxnId reader, KeyId key, OpId op) {
    const auto place = lists.find(key);
    if (place != lists.end()) place->second.add_read(reader, op);
  };
  if (level_.base != Base::ReadUncommitted) {
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      for (const Facts::Read& read : facts_.reads(TxnId(i)))
        add(TxnId(i), read.key, read.op);
  } else {
    // The longest of those that surely count, and those that may count, also
    // if nobody can have written what they saw.
    for (const auto& [key, list] : lists)
      if (const OpId read = facts_.longest_read(key); read != kNone<OpId>)
        add(history_.txn_of(read), key, read);
    for (std::uint32_t i = 1; i < history_.size(); ++i) {
      if (facts_.part(TxnId(i)) != Facts::Part::Open) continue;
      const Txn& txn = history_.at(TxnId(i));
      for (OpId op(txn.first_op); op.index < txn.end_op; ++op.index)
        if (history_.at(op).kind == OpKind::ReadList &&
            !contradicts_own_append(op))
          add(TxnId(i), history_.at(op).key, op);
    }
  }
  for (auto& [key, list] : lists) list.encode();
}

}  // namespace txscope
