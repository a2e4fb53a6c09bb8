#include "model/atom.h"

#include <functional>

namespace txscope {
namespace {

std::uint64_t hash_of_number(std::uint64_t value, bool is_negative) {
  std::uint64_t z = (value ^ (is_negative ? 1 : 0)) * 0x9e3779b97f4a7c15ull;
  return z ^ (z >> 29);
}

std::uint64_t hash_of_text(AtomKind kind, std::string_view text) {
  return std::hash<std::string_view>()(text) + static_cast<std::uint64_t>(kind);
}

}  // namespace

// The entry that is_equal() knows, or the fresh one.
template <class IsEqual>
Atom AtomTable::find_or_add(std::uint64_t hash, const IsEqual& is_equal,
                            const Entry& fresh, std::string_view text) {
  if (slots_.size() < 2 * (entries_.size() + 1)) grow();
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = hash & mask;
  for (; slots_[at].entry != 0; at = (at + 1) & mask)
    if (slots_[at].tag == tag && is_equal(entries_[slots_[at].entry - 1]))
      return Atom((std::uint64_t{slots_[at].entry - 1} << 2) | 1);
  entries_.push_back(fresh);
  texts_ += text;
  slots_[at] = {static_cast<std::uint32_t>(entries_.size()), tag};
  return Atom(((entries_.size() - 1) << 2) | 1);
}

Atom AtomTable::of_large(std::uint64_t value, bool is_negative) {
  const Entry fresh{value, 0, AtomKind::BigInt, is_negative};
  return find_or_add(hash_of_number(value, is_negative),
                     [&](const Entry& e) {
                       return e.kind == AtomKind::BigInt && e.data == value &&
                              e.is_negative == is_negative;
                     },
                     fresh, {});
}

Atom AtomTable::of_text(AtomKind kind, std::string_view text) {
  const Entry fresh{texts_.size(), text.size(), kind, false};
  return find_or_add(
      hash_of_text(kind, text),
      [&](const Entry& e) { return e.kind == kind && text_of(e) == text; },
      fresh, text);
}

Atom AtomTable::of_string(std::string_view text) {
  return of_text(AtomKind::String, text);
}

Atom AtomTable::of_keyword(std::string_view name) {
  return of_text(AtomKind::Keyword, name);
}

std::uint64_t AtomTable::hash_of_entry(const Entry& entry) const {
  return entry.kind == AtomKind::BigInt
             ? hash_of_number(entry.data, entry.is_negative)
             : hash_of_text(entry.kind, text_of(entry));
}

void AtomTable::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::uint64_t hash = hash_of_entry(entries_[i]);
    std::size_t at = hash & mask;
    while (slots_[at].entry != 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(i + 1),
                  static_cast<std::uint32_t>(hash >> 32)};
  }
}

AtomKind AtomTable::kind(Atom atom) const {
  if (atom.is_null()) return AtomKind::Null;
  if (atom.is_no_value()) return AtomKind::NoValue;
  if (atom.is_small_int()) return AtomKind::Int;
  return entries_[atom.bits() >> 2].kind;
}

std::string AtomTable::text(Atom atom) const {
  if (atom.is_null()) return "null";
  if (atom.is_no_value()) return "no value";
  if (atom.is_small_int()) return std::to_string(atom.small_int());
  const Entry& entry = entries_[atom.bits() >> 2];
  if (entry.kind != AtomKind::BigInt) return std::string(text_of(entry));
  return entry.is_negative
             ? std::to_string(static_cast<std::int64_t>(entry.data))
             : std::to_string(entry.data);
}

}  // namespace txscope
