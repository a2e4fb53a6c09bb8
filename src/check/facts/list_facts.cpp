#include <algorithm>
#include <cassert>

#include "check/facts/facts_builder.h"
#include "model/real_time.h"

// The part of Facts that is about lists: appends and list reads.
namespace txscope::check {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffffu;

}  // namespace

// After own appends a list read must end in exactly those; what precedes them
// is an external read.
void FactsBuilder::check_own_tail(TxnId t, OpId read) {
  const Own& own = own_[history_.at(read).key.index];
  const ListView list = history_.list(read);
  bool is_right = list.size() >= own.appends;
  std::uint32_t link = own.chain;
  for (std::uint32_t i = 0; is_right && i < own.appends; ++i) {
    const auto [op, before] = own_chain_[link];
    is_right = list[list.size() - 1 - i] == history_.at(op).value;
    link = before;
  }
  if (!is_right)
    return reject(t, {BadReadKind::Internal, read, OpId(own.last_op)});
  facts_.own_tails_.push_back({read, own.appends});
  facts_.has_own_tail_.resize(history_.ops().size());
  facts_.has_own_tail_[read.index] = true;
  reads_.push_back({history_.key_of(read), read, kNone<TxnId>});
}

void FactsBuilder::index_appends() {
  auto& begin = append_begin_;
  begin.assign(history_.key_count() + 1, 0);
  for (const KeyId k : append_keys_) ++begin[k.index + 1];
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<Append> sorted(appends_.size());
  for (std::size_t i = 0; i < appends_.size(); ++i)
    sorted[next[append_keys_[i].index]++] = appends_[i];
  appends_ = std::move(sorted);
  append_keys_ = {};
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    const auto first = appends_.begin() + begin[k];
    const auto last = appends_.begin() + begin[k + 1];
    if (!std::is_sorted(first, last)) std::sort(first, last);
  }
}

std::span<const FactsBuilder::Append> FactsBuilder::appends(KeyId k,
                                                            Atom value) const {
  const auto row = Facts::row(appends_, append_begin_, k.index);
  const auto first = std::lower_bound(
      row.begin(), row.end(), value,
      [](const Append& a, Atom wanted) { return a.value < wanted; });
  const auto last = std::upper_bound(
      first, row.end(), value,
      [](Atom wanted, const Append& a) { return wanted < a.value; });
  return {first, last};
}

std::span<const Atom> FactsBuilder::external(OpId read) const {
  return history_.list(read).span().first(facts_.external_length(read));
}

// --- which transactions count ------------------------------------------------

// Nearly all reads of a list share one copy of it; only what goes beyond the
// part that was followed before is looked at.
void FactsBuilder::follow_list(const Read& read, Part part) {
  if (followed_.empty()) followed_.resize(history_.key_count());
  Followed& followed = followed_[read.key.index];
  const auto elements = external(read.op);
  std::size_t done = 0;
  if (followed.part == part && followed.data == elements.data())
    done = std::min(followed.length, elements.size());
  if (followed.part != part || followed.length < elements.size())
    followed = {part, elements.data(), elements.size()};
  for (const Atom value : elements.subspan(done)) {
    const auto found = appends(read.key, value);
    if (part == Part::In && found.size() != 1) continue;
    for (const Append& a : found) require(a.txn, part);
  }
}

// --- the order of each list
// ----------------------------------------------------

void FactsBuilder::order_lists() {
  lists_.resize(history_.key_count());
  facts_.longest_.assign(history_.key_count(), kNone<OpId>);
  facts_.open_lists_.assign(history_.key_count(), 0);
  for (const Part part : {Part::In, Part::Open})
    for (std::size_t t = 0; t < history_.size(); ++t) {
      if (facts_.parts_[t] != part) continue;
      for (Read& read : reads(TxnId(t))) {
        if (history_.kind(read.key) != KeyKind::List) continue;
        compare_with_longest(read, TxnId(t), part);
      }
    }
  facts_.versions_begin_.push_back(0);
  occurrences_.assign(appends_.size(), 0);
  bool any_open = false;
  for (std::size_t k = 0; k < lists_.size(); ++k) {
    ListState& list = lists_[k];
    if (list.longest != kNone<OpId>) order_list(KeyId(k), list);
    facts_.longest_[k] = list.longest;
    facts_.open_lists_[k] = list.is_open;
    any_open |= list.is_open;
    facts_.versions_begin_.push_back(
        static_cast<std::uint32_t>(facts_.versions_.size()));
  }
  if (!any_open) {
    facts_.open_lists_ = {};
    return;
  }
  facts_.is_open_ = true;
  for (std::size_t k = 0; k < lists_.size(); ++k)
    for (const Append& a :
         Facts::row(appends_, append_begin_, static_cast<std::uint32_t>(k)))
      if (facts_.parts_[a.txn.index] != Part::Out)
        facts_.appends_.push_back({KeyId(k), a.value, a.op});
}

// Finds the longest read of each list, and those that do not agree with it.
void FactsBuilder::compare_with_longest(Read& read, TxnId reader, Part part) {
  ListState& list = lists_[read.key.index];
  const auto elements = external(read.op);
  if (part == Part::Open) list.is_open = true;
  if (list.longest != kNone<OpId>) {
    const auto longest = history_.list(list.longest).span().first(list.length);
    const std::size_t common = std::min(longest.size(), elements.size());
    if (longest.data() != elements.data() &&
        !std::equal(longest.begin(), longest.begin() + common,
                    elements.begin())) {
      reject(reader, {BadReadKind::Incompatible, read.op, list.longest});
      read.key = kNone<KeyId>;
      return;
    }
    if (elements.size() <= longest.size()) return;
  }
  if (part == Part::Open) return;
  list.longest = read.op;
  list.length = static_cast<std::uint32_t>(elements.size());
}

// Finds the append behind each element.  Elements that nobody who may have
// committed appended are bad; whether such a one may stand where it does is a
// question of read-committed, so it is skipped in the version order.  One that
// occurs more often than it was appended is in no order at all.
void FactsBuilder::order_list(KeyId k, ListState& list) {
  list.first_element = static_cast<std::uint32_t>(elements_.size());
  list.broken_at = list.bad_at = kNowhere;
  const auto elements = external(list.longest);
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    const auto found = appends(k, elements[i]);
    elements_.push_back(found.size() == 1 ? found.data() : nullptr);
    element_writers_.push_back(found.size() == 1 && found.front().is_last
                                   ? found.front().txn
                                   : kNone<TxnId>);
    list.is_open |= found.size() > 1;
    if (found.empty()) {
      if (list.bad_at == kNowhere) list.bad_at = i;
      continue;
    }
    auto& count =
        occurrences_[static_cast<std::size_t>(found.data() - appends_.data())];
    if (++count <= found.size() || list.broken_at != kNowhere) continue;
    list.broken_at = i;
    list.broken = {BadReadKind::Incompatible, list.longest, found.front().op};
  }
  if (!list.is_open) find_version_order(list);
}

// The appends of one transaction must be adjacent and in program order.
void FactsBuilder::find_version_order(ListState& list) {
  const Append* before = nullptr;
  const std::uint32_t end = std::min(list.length, list.broken_at);
  for (std::uint32_t i = 0; i < end; ++i) {
    const Append* append = elements_[list.first_element + i];
    const bool is_inside = before != nullptr && !before->is_last;
    if (append == nullptr && !is_inside) continue;
    const bool fits = is_inside
                          ? append != nullptr && append->txn == before->txn &&
                                append->rank == before->rank + 1
                          : append->rank == 0;
    if (!fits) {
      list.broken_at = i;
      list.broken = {BadReadKind::Incompatible, list.longest,
                     is_inside ? before->op : append->op};
      return;
    }
    if (append->rank == 0) facts_.versions_.push_back(append->txn);
    before = append;
  }
}

// --- resolve -----------------------------------------------------------------

void FactsBuilder::resolve_list(Read& read, TxnId reader) {
  const ListState& list = lists_[read.key.index];
  const auto elements = external(read.op);
  if (elements.empty()) {
    read.writer = History::kInitial;
    return;
  }
  if (elements.size() <= std::min({list.length, list.bad_at, list.broken_at})) {
    const TxnId writer =
        element_writers_[list.first_element + elements.size() - 1];
    if (writer != kNone<TxnId> && writer != reader) {
      read.writer = writer;
      return;
    }
  }
  BadRead bad;
  bad.read = kNone<OpId>;
  if (elements.size() > list.length) {
    bad = find_bad_element(read, elements);  // of an Open transaction
  } else if (elements.size() > list.bad_at) {
    bad = explain_missing(read.op, read.key, elements[list.bad_at]);
  }
  if (elements.size() <= list.length && elements.size() > list.broken_at)
    reject(reader, {BadReadKind::Incompatible, read.op, list.broken.other});
  else if (bad.read == kNone<OpId>)
    return resolve_last_element(read, reader,
                                last_append(list, elements, read.key));
  if (bad.read != kNone<OpId>) reject(reader, {bad.kind, read.op, bad.other});
  read.key = kNone<KeyId>;
}

BadRead FactsBuilder::find_bad_element(const Read& read,
                                       std::span<const Atom> elements) {
  for (const Atom value : elements)
    if (appends(read.key, value).empty())
      return explain_missing(read.op, read.key, value);
  return {BadReadKind::ThinAir, kNone<OpId>, kNone<OpId>};
}

// Who appended the last element; known from the list's order, mostly.
std::span<const FactsBuilder::Append> FactsBuilder::last_append(
    const ListState& list, std::span<const Atom> elements, KeyId k) const {
  if (elements.size() <= list.length)
    if (const Append* append =
            elements_[list.first_element + elements.size() - 1])
      return {append, 1};
  return appends(k, elements.back());
}

void FactsBuilder::resolve_last_element(Read& read, TxnId reader,
                                        std::span<const Append> found) {
  assert(!found.empty() && "a bad element was found before");
  std::size_t choices = 0;
  for (auto a = found.begin(); a != found.end() && choices < 2; ++a) {
    if (!a->is_last || a->txn == reader) continue;
    read.writer = a->txn;
    ++choices;  // a transaction has one last append: no one comes twice
  }
  if (choices == 1) return;
  if (choices > 1) {
    const auto id = kListCandidates |
                    static_cast<std::uint64_t>(found.data() - appends_.data());
    if (!is_shared(id))
      for (const Append& a : found)
        if (a.is_last) facts_.candidates_.push_back(a.txn);
    return open(read, id);
  }
  reject(reader, found.front().is_last
                     ? read_of_own_later_append(read, reader)
                     : read_of_unfinished_append(read, reader, found));
  read.key = kNone<KeyId>;
}

// Others followed every append of the last element in its transaction; if all
// of them were invoked after the reader had ended, it saw none of them.
BadRead FactsBuilder::read_of_unfinished_append(
    const Read& read, TxnId reader, std::span<const Append> found) const {
  for (const Append& a : found)
    if (!ended_before(history_, reader, a.txn))
      return {BadReadKind::Intermediate, read.op, a.op};
  return {BadReadKind::ThinAir, read.op, found.front().op};
}

// Names the first element that only the reader itself appended.
BadRead FactsBuilder::read_of_own_later_append(const Read& read,
                                               TxnId reader) const {
  for (const Atom value : external(read.op)) {
    const auto found = appends(read.key, value);
    if (std::all_of(found.begin(), found.end(),
                    [&](const Append& a) { return a.txn == reader; }))
      return {BadReadKind::ThinAir, read.op, found.front().op};
  }
  return {BadReadKind::ThinAir, read.op, kNone<OpId>};
}

}  // namespace txscope::check
