#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// A map from a fixed number of words to a value: what an operator returned
/// for its arguments, or an invariant for what it reads.  Forgets everything
/// when it is full, which only costs time.
class WordMap {
 public:
  explicit WordMap(std::size_t key_words, std::size_t most = 1u << 21u)
      : width_(key_words), most_(most) {}

  /// The value of a key, or none.
  [[nodiscard]] Value find(const std::uint64_t* key) const {
    if (rows_.empty()) return {};
    for (std::size_t at = start(key);; at = (at + 1) & mask_) {
      const std::uint64_t* row = &rows_[at * (width_ + 1)];
      if (row[width_] == kEmpty) return {};
      if (is_equal(key, row)) return Value::of_bits(row[width_]);
    }
  }
  /// Asks for what find() will look at.
  void prefetch(const std::uint64_t* key) const {
    if (!rows_.empty()) __builtin_prefetch(&rows_[start(key) * (width_ + 1)]);
  }

  void insert(const std::uint64_t* key, Value value) {
    if ((size_ + 1) * 2 > capacity()) grow();
    std::size_t at = start(key);
    while (rows_[at * (width_ + 1) + width_] != kEmpty) at = (at + 1) & mask_;
    ++size_;
    std::uint64_t* row = &rows_[at * (width_ + 1)];
    std::copy(key, key + width_, row);
    row[width_] = value.bits();
  }

  /// Makes room for so many keys at once.
  void reserve(std::size_t count) {
    while (count * 2 > capacity()) grow();
  }

  void clear() {
    rows_.clear();
    size_ = 0;
    mask_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kEmpty = 0;  // the bits of no value
  std::size_t capacity() const { return rows_.empty() ? 0 : mask_ + 1; }
  /// A call of memcmp costs more than the few words.
  bool is_equal(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < width_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  std::size_t start(const std::uint64_t* key) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < width_; ++i)
      h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull + (h >> 29u);
    return (h ^ (h >> 32u)) & mask_;
  }
  void grow() {
    const std::size_t wanted = std::max<std::size_t>(64, capacity() * 2);
    const auto old_rows = std::move(rows_);
    rows_.clear();
    const bool forget = size_ >= most_;
    size_ = 0;
    mask_ = (forget ? 64 : wanted) - 1;
    rows_.assign((mask_ + 1) * (width_ + 1), 0);
    if (forget) return;
    for (std::size_t i = 0; i < old_rows.size(); i += width_ + 1)
      if (old_rows[i + width_] != kEmpty)
        insert(&old_rows[i], Value::of_bits(old_rows[i + width_]));
  }

  std::size_t width_;
  std::size_t most_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint64_t, HugePages<std::uint64_t>>
      rows_;  // key words, then the value
};

}  // namespace txscope::tla
