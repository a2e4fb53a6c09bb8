#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace txscope {

enum class AtomKind : std::uint8_t {
  Null,
  Int,
  BigInt,
  String,
  Keyword,
  NoValue
};

/// A key or a value of a history: an integer (-2^63 .. 2^64-1), a string, an
/// EDN keyword or null, as one comparable word.  Integers of up to 62 bits are
/// stored in the word itself; the rest are entries of the history's AtomTable.
/// Equal atoms of one table are equal words.
class Atom {
 public:
  constexpr Atom() = default;  ///< null
  [[nodiscard]] static constexpr Atom null() { return Atom(kNullBits); }
  /// Differs from everything a read can return: the initial value of a format
  /// in which nobody can read a key before it is written.
  [[nodiscard]] static constexpr Atom no_value() { return Atom(kNoValueBits); }

  [[nodiscard]] constexpr bool is_null() const { return bits_ == kNullBits; }
  [[nodiscard]] constexpr bool is_no_value() const {
    return bits_ == kNoValueBits;
  }
  [[nodiscard]] constexpr bool is_small_int() const { return (bits_ & 3) == 0; }
  [[nodiscard]] constexpr bool is_interned() const { return (bits_ & 3) == 1; }
  [[nodiscard]] constexpr std::int64_t small_int() const {
    return static_cast<std::int64_t>(bits_) >> 2;
  }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(Atom, Atom) = default;
  /// A fixed total order without meaning, for sorting.
  friend constexpr auto operator<=>(Atom, Atom) = default;

 private:
  friend class AtomTable;
  static constexpr std::uint64_t kNullBits = 2;
  static constexpr std::uint64_t kNoValueBits = 6;
  constexpr explicit Atom(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = kNullBits;
};

[[nodiscard]] constexpr std::uint64_t hash_of(Atom atom) {
  std::uint64_t z = atom.bits() * 0x9e3779b97f4a7c15ull;
  return z ^ (z >> 32);
}

/// The strings and large integers behind the atoms of one history.  Looking
/// one up neither allocates nor builds its text (bench/read.cpp).
class AtomTable {
 public:
  Atom of_int(std::int64_t value) {
    if (value >= -kSmallEnd && value < kSmallEnd)
      return Atom(static_cast<std::uint64_t>(value) << 2);
    return of_large(static_cast<std::uint64_t>(value), value < 0);
  }
  Atom of_uint(std::uint64_t value) {
    if (value < static_cast<std::uint64_t>(kSmallEnd)) return Atom(value << 2);
    return of_large(value, false);
  }
  Atom of_string(std::string_view text);
  Atom of_keyword(std::string_view name_without_colon);

  [[nodiscard]] AtomKind kind(Atom atom) const;
  /// The bare text: `7`, `x`, `null`; keywords without their colon.
  [[nodiscard]] std::string text(Atom atom) const;

 private:
  static constexpr std::int64_t kSmallEnd = std::int64_t{1} << 61;

  struct Entry {
    std::uint64_t data;  // the number, or where its text begins in texts_
    std::uint64_t size;  // of the text
    AtomKind kind;
    bool is_negative;  // of a number: it is one of two's complement
  };
  struct Slot {
    std::uint32_t entry = 0;  // from 1; 0: free
    std::uint32_t tag = 0;    // half of the hash
  };

  Atom of_large(std::uint64_t value, bool is_negative);
  Atom of_text(AtomKind kind, std::string_view text);
  template <class IsEqual>
  Atom find_or_add(std::uint64_t hash, const IsEqual& is_equal,
                   const Entry& fresh, std::string_view text);
  [[nodiscard]] std::string_view text_of(const Entry& entry) const {
    return std::string_view(texts_).substr(entry.data, entry.size);
  }
  [[nodiscard]] std::uint64_t hash_of_entry(const Entry& entry) const;
  void grow();

  std::vector<Entry> entries_;
  std::string texts_;        // all texts, one behind the other
  std::vector<Slot> slots_;  // open addressing
};

}  // namespace txscope
