#include "model/history_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <type_traits>

namespace txscope {
namespace {

// A list read that is a prefix of its key's chain keeps its length alone; a
// stray one keeps its place among the strays as well.
constexpr std::uint64_t kStray = std::uint64_t{1} << 63;

}  // namespace

HistoryBuilder::HistoryBuilder(std::string file_name) {
  history_.files_.push_back(std::move(file_name));
  History::TxnRow initial;
  initial.session = kNone<SessionId>;
  history_.txns_.push_back(initial);
  end_ops_.push_back(0);
}

SessionId HistoryBuilder::session(Atom name) {
  const auto [place, is_new] = session_index_.try_emplace(
      name.bits(), SessionId(history_.sessions_.size()));
  if (is_new) history_.sessions_.push_back({name, {}, {}});
  return place->second;
}

SessionId HistoryBuilder::anonymous_session() {
  history_.sessions_.push_back(
      {atoms().of_string("#" + std::to_string(++anonymous_)), {}, {}});
  return SessionId(history_.sessions_.size() - 1);
}

KeyId HistoryBuilder::add_key(Atom name) {
  const KeyId added(history_.key_count());
  if (added.index >= History::KeyAndKind::kMaxKeys) {
    fail("the history has more than 1,073,741,824 keys", "split it");
    return KeyId(0);
  }
  key_table_.add(name, added.index);
  history_.key_names_.push_back(name);
  history_.key_kinds_.push_back(KeyKind::Register);
  key_use_.push_back(Use::None);
  last_named_ = {name, added, Use::None};
  return added;
}

void HistoryBuilder::next_file(std::string file_name) {
  history_.files_.push_back(std::move(file_name));
  line_ = 0;
}

void HistoryBuilder::set_initial(History& history, KeyId key, Atom value) {
  assert(history.kind(key) == KeyKind::Register && "lists start empty");
  if (history.initials_.empty())
    history.initials_.resize(history.key_count(), history.default_initial_);
  history.initials_.set(key.index, value);
}

void HistoryBuilder::set_initial(KeyId key, Atom value) {
  if (key_has_initial_.size() <= key.index) {
    key_has_initial_.resize(history_.key_count(), 0);
    history_.initials_.resize(history_.key_count(), Atom());
  }
  history_.initials_.set(key.index, value);
  key_has_initial_[key.index] = 1;
}

void HistoryBuilder::begin(SessionId session) {
  assert(!is_open_ && "a transaction is still open");
  is_open_ = true;
  History::TxnRow t;
  t.session = session;
  t.first_op = static_cast<std::uint32_t>(history_.op_keys_.size());
  t.line = line_;
  t.file = static_cast<std::uint32_t>(history_.files_.size() - 1) & 0x3fffffff;
  piece_first_ = t.first_op;
  open_ = history_.txns_.size();
  history_.txns_.push_back(t);
  end_ops_.push_back(t.first_op);
}

void HistoryBuilder::reopen(std::size_t number) {
  assert(!is_open_ && "a transaction is still open");
  assert(number > 0 && number < history_.txns_.size());
  is_open_ = true;
  open_ = number;
  piece_first_ = static_cast<std::uint32_t>(history_.op_keys_.size());
}

void HistoryBuilder::set_name(Atom name) {
  auto& names = history_.txn_names_;
  if (names.size() <= open_) names.resize(open_ + 1, Atom());
  names.set(open_, name);
}

void HistoryBuilder::set_times(std::int64_t start, std::int64_t end) {
  assert(is_open_);
  auto& times = history_.times_;
  if (start == Txn::kNoTime && end == Txn::kNoTime && times.size() <= open_)
    return;
  if (times.size() <= open_) times.resize(open_ + 1);
  times[open_] = {start, end};
  if (start != Txn::kNoTime && end != Txn::kNoTime && end < start)
    fail("the transaction ends before it starts",
         "'end' must not be less than 'start'");
}

bool HistoryBuilder::read_list(KeyId key, std::size_t known,
                               std::span<const Atom> rest) {
  auto& chains = history_.chains_;
  if (chains.size() <= key.index) chains.resize(history_.key_count());
  auto& chain = chains[key.index];
  assert(known <= chain.size() && "known elements were read before");
  const std::size_t common = std::min(chain.size() - known, rest.size());
  const bool agrees =
      std::equal(rest.begin(), rest.begin() + common, chain.begin() + known);
  const std::size_t size = known + rest.size();
  std::uint64_t stored = size;
  if (agrees) {
    chain.insert(chain.end(), rest.begin() + common, rest.end());
  } else {
    auto& strays = history_.strays_;
    stored |= kStray | (static_cast<std::uint64_t>(strays.size()) << 31);
    strays.insert(strays.end(), chain.begin(), chain.begin() + known);
    strays.insert(strays.end(), rest.begin(), rest.end());
    if (size >= (1u << 31) || strays.size() >= (1ull << 32))
      fail("too many list elements", "");
  }
  // The word is opaque; only History::list() takes it apart again.
  add({key, OpKind::ReadList, std::bit_cast<Atom>(stored)});
  return agrees;
}

void HistoryBuilder::read_nothing(KeyId key, Atom of_register) {
  assert(is_open_ && "an operation needs an open transaction");
  has_reads_of_nothing_ = true;
  push({key, OpKind::Read, of_register});
}

// Register reads of keys that turned out to be lists can only come from
// read_nothing; all others have been reported by use().
void HistoryBuilder::settle_reads_of_nothing() {
  constexpr std::uint64_t kNoElements = 0;
  for (std::size_t i = 0; i < history_.op_keys_.size(); ++i) {
    auto& op = history_.op_keys_[i];
    if (op.kind() != OpKind::Read || history_.kind(op.key()) != KeyKind::List)
      continue;
    op = {op.key(), OpKind::ReadList};
    history_.op_values_.set(i, std::bit_cast<Atom>(kNoElements));
  }
}

void HistoryBuilder::fail_with_too_many_ops() {
  fail("the history has more than 4,294,967,279 operations", "split it");
}

void HistoryBuilder::use(KeyId key, Use wanted) {
  const bool was_just_named = last_named_.key == key;
  Use& use = key_use_[key.index];
  if (use == wanted) return;
  if (use == Use::None) {
    use = wanted;
    history_.key_kinds_[key.index] =
        wanted == Use::List ? KeyKind::List : KeyKind::Register;
    if (was_just_named) {
      key_table_.mark(last_named_.name, static_cast<std::uint32_t>(wanted));
      last_named_.use = wanted;
    }
    return;
  }
  fail(
      "key " + history_.name(key) + " is used both as a register and as a list",
      "a key is read and written with r and w, or with rl and append, "
      "throughout");
}

void HistoryBuilder::end(Status status) {
  assert(is_open_ && "no transaction is open");
  is_open_ = false;
  txn().status = static_cast<std::uint32_t>(status) & 3;
  const auto end_op = static_cast<std::uint32_t>(history_.op_keys_.size());
  if (piece_first_ == end_ops_[open_])
    end_ops_[open_] = end_op;
  else if (piece_first_ != end_op)
    additions_.push_back({open_, piece_first_, end_op});
  if (status == Status::Unknown && open_ < history_.times_.size())
    history_.times_[open_].end = Txn::kNoTime;
}

void HistoryBuilder::fail(std::string what, std::string hint) {
  if (error_) return;
  error_ = Error{Place{history_.files_.back(), line_, 0, {}}, std::move(what),
                 std::move(hint), ""};
}

Result<History> HistoryBuilder::finish() && {
  assert(!is_open_ && "a transaction is still open");
  key_table_ = {};
  settle_initial_values();
  for (auto& chain : history_.chains_) chain.shrink_to_fit();
  if (!history_.chains_.empty()) history_.chains_.resize(history_.key_count());
  if (!history_.times_.empty()) history_.times_.resize(history_.size());
  if (!history_.txn_names_.empty())
    history_.txn_names_.resize(history_.size(), Atom());
  const bool names_ascend = names_are_ascending();
  if (!error_) join_additions();
  if (!error_ && has_reads_of_nothing_) settle_reads_of_nothing();
  if (!error_) group_by_session();
  if (!error_ && !names_ascend) check_names();
  if (error_) return *std::move(error_);
  return std::move(history_);
}

// Registers without an initial value of their own have the default.
void HistoryBuilder::settle_initial_values() {
  if (key_has_initial_.empty()) return;
  key_has_initial_.resize(history_.key_count(), 0);
  history_.initials_.resize(history_.key_count(), Atom());
  for (std::size_t k = 0; k < history_.key_count(); ++k) {
    if (!key_has_initial_[k]) {
      history_.initials_.set(k, history_.default_initial_);
    } else if (key_use_[k] == Use::List) {
      fail("list key " + history_.name(KeyId(k)) + " is given an initial value",
           "lists start empty; name only registers in 'initial'");
    }
  }
}

void HistoryBuilder::join_additions() {
  if (additions_.empty()) return;
  std::stable_sort(
      additions_.begin(), additions_.end(),
      [](const Addition& a, const Addition& b) { return a.txn < b.txn; });
  move_ops();
  additions_.clear();
}

// Sorts transactions by session, keeping the order within one (H2), and their
// operations along with them.  Inputs that already come that way are kept.
void HistoryBuilder::group_by_session() {
  auto& txns = history_.txns_;
  if (!std::is_sorted(
          txns.begin() + 1, txns.end(),
          [](const auto& a, const auto& b) { return a.session < b.session; })) {
    sort_by_session();
    move_ops();
  }
  end_ops_ = {};
  history_.op_keys_.shrink_to_fit();
  history_.op_values_.shrink_to_fit();
  txns.shrink_to_fit();
  history_.key_names_.shrink_to_fit();
  history_.key_kinds_.shrink_to_fit();
  for (auto& s : history_.sessions_) s.first = s.end = TxnId(txns.size());
  for (std::size_t t = txns.size(); t-- > 1;) {
    auto& s = history_.sessions_[txns[t].session.index];
    if (s.end == TxnId(txns.size()) && s.first == s.end) s.end = TxnId(t + 1);
    s.first = TxnId(t);
  }
}

// Counting sort; one column after the other, so that only one is there twice.
void HistoryBuilder::sort_by_session() {
  const auto& rows = history_.txns_;
  std::vector<std::uint32_t> next(history_.sessions_.size() + 1, 0);
  for (std::size_t t = 1; t < rows.size(); ++t)
    ++next[rows[t].session.index + 1];
  for (std::size_t s = 1; s < next.size(); ++s) next[s] += next[s - 1];
  std::vector<std::uint32_t> from(rows.size(), 0);  // by new place
  for (std::uint32_t t = 1; t < rows.size(); ++t)
    from[1 + next[rows[t].session.index]++] = t;
  const auto sort = [&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> sorted;
    sorted.reserve(column.size());
    for (const std::uint32_t t : from) sorted.push_back(column[t]);
    column = std::move(sorted);
  };
  sort(history_.txns_);
  sort(end_ops_);
  sort(history_.times_);
  sort(history_.txn_names_);
}

// Puts the operations, with the additions, in the order of the transactions.
void HistoryBuilder::move_ops() {
  auto& txns = history_.txns_;
  const auto for_pieces = [&](auto visit) {
    auto addition = additions_.begin();
    for (std::size_t t = 0; t < txns.size(); ++t) {
      visit(txns[t].first_op, end_ops_[t]);
      for (; addition != additions_.end() && addition->txn == t; ++addition)
        visit(addition->first_op, addition->end_op);
    }
  };
  const auto move = [&](auto& column) {
    if (column.empty()) return;
    std::remove_reference_t<decltype(column)> moved;
    moved.reserve(column.size());
    for_pieces([&](std::uint32_t first, std::uint32_t end) {
      for (std::uint32_t i = first; i < end; ++i) moved.push_back(column[i]);
    });
    column = std::move(moved);
  };
  move(history_.op_keys_);
  move(history_.op_values_);
  move(history_.op_lines_);
  auto addition = additions_.begin();
  std::uint32_t ops = 0;
  for (std::size_t t = 0; t < txns.size(); ++t) {
    std::uint32_t count = end_ops_[t] - txns[t].first_op;
    for (; addition != additions_.end() && addition->txn == t; ++addition)
      count += addition->end_op - addition->first_op;
    txns[t].first_op = ops;
    end_ops_[t] = ops += count;
  }
}

// As numbers given in order are; then none is there twice.
bool HistoryBuilder::names_are_ascending() const {
  const auto& all = history_.txn_names_;
  for (std::size_t t = 2; t < all.size(); ++t)
    if (!(all[t - 1] < all[t])) return false;
  return true;
}

void HistoryBuilder::check_names() {
  std::vector<std::pair<Atom, std::uint32_t>> names;
  for (std::uint32_t t = 1; t < history_.txn_names_.size(); ++t)
    if (!history_.txn_names_[t].is_null())
      names.emplace_back(history_.txn_names_[t], t);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].first != names[i - 1].first) continue;
    const Place second = history_.place(TxnId(names[i].second));
    const Place first = history_.place(TxnId(names[i - 1].second));
    const bool in_order = first.line <= second.line;
    error_ = Error{
        in_order ? second : first,
        "transaction id " + history_.shown(names[i].first) + " is used twice",
        "it was first used at " + to_string(in_order ? first : second), ""};
    return;
  }
}

}  // namespace txscope
