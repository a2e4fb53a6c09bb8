#include "model/atom.h"

namespace txscope {
namespace {

constexpr std::int64_t kSmallMax = (std::int64_t{1} << 61) - 1;
constexpr std::int64_t kSmallMin = -(std::int64_t{1} << 61);

}  // namespace

Atom AtomTable::of_int(std::int64_t value) {
  if (value >= kSmallMin && value <= kSmallMax)
    return Atom(static_cast<std::uint64_t>(value) << 2);
  return intern(AtomKind::BigInt, std::to_string(value));
}

Atom AtomTable::of_uint(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(kSmallMax)) return Atom(value << 2);
  return intern(AtomKind::BigInt, std::to_string(value));
}

Atom AtomTable::of_string(std::string_view text) {
  return intern(AtomKind::String, text);
}

Atom AtomTable::of_keyword(std::string_view name) {
  return intern(AtomKind::Keyword, name);
}

Atom AtomTable::intern(AtomKind kind, std::string_view text) {
  std::string name(1, static_cast<char>('0' + static_cast<int>(kind)));
  name += text;
  const auto [place, is_new] = index_.try_emplace(
      std::move(name), static_cast<std::uint32_t>(entries_.size()));
  if (is_new) entries_.push_back({kind, std::string(text)});
  return Atom((static_cast<std::uint64_t>(place->second) << 2) | 1);
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
  return entries_[atom.bits() >> 2].text;
}

}  // namespace txscope
