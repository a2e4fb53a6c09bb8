#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace txscope {

/// A strong index: a KeyId where a TxnId is wanted does not compile.  Tables
/// are vectors indexed by `index`.
template <class Tag>
struct Id {
  std::uint32_t index = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TxnId = Id<struct TxnTag>;
using SessionId = Id<struct SessionTag>;
using KeyId = Id<struct KeyTag>;
using OpId = Id<struct OpTag>;

/// Marks an id that names nothing; using it as an index goes out of bounds.
template <class AnyId>
inline constexpr AnyId kNone = AnyId(0xffffffffu);

}  // namespace txscope

template <class Tag>
struct std::hash<txscope::Id<Tag>> {
  std::size_t operator()(txscope::Id<Tag> id) const noexcept {
    return id.index * 0x9e3779b97f4a7c15ull >> 16;
  }
};
