#include "check/facts/facts.h"

#include <algorithm>
#include <cassert>

#include "check/facts/facts_builder.h"
#include "model/real_time.h"

namespace txscope::check {

Facts::Facts(const History& history, Scope scope, const ReadSet* ignored)
    : history_(&history) {
  FactsBuilder(history, *this, scope, ignored).build();
}

bool Facts::writes_key(TxnId t, KeyId k) const {
  const auto keys = writes(t);
  return std::binary_search(keys.begin(), keys.end(), k);
}

// Those of kInitial, by key, then the others, by writer and key.
Facts::Version Facts::version(KeyId key, TxnId writer) const {
  if (writer == History::kInitial) return {key.index};
  const auto keys = writes(writer);
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  assert(place != keys.end() && *place == key && "a writer of the key");
  return {static_cast<std::uint32_t>(history_->key_count()) +
          first_write(writer) +
          static_cast<std::uint32_t>(place - keys.begin())};
}

std::span<const TxnId> Facts::candidates(OpId read) const {
  const auto place = std::lower_bound(
      open_reads_.begin(), open_reads_.end(), read,
      [](const OpenRead& open, OpId op) { return open.op < op; });
  assert(place != open_reads_.end() && place->op == read &&
         "only open reads have candidates");
  return std::span(candidates_)
      .subspan(place->first, place->last - place->first);
}

OpId Facts::longest_read(KeyId k) const {
  return longest_.empty() ? kNone<OpId> : longest_[k.index];
}

std::uint32_t Facts::external_length(OpId list_read) const {
  const auto size =
      static_cast<std::uint32_t>(history_->list(list_read).size());
  if (has_own_tail_.empty() || !has_own_tail_[list_read.index]) return size;
  const auto place = std::lower_bound(
      own_tails_.begin(), own_tails_.end(), list_read,
      [](const OwnTail& tail, OpId op) { return tail.read < op; });
  assert(place != own_tails_.end() && place->read == list_read);
  return size - place->length;
}

std::vector<OpId> Facts::appends(KeyId k, Atom value) const {
  std::vector<OpId> found;
  for (auto place = std::lower_bound(appends_.begin(), appends_.end(),
                                     ListAppend{k, value, OpId(0)});
       place != appends_.end() && place->key == k && place->value == value;
       ++place)
    found.push_back(place->op);
  return found;
}

void FactsBuilder::build() {
  facts_.parts_.assign(history_.size(), Part::Out);
  for (std::size_t k = 0; k < history_.key_count(); ++k)
    has_lists_ |= history_.kind(KeyId(k)) == KeyKind::List;
  scan();
  index_writes();
  if (has_lists_) index_appends();
  decide_parts();
  if (has_lists_) order_lists();
  resolve_reads();
  unique_.forget();
  versions_ = {};
  drop_what_is_out();
}

// --- scan ------------------------------------------------------------------

void FactsBuilder::scan() {
  own_.resize(history_.key_count());
  facts_.read_begin_.reserve(history_.size() + 1);
  facts_.write_begin_.reserve(history_.size() + 1);
  std::size_t reads = 0;
  for (const Op& op : history_.ops()) reads += op.is_read() ? 1 : 0;
  reads_.reserve(reads);
  facts_.writes_.reserve(history_.ops().size() - reads);
  unique_.expect(history_.ops().size() - reads);
  for (std::size_t t = 0; t < history_.size(); ++t) {
    facts_.read_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
    facts_.write_begin_.push_back(
        static_cast<std::uint32_t>(facts_.writes_.size()));
    if (history_.is_judged(TxnId(t))) scan(TxnId(t));
  }
  facts_.read_begin_.push_back(static_cast<std::uint32_t>(reads_.size()));
  facts_.write_begin_.push_back(
      static_cast<std::uint32_t>(facts_.writes_.size()));
  own_ = {};
  own_chain_ = {};
}

// Splits the reads of t into internal ones, which are judged here, and external
// ones; finds the writes that others can see.
void FactsBuilder::scan(TxnId t) {
  touched_.clear();
  own_chain_.clear();
  const Txn& txn = history_.at(t);
  has_unknown_ |= txn.status == Status::Unknown;
  const auto ops = history_.ops();
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
    expect_op(i + kAhead);
    const Op& op = ops[i];
    if (op.kind == OpKind::Read && scope_ == Facts::Scope::ListReads) continue;
    if (ignored_ != nullptr && ignored_->contains(OpId(i))) continue;
    Own& own = own_[op.key.index];
    const bool is_own = own.txn == t.index;
    if (op.is_write()) {
      if (!is_own) {
        touched_.push_back(op.key);
        own = {t.index, i, 0, 0};
      }
      own.last_op = i;
      if (op.kind == OpKind::Append) {
        own_chain_.emplace_back(OpId(i), own.chain);
        own.chain = static_cast<std::uint32_t>(own_chain_.size() - 1);
        ++own.appends;
      }
    } else if (!is_own) {
      reads_.push_back({op.key, OpId(i), kNone<TxnId>});
    } else if (op.kind == OpKind::ReadList) {
      check_own_tail(t, OpId(i));
    } else if (op.value != ops[own.last_op].value) {
      reject(t, {BadReadKind::Internal, OpId(i), OpId(own.last_op)});
    }
  }
  if (txn.status != Status::Aborted) add_writes(t);
}

// Where keys and values are many, each look at what is known of one waits for
// memory, unless it was asked for in time.
inline void FactsBuilder::expect_op(std::size_t i) const {
  if (i >= history_.ops().size()) return;
  const Op op = history_.at(OpId(i));
  __builtin_prefetch(&own_[op.key.index]);
  if (op.kind == OpKind::Write) unique_.expect(op.value);
}

void FactsBuilder::add_writes(TxnId t) {
  std::sort(touched_.begin(), touched_.end());
  const auto ops = history_.ops();
  for (const KeyId k : touched_) {
    const Own& own = own_[k.index];
    facts_.writes_.push_back(k);
    if (own.appends == 0) unique_.add(k, ops[own.last_op].value, t);
    std::uint32_t link = own.chain;
    for (std::uint32_t rank = own.appends; rank-- > 0;) {
      const auto [op, before] = own_chain_[link];
      appends_.push_back(
          {ops[op.index].value, op, t, rank, rank + 1 == own.appends});
      append_keys_.push_back(k);
      link = before;
    }
  }
}

void FactsBuilder::reject(TxnId reader, BadRead bad) {
  bad_.emplace_back(reader, bad);
}

// --- index -----------------------------------------------------------------

// Counting sort of the visible writes by key.
void FactsBuilder::index_writes() {
  auto& begin = facts_.writers_begin_;
  begin.assign(history_.key_count() + 1, 0);
  for (const KeyId k : facts_.writes_) ++begin[k.index + 1];
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  facts_.writers_.resize(facts_.writes_.size());
  for (std::size_t t = 0; t < history_.size(); ++t)
    for (std::uint32_t i = facts_.write_begin_[t];
         i < facts_.write_begin_[t + 1]; ++i)
      facts_.writers_[next[facts_.writes_[i].index]++] = TxnId(t);
}

// The same with what each left there, and the rows sorted by that.
void FactsBuilder::index_versions() {
  unique_.forget();
  has_versions_ = true;
  const auto& begin = facts_.writers_begin_;
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  std::vector<Atom> left(history_.key_count());  // by the current transaction
  versions_.resize(facts_.writes_.size());
  for (std::size_t t = 0; t < history_.size(); ++t) {
    const auto keys = facts_.writes(TxnId(t));
    if (keys.empty()) continue;
    for (std::uint32_t i = history_.at(TxnId(t)).first_op;
         i < history_.at(TxnId(t)).end_op; ++i)
      if (const Op op = history_.at(OpId(i)); op.is_write())
        left[op.key.index] = op.value;
    for (const KeyId k : keys)
      versions_[next[k.index]++] = {left[k.index], TxnId(t)};
  }
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    if (history_.kind(KeyId(k)) != KeyKind::Register) continue;
    const auto first = versions_.begin() + begin[k];
    const auto last = versions_.begin() + begin[k + 1];
    if (!std::is_sorted(first, last)) std::sort(first, last);
  }
}

std::span<const FactsBuilder::Version> FactsBuilder::versions(KeyId k,
                                                              Atom value) {
  if (!has_versions_) index_versions();
  const auto row = Facts::row(versions_, facts_.writers_begin_, k.index);
  const auto first = std::lower_bound(
      row.begin(), row.end(), value,
      [](const Version& v, Atom wanted) { return v.value < wanted; });
  auto last = first;
  if (first != row.end() && first->value == value) ++last;
  if (last != row.end() && last->value == value && last != first)
    last = std::upper_bound(
        last, row.end(), value,
        [](Atom wanted, const Version& v) { return wanted < v.value; });
  return {first, last};
}

// --- which transactions count ------------------------------------------------

void FactsBuilder::decide_parts() {
  for (std::size_t t = 0; t < history_.size(); ++t)
    if (history_.is_judged(TxnId(t)) &&
        history_.at(TxnId(t)).status != Status::Unknown)
      facts_.parts_[t] = Part::In;
  if (!has_unknown_) return;
  // First those that somebody who counts must have read from, then those that
  // such a one, or one that may count, may have read from.
  for (const Part part : {Part::In, Part::Open}) {
    for (std::size_t t = 0; t < history_.size(); ++t)
      if (facts_.parts_[t] != Part::Out) work_.push_back(TxnId(t));
    while (!work_.empty()) {
      const TxnId t = work_.back();
      work_.pop_back();
      for (const Read& read : reads(t)) follow(read, t, part);
    }
  }
}

void FactsBuilder::require(TxnId t, Part part) {
  if (facts_.parts_[t.index] != Part::Out) return;
  facts_.parts_[t.index] = part;
  work_.push_back(t);
}

void FactsBuilder::follow(const Read& read, TxnId reader, Part part) {
  if (history_.kind(read.key) == KeyKind::List) return follow_list(read, part);
  const Atom value = history_.at(read.op).value;
  if (const auto writer = unique_.find(read.key, value)) {
    const bool is_open = part == Part::In && is_initial(read.key, value);
    if (*writer != kNone<TxnId> && *writer != reader && !is_open)
      require(*writer, part);
    return;
  }
  const auto found = versions(read.key, value);
  if (part == Part::In) {
    std::size_t choices = is_initial(read.key, value) ? 1 : 0;
    for (auto v = found.begin(); v != found.end() && choices < 2; ++v)
      choices += v->writer != reader;
    if (choices > 1) return;
  } else if (!found.empty()) {  // the first read of a value does it for all
    if (is_followed_.empty()) is_followed_.resize(versions_.size());
    auto& is_followed = is_followed_[found.data() - versions_.data()];
    if (is_followed) return;
    is_followed = 1;
  }
  for (const Version& v : found)
    if (v.writer != reader) require(v.writer, part);
}

// --- resolve -----------------------------------------------------------------

void FactsBuilder::resolve_reads() {
  for (std::size_t t = 0; t < history_.size(); ++t) {
    if (facts_.parts_[t] == Part::Out) continue;
    for (Read& read : reads(TxnId(t))) {
      const auto ahead =
          static_cast<std::size_t>(&read - reads_.data()) + kAhead;
      if (ahead < reads_.size())
        unique_.expect(history_.at(reads_[ahead].op).value);
      if (read.key == kNone<KeyId>) continue;
      if (has_lists_ && history_.kind(read.key) == KeyKind::List)
        resolve_list(read, TxnId(t));
      else
        resolve(read, TxnId(t));
    }
  }
}

// A read that turns out bad loses its key, and is dropped later.
void FactsBuilder::resolve(Read& read, TxnId reader) {
  const Atom value = history_.at(read.op).value;
  const bool initial = is_initial(read.key, value);
  if (const auto writer = unique_.find(read.key, value)) {
    const bool is_written = *writer != kNone<TxnId>;
    if (is_written != initial && *writer != reader) {
      read.writer = initial ? History::kInitial : *writer;
      return;
    }
  }
  const auto found = versions(read.key, value);
  std::size_t choices = initial ? 1 : 0;
  if (initial) read.writer = History::kInitial;
  for (const Version& v : found) {
    if (v.writer == reader) continue;
    read.writer = v.writer;
    if (++choices > 1) break;
  }
  if (choices == 1) return;
  if (choices > 1) {
    const auto id = static_cast<std::uint64_t>(found.data() - versions_.data());
    if (!is_shared(id)) {
      if (initial) facts_.candidates_.push_back(History::kInitial);
      for (const Version& v : found) facts_.candidates_.push_back(v.writer);
    }
    return open(read, id);
  }
  reject(reader, found.empty() ? explain_missing(read.op, read.key, value)
                               : read_of_own_later_write(read, reader));
  read.key = kNone<KeyId>;
}

BadRead FactsBuilder::read_of_own_later_write(const Read& read,
                                              TxnId reader) const {
  BadRead bad{BadReadKind::ThinAir, read.op, kNone<OpId>};
  for (std::uint32_t i = read.op.index; i < history_.at(reader).end_op; ++i)
    if (const Op& op = history_.at(OpId(i));
        op.is_write() && op.key == read.key)
      bad.other = OpId(i);
  return bad;
}

// True if the candidates of that id are there; else the caller adds them now.
bool FactsBuilder::is_shared(std::uint64_t id) {
  const auto first = static_cast<std::uint32_t>(facts_.candidates_.size());
  return !shared_candidates_.try_emplace(id, first, first).second;
}

void FactsBuilder::open(Read& read, std::uint64_t id) {
  read.writer = kNone<TxnId>;
  facts_.is_open_ = true;
  auto& [first, last] = shared_candidates_[id];
  if (first == last)
    last = static_cast<std::uint32_t>(facts_.candidates_.size());
  facts_.open_reads_.push_back({read.op, first, last});
}

// The nearest thing to a writer of a value that nobody visibly wrote.  A write
// that was invoked after the reader had ended is none.
BadRead FactsBuilder::explain_missing(OpId read, KeyId k, Atom value) {
  if (!hidden_) index_hidden();
  const TxnId reader = history_.txn_of(read);
  BadRead later{BadReadKind::ThinAir, read, kNone<OpId>};
  for (auto place = std::lower_bound(hidden_->begin(), hidden_->end(),
                                     Hidden{k, value, false, OpId(0)});
       place != hidden_->end() && place->key == k && place->value == value;
       ++place) {
    if (!ended_before(history_, reader, history_.txn_of(place->op)))
      return {
          place->is_aborted ? BadReadKind::Aborted : BadReadKind::Intermediate,
          read, place->op};
    if (later.other == kNone<OpId>) later.other = place->op;
  }
  return later;
}

void FactsBuilder::index_hidden() {
  hidden_.emplace();
  std::vector<Own> last(history_.key_count());
  for (std::size_t t = 1; t < history_.size(); ++t) {
    const Txn& txn = history_.at(TxnId(t));
    const bool is_aborted = txn.status == Status::Aborted;
    for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
      const Op& op = history_.at(OpId(i));
      if (op.is_read()) continue;
      if (is_aborted) {
        hidden_->push_back({op.key, op.value, true, OpId(i)});
      } else if (op.kind == OpKind::Write) {
        Own& own = last[op.key.index];
        if (own.txn == t)
          hidden_->push_back({op.key, history_.at(OpId(own.last_op)).value,
                              false, OpId(own.last_op)});
        own.txn = static_cast<std::uint32_t>(t);
        own.last_op = i;
      }
    }
  }
  std::sort(hidden_->begin(), hidden_->end());
}

// --- finish
// --------------------------------------------------------------------

// Leaves out the reads that are bad or that nobody asks about, and the writes
// of transactions that do not count.
void FactsBuilder::drop_what_is_out() {
  auto& f = facts_;
  if (!bad_.empty() || has_unknown_) {
    std::uint32_t kept = 0;
    for (std::size_t t = 0; t < history_.size(); ++t) {
      const std::uint32_t first = f.read_begin_[t];
      f.read_begin_[t] = kept;
      if (f.parts_[t] == Part::Out) continue;
      for (std::uint32_t i = first; i < f.read_begin_[t + 1]; ++i)
        if (reads_[i].key != kNone<KeyId>) reads_[kept++] = reads_[i];
    }
    f.read_begin_.back() = kept;
    reads_.resize(kept);
  }
  f.reads_.reserve(reads_.size());
  for (const Read& read : reads_) f.reads_.push_back({read.op, read.writer});
  reads_ = {};
  if (has_unknown_) {
    std::uint32_t kept = 0;
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      const std::uint32_t first = f.writers_begin_[k];
      f.writers_begin_[k] = kept;
      for (std::uint32_t i = first; i < f.writers_begin_[k + 1]; ++i)
        if (f.parts_[f.writers_[i].index] != Part::Out)
          f.writers_[kept++] = f.writers_[i];
    }
    f.writers_begin_.back() = kept;
    f.writers_.resize(kept);
    for (const Part part : f.parts_) f.is_open_ |= part == Part::Open;
  }
  std::sort(bad_.begin(), bad_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.read, a.second.kind) <
           std::pair(b.second.read, b.second.kind);
  });
  for (const auto& [t, bad] : bad_) {
    if (f.part(t) == Part::In) f.bad_.push_back(bad);
    if (f.part(t) == Part::Open) f.bad_if_committed_.push_back(bad);
  }
}

}  // namespace txscope::check
