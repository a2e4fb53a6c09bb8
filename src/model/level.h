#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace txscope {

/// What a history must satisfy, weakest first.  docs/levels.md has the
/// definitions; `definition()` has them in one line each.
enum class Base : std::uint8_t {
  ReadUncommitted,
  ReadCommitted,
  MonotonicAtomicView,
  ReadAtomic,
  Causal,
  Prefix,
  ParallelSnapshotIsolation,
  SnapshotIsolation,
  Serializable,
};

/// What precedes what, besides reads-from: nothing, the order of each session,
/// or that and real time (one ended before the other started).
enum class Order : std::uint8_t { None, Session, Realtime };

inline constexpr std::size_t kBaseCount = 9;
inline constexpr std::size_t kOrderCount = 3;
inline constexpr std::array<Order, kOrderCount> kOrders = {
    Order::None, Order::Session, Order::Realtime};

/// An isolation level: a base and an order.  "Weaker" means that it allows
/// more histories; prefix and parallel-snapshot-isolation are unordered.
struct Level {
  Base base = Base::Serializable;
  Order order = Order::Session;

  friend constexpr bool operator==(Level, Level) = default;
};

[[nodiscard]] std::partial_ordering compare(Base a, Base b);
[[nodiscard]] std::partial_ordering operator<=>(Level a, Level b);
/// True if every history of `stronger` is one of `weaker`, too.
[[nodiscard]] bool implies(Level stronger, Level weaker);

/// All bases, weakest first.
[[nodiscard]] std::span<const Base> all_bases();
/// Canonical names: "snapshot-isolation"; "none", "session", "realtime".
[[nodiscard]] std::string_view name(Base base);
[[nodiscard]] std::string_view name(Order order);
/// "no order", "session order", "realtime order".
[[nodiscard]] std::string describe(Order order);
/// "serializable (realtime order)", always with the order.
[[nodiscard]] std::string describe(Level level);
/// The formal definition in one or two lines of plain ASCII.
[[nodiscard]] std::string_view definition(Base base);
/// Other names of this base, for `explain` and the documentation.
[[nodiscard]] std::span<const std::string_view> aliases(Base base);

/// A level as the user wrote it: some names fix the order.
struct NamedLevel {
  Base base;
  std::optional<Order> order;  ///< set by strong-session-X, strong-X, strict-X
};

/// As names are compared: in small letters, with `-` for `_` and spaces.
[[nodiscard]] std::string canonical_name(std::string_view text);

/// Reads a canonical name or an alias, in any case and with `_` or spaces for
/// `-`.  Names of levels that txscope does not decide (repeatable-read,
/// cursor-stability, PL-2+, ...) are refused with an explanation; the hint of
/// an unknown name suggests the nearest known one.
[[nodiscard]] Result<NamedLevel> parse_level(std::string_view text);
[[nodiscard]] Result<Order> parse_order(std::string_view text);

}  // namespace txscope
