#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.h"
#include "model/atom.h"

namespace txscope::check {

/// Who wrote a value, where values are small numbers and were written once in
/// the whole history, as workloads for checkers have it: one look into an
/// array, instead of a search among the versions of the key (bench_check, at
/// the levels below causal).
class UniqueValues {
 public:
  /// Before the first add(): at most so many will follow.
  void expect(std::size_t writes) { limit_ = 2 * writes + 64; }

  void add(KeyId key, Atom value, TxnId writer) {
    const std::uint64_t i = index(value);
    if (i >= limit_) {
      has_others_ = true;
      return;
    }
    if (i >= entries_.size())
      entries_.resize(std::min<std::size_t>(
          limit_, std::max<std::size_t>(i + 1, 2 * entries_.size())));
    Entry& entry = entries_[i];
    const bool is_new =
        entry.key == kNone<KeyId> && entry.writer == kNone<TxnId>;
    entry = is_new ? Entry{key, writer} : Entry{kNone<KeyId>, TxnId(0)};
  }

  /// Who wrote the value to the key, kNone if nobody did; nothing if that is
  /// not known here.
  [[nodiscard]] std::optional<TxnId> find(KeyId key, Atom value) const {
    const std::uint64_t i = index(value);
    if (i >= limit_)
      return has_others_ ? std::nullopt : std::optional(kNone<TxnId>);
    if (i >= entries_.size()) return kNone<TxnId>;
    const Entry& entry = entries_[i];
    if (entry.key == key) return entry.writer;
    if (entry.key == kNone<KeyId> && entry.writer == TxnId(0))
      return std::nullopt;
    return kNone<TxnId>;
  }

  /// Says that find() will be asked for this value soon.
  [[gnu::always_inline]] void expect(Atom value) const {
    if (const std::uint64_t i = index(value); i < entries_.size())
      __builtin_prefetch(&entries_[i]);
  }

  /// From here on nothing is known.
  void forget() {
    entries_ = {};
    limit_ = 0;
    has_others_ = true;
  }

 private:
  struct Entry {
    KeyId key = kNone<KeyId>;  // none, with a writer: of several
    TxnId writer = kNone<TxnId>;
  };
  static std::uint64_t index(Atom value) {
    return value.is_small_int() ? static_cast<std::uint64_t>(value.small_int())
                                : UINT64_MAX;
  }

  std::vector<Entry> entries_;  // by value
  std::uint64_t limit_ = 0;
  bool has_others_ = false;  // values that have no entry were written
};

}  // namespace txscope::check
