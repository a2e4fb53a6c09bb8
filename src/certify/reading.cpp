#include "certify/reading.h"

#include <algorithm>

namespace txscope::certify {
namespace {

// Sorts items into rows by their key, keeping their order within one.
template <class Rows, class Item, class KeyOf>
void fill_by_key(Rows& rows, const std::vector<Item>& items,
                 std::size_t key_count, KeyOf key_of) {
  rows.first.assign(key_count + 1, 0);
  for (const Item& item : items) ++rows.first[key_of(item).index + 1];
  for (std::size_t k = 0; k < key_count; ++k)
    rows.first[k + 1] += rows.first[k];
  rows.items.resize(items.size());
  std::vector<std::uint32_t> next = rows.first;
  for (const Item& item : items) rows.items[next[key_of(item).index]++] = item;
}

template <class Rows>
void sort_by_value(Rows& rows) {
  for (std::size_t k = 0; k + 1 < rows.first.size(); ++k)
    std::stable_sort(
        rows.items.begin() + rows.first[k],
        rows.items.begin() + rows.first[k + 1],
        [](const auto& a, const auto& b) { return a.value < b.value; });
}

}  // namespace

Reading::Reading(const History& history)
    : history_(history),
      own_write_(history.key_count()),
      own_writer_(history.key_count(), kNone<TxnId>),
      own_appends_(history.key_count()) {
  reads_.first.push_back(0);
  keys_.first.push_back(0);
  for (std::size_t t = 0; t < history.size(); ++t) {
    read_txn(TxnId(t));
    reads_.first.push_back(static_cast<std::uint32_t>(reads_.items.size()));
    keys_.first.push_back(static_cast<std::uint32_t>(keys_.items.size()));
  }
  index_by_key();
  found_writes_ = {};
  found_appends_ = {};
}

void Reading::read_txn(TxnId t) {
  const Txn& txn = history_.at(t);
  const bool is_aborted = txn.status == Status::Aborted;
  const std::size_t first_key = keys_.items.size();
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i) {
    const Op& op = history_.at(OpId(i));
    const std::size_t k = op.key.index;
    const bool has_own = own_writer_[k] == t;
    if (op.is_write()) {
      if (!has_own) {
        own_writer_[k] = t;
        own_appends_[k] = 0;
        keys_.items.push_back(op.key);
      }
      own_write_[k] = OpId(i);
      ++own_appends_[k];
      if (op.kind == OpKind::Append && !is_aborted)
        found_appends_.push_back({op.key, t, op.value, OpId(i)});
    } else if (op.kind == OpKind::Read) {
      if (!has_own)
        reads_.items.push_back({OpId(i), op.key, t, false, 0});
      else if (history_.at(own_write_[k]).value != op.value)
        wrong_.push_back({OpId(i), own_write_[k]});
    } else {
      const ListView list = history_.list(op);
      const std::uint32_t own = has_own ? own_appends_[k] : 0;
      bool ends_in_own = own <= list.size();
      std::size_t at = list.size();
      for (std::uint32_t j = i; ends_in_own && list.size() - at < own;) {
        const Op& earlier = history_.at(OpId(--j));
        if (earlier.kind == OpKind::Append && earlier.key == op.key)
          ends_in_own = list[--at] == earlier.value;
      }
      if (ends_in_own)
        reads_.items.push_back({OpId(i), op.key, t, true,
                                static_cast<std::uint32_t>(list.size() - own)});
      else
        wrong_.push_back({OpId(i), own_write_[k]});
    }
  }
  if (is_aborted) {
    keys_.items.resize(first_key);
    return;
  }
  std::sort(keys_.items.begin() + static_cast<std::ptrdiff_t>(first_key),
            keys_.items.end());
  for (std::size_t i = first_key; i < keys_.items.size(); ++i) {
    const KeyId key = keys_.items[i];
    const OpId op = own_write_[key.index];
    found_writes_.push_back({key, t, history_.at(op).value, op});
  }
}

void Reading::index_by_key() {
  const std::size_t keys = history_.key_count();
  fill_by_key(last_writes_, found_writes_, keys,
              [](const Write& w) { return w.key; });
  writers_.first = last_writes_.first;
  for (const Write& w : last_writes_.items) writers_.items.push_back(w.txn);
  sort_by_value(last_writes_);
  fill_by_key(appends_, found_appends_, keys,
              [](const Write& w) { return w.key; });
  sort_by_value(appends_);
  std::vector<External> lists;
  for (const External& read : reads_.items)
    if (read.is_list) lists.push_back(read);
  fill_by_key(list_reads_, lists, keys,
              [](const External& r) { return r.key; });
}

std::span<const Reading::External> Reading::reads(TxnId t) const {
  return reads_.row(t.index);
}

const Reading::External* Reading::external(OpId op) const {
  if (op.index >= history_.ops().size()) return nullptr;
  const auto found = std::lower_bound(
      reads_.items.begin(), reads_.items.end(), op,
      [](const External& read, OpId wanted) { return read.op < wanted; });
  return found != reads_.items.end() && found->op == op ? &*found : nullptr;
}

std::span<const Reading::External> Reading::list_reads(KeyId k) const {
  return list_reads_.row(k.index);
}

std::span<const Reading::Write> Reading::with_value(std::span<const Write> row,
                                                    Atom value) {
  const auto low = std::lower_bound(
      row.begin(), row.end(), value,
      [](const Write& w, Atom wanted) { return w.value < wanted; });
  const auto high = std::upper_bound(
      low, row.end(), value,
      [](Atom wanted, const Write& w) { return wanted < w.value; });
  return row.subspan(static_cast<std::size_t>(low - row.begin()),
                     static_cast<std::size_t>(high - low));
}

std::span<const Reading::Write> Reading::writes_of(KeyId k, Atom value) const {
  return with_value(last_writes_.row(k.index), value);
}

std::span<const Reading::Write> Reading::appends_of(KeyId k, Atom value) const {
  return with_value(appends_.row(k.index), value);
}

std::vector<OpId> Reading::appends(TxnId t, KeyId k) const {
  std::vector<OpId> found;
  const Txn& txn = history_.at(t);
  if (txn.status == Status::Aborted) return found;
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
    if (history_.at(OpId(i)).kind == OpKind::Append &&
        history_.at(OpId(i)).key == k)
      found.push_back(OpId(i));
  return found;
}

std::span<const KeyId> Reading::keys(TxnId t) const {
  return keys_.row(t.index);
}

bool Reading::writes(TxnId t, KeyId k) const {
  const auto row = keys(t);
  return std::binary_search(row.begin(), row.end(), k);
}

std::span<const TxnId> Reading::writers(KeyId k) const {
  return writers_.row(k.index);
}

}  // namespace txscope::certify
