#include "model/history_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace txscope {
namespace {

// A list read that is a prefix of its key's chain keeps its length alone; a
// stray one keeps its place among the strays as well.
constexpr std::uint64_t kStray = std::uint64_t{1} << 63;

}  // namespace

HistoryBuilder::HistoryBuilder(std::string file_name) {
  history_.files_.push_back(std::move(file_name));
  Txn initial;
  initial.session = kNone<SessionId>;
  history_.txns_.push_back(initial);
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

KeyId HistoryBuilder::key(Atom name) {
  if (const std::uint32_t known = key_table_.find(name);
      known != KeyTable::kAbsent)
    return KeyId(known);
  const KeyId added(history_.keys_.size());
  key_table_.add(name, added.index);
  history_.keys_.push_back({name, KeyKind::Register, default_initial_, {}});
  key_use_.push_back(Use::None);
  key_has_initial_.push_back(0);
  return added;
}

void HistoryBuilder::next_file(std::string file_name) {
  history_.files_.push_back(std::move(file_name));
  line_ = 0;
}

void HistoryBuilder::set_initial(KeyId key, Atom value) {
  history_.keys_[key.index].initial = value;
  key_has_initial_[key.index] = 1;
}

void HistoryBuilder::begin(SessionId session) {
  assert(!is_open_ && "a transaction is still open");
  is_open_ = true;
  Txn t;
  t.session = session;
  t.first_op = t.end_op = static_cast<std::uint32_t>(history_.ops_.size());
  t.line = line_;
  t.file = static_cast<std::uint32_t>(history_.files_.size() - 1);
  piece_first_ = t.first_op;
  open_ = history_.txns_.size();
  history_.txns_.push_back(t);
}

void HistoryBuilder::reopen(std::size_t number) {
  assert(!is_open_ && "a transaction is still open");
  assert(number > 0 && number < history_.txns_.size());
  is_open_ = true;
  open_ = number;
  piece_first_ = static_cast<std::uint32_t>(history_.ops_.size());
}

void HistoryBuilder::set_times(std::int64_t start, std::int64_t end) {
  assert(is_open_);
  txn().start = start;
  txn().end = end;
  if (start != Txn::kNoTime && end != Txn::kNoTime && end < start)
    fail("the transaction ends before it starts",
         "'end' must not be less than 'start'");
}

bool HistoryBuilder::read_list(KeyId key, std::size_t known,
                               std::span<const Atom> rest) {
  auto& chain = history_.keys_[key.index].chain;
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

void HistoryBuilder::add(Op op) {
  assert(is_open_ && "an operation needs an open transaction");
  use(op.key, op.kind == OpKind::Append || op.kind == OpKind::ReadList
                  ? KeyKind::List
                  : KeyKind::Register);
  push(op);
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
  for (Op& op : history_.ops_)
    if (op.kind == OpKind::Read &&
        history_.keys_[op.key.index].kind == KeyKind::List)
      op = {op.key, OpKind::ReadList, std::bit_cast<Atom>(kNoElements)};
}

void HistoryBuilder::push(Op op) {
  if (history_.ops_.size() >= 0xfffffff0u) {
    fail("the history has more than 4,294,967,279 operations", "split it");
    return;
  }
  history_.ops_.push_back(op);
  if (keep_op_lines_) history_.op_lines_.push_back(line_);
}

void HistoryBuilder::use(KeyId key, KeyKind kind) {
  Use& use = key_use_[key.index];
  const Use wanted = kind == KeyKind::List ? Use::List : Use::Register;
  if (use == wanted) return;
  if (use == Use::None) {
    use = wanted;
    history_.keys_[key.index].kind = kind;
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
  txn().status = status;
  const auto end_op = static_cast<std::uint32_t>(history_.ops_.size());
  if (piece_first_ == txn().end_op)
    txn().end_op = end_op;
  else if (piece_first_ != end_op)
    additions_.push_back({open_, piece_first_, end_op});
  if (status == Status::Unknown) txn().end = Txn::kNoTime;
}

void HistoryBuilder::fail(std::string what, std::string hint) {
  if (error_) return;
  error_ = Error{Place{history_.files_.back(), line_, 0, {}}, std::move(what),
                 std::move(hint), ""};
}

Result<History> HistoryBuilder::finish() && {
  assert(!is_open_ && "a transaction is still open");
  for (std::size_t k = 0; k < history_.keys_.size(); ++k) {
    auto& key = history_.keys_[k];
    if (!key_has_initial_[k]) key.initial = default_initial_;
    if (key_has_initial_[k] && key_use_[k] == Use::List)
      fail("list key " + history_.name(KeyId(k)) + " is given an initial value",
           "lists start empty; name only registers in 'initial'");
    key.chain.shrink_to_fit();
  }
  if (!error_) join_additions();
  if (!error_ && has_reads_of_nothing_) settle_reads_of_nothing();
  if (!error_) group_by_session();
  if (!error_) check_names();
  if (error_) return *std::move(error_);
  return std::move(history_);
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
  const auto is_before = [](const Txn& a, const Txn& b) {
    return a.session < b.session;
  };
  if (!std::is_sorted(txns.begin() + 1, txns.end(), is_before)) {
    std::stable_sort(txns.begin() + 1, txns.end(), is_before);
    move_ops();
  }
  history_.ops_.shrink_to_fit();
  txns.shrink_to_fit();
  history_.keys_.shrink_to_fit();
  for (auto& s : history_.sessions_) s.first = s.end = TxnId(txns.size());
  for (std::size_t t = txns.size(); t-- > 1;) {
    auto& s = history_.sessions_[txns[t].session.index];
    if (s.end == TxnId(txns.size()) && s.first == s.end) s.end = TxnId(t + 1);
    s.first = TxnId(t);
  }
  for (std::size_t t = 1; t < txns.size(); ++t)
    txns[t].number = t > 1 && txns[t].session == txns[t - 1].session
                         ? txns[t - 1].number + 1
                         : 1;
}

// Puts the operations, with the additions, in the order of the transactions.
void HistoryBuilder::move_ops() {
  std::vector<Op> ops;
  std::vector<std::uint32_t> lines;
  ops.reserve(history_.ops_.size());
  lines.reserve(history_.op_lines_.size());
  const auto move = [&](std::uint32_t first, std::uint32_t end) {
    const auto piece = [&](auto& from, auto& to) {
      to.insert(to.end(), from.begin() + first, from.begin() + end);
    };
    piece(history_.ops_, ops);
    if (!history_.op_lines_.empty()) piece(history_.op_lines_, lines);
  };
  auto addition = additions_.begin();
  for (std::size_t t = 0; t < history_.txns_.size(); ++t) {
    Txn& txn = history_.txns_[t];
    const auto first = static_cast<std::uint32_t>(ops.size());
    move(txn.first_op, txn.end_op);
    for (; addition != additions_.end() && addition->txn == t; ++addition)
      move(addition->first_op, addition->end_op);
    txn.first_op = first;
    txn.end_op = static_cast<std::uint32_t>(ops.size());
  }
  history_.ops_ = std::move(ops);
  history_.op_lines_ = std::move(lines);
}

bool HistoryBuilder::check_names() {
  std::vector<std::pair<Atom, std::uint32_t>> names;
  for (std::uint32_t t = 1; t < history_.txns_.size(); ++t)
    if (!history_.txns_[t].name.is_null())
      names.emplace_back(history_.txns_[t].name, t);
  std::sort(names.begin(), names.end());
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i].first != names[i - 1].first) continue;
    const Place second = history_.place(TxnId(names[i].second));
    const Place first = history_.place(TxnId(names[i - 1].second));
    const bool in_order = first.line <= second.line;
    error_ = Error{
        in_order ? second : first,
        "transaction id " + atoms().text(names[i].first) + " is used twice",
        "it was first used at " + to_string(in_order ? first : second), ""};
    return false;
  }
  return true;
}

}  // namespace txscope
