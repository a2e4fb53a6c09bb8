#include "model/level.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/suggest.h"

namespace txscope {
namespace {

constexpr std::array kBases = {
    Base::ReadUncommitted,
    Base::ReadCommitted,
    Base::MonotonicAtomicView,
    Base::ReadAtomic,
    Base::Causal,
    Base::Prefix,
    Base::ParallelSnapshotIsolation,
    Base::SnapshotIsolation,
    Base::Serializable,
};

struct BaseRow {
  std::string_view name;
  std::string_view definition;
  std::array<std::string_view, 8> aliases;  // unused ones are empty, at the end
};

// t3 reads x from t1; t2 is another committed writer of x; co is total and
// contains reads-from and the order.  Indexed by Base.
constexpr std::array<BaseRow, kBaseCount> kRows = {{
    {"read-uncommitted",
     "the known version orders and the order have no cycle (no G0)",
     {"ru", "pl-1"}},
    {"read-committed",
     "no aborted, intermediate, thin-air or wrong internal read, and "
     "reads-from and the "
     "order have no cycle (no G1)",
     {"rc", "pl-2", "pread", "preread"}},
    {"monotonic-atomic-view",
     "read-committed, and if an earlier event of t3 read from t2, then t2 is "
     "before t1 in co",
     {"mav", "rc-axiomatic", "axiomatic-read-committed", "committed-read"}},
    {"read-atomic",
     "if t2 precedes t3 by the order or t3 reads from t2, then t2 is before t1 "
     "in co",
     {"ra", "atomic-read", "repeatable-atomic-view"}},
    {"causal",
     "if t2 reaches t3 by the order and reads-from, then t2 is before t1 in co",
     {"cc", "causal-consistency", "tcc", "transactional-causal-consistency",
      "causal-cerone"}},
    {"prefix",
     "if t2 is, or is before in co, a transaction that precedes t3 by the "
     "order or that t3 "
     "reads from, then t2 is before t1 in co",
     {"pc", "prefix-consistency", "consistent-prefix"}},
    {"parallel-snapshot-isolation",
     "there is a transitive visibility that contains reads-from and the order, "
     "each read "
     "takes the last visible writer, and writers of one key see one another",
     {"psi", "parallel-si", "parallel-snapshot"}},
    {"snapshot-isolation",
     "prefix, and the same if t2 is at or before, in co, some t4 before t3 "
     "that writes a key "
     "t3 writes too",
     {"si", "snapshot", "ansi-si"}},
    {"serializable",
     "if t2 is before t3 in co, then t2 is before t1 in co",
     {"ser", "serializability", "pl-3", "serialisable"}},
}};

struct Refused {
  std::string_view name;
  std::string_view why;
};

// Names people use for levels that are not ours.
constexpr std::array kRefused = std::to_array<Refused>({
    {"repeatable-read",
     "it means different things: Adya's PL-2.99 is not decided by txscope; "
     "PostgreSQL's is "
     "snapshot-isolation; MySQL's and MariaDB's match no standard level"},
    {"rr",
     "see repeatable-read: PostgreSQL's is snapshot-isolation; others differ"},
    {"pl-2.99",
     "Adya's repeatable read needs predicates; txscope does not decide it"},
    {"cursor-stability", "it speaks of cursors, which histories do not record"},
    {"pl-2+",
     "consistent view is not decided; snapshot-isolation is the nearest "
     "stronger level"},
    {"consistent-view",
     "it is not decided; snapshot-isolation is the nearest stronger level"},
    {"monotonic-view",
     "it is not decided; snapshot-isolation is the nearest stronger level"},
    {"pl-2l",
     "monotonic view is not decided; snapshot-isolation is the nearest "
     "stronger level"},
    {"forward-consistent-view",
     "it is not decided; snapshot-isolation is the nearest stronger level"},
    {"pl-fcv",
     "it is not decided; snapshot-isolation is the nearest stronger level"},
    {"monotonic-snapshot-read",
     "it is not decided; snapshot-isolation is the nearest stronger level"},
    {"update-serializable",
     "it is not decided; serializable is the nearest stronger level"},
    {"pl-3u",
     "update serializability is not decided; serializable is the nearest "
     "stronger level"},
    {"linearizable",
     "it is strict-serializable if every transaction is one operation on one "
     "key; use strict-serializable"},
});

std::optional<Base> find_base(std::string_view name) {
  for (const Base base : kBases) {
    const BaseRow& row = kRows[static_cast<std::size_t>(base)];
    if (name == row.name) return base;
    for (const auto alias : row.aliases)
      if (!alias.empty() && name == alias) return base;
  }
  return std::nullopt;
}

std::string suggestion(std::string_view name) {
  std::string_view best;
  std::size_t best_distance = 4;
  for (const auto& row : kRows) {
    const std::size_t distance = edit_distance(name, row.name);
    if (distance < best_distance) {
      best_distance = distance;
      best = row.name;
    }
  }
  if (!best.empty()) return "did you mean '" + std::string(best) + "'?";
  std::string all = "known levels:";
  for (const auto& row : kRows) all += " " + std::string(row.name);
  return all;
}

Error no_such_level(std::string what, std::string hint) {
  return Error{{}, std::move(what), std::move(hint), ""};
}

}  // namespace

std::string canonical_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c == '_' || c == ' ')
      name += '-';
    else if (c >= 'A' && c <= 'Z')
      name += static_cast<char>(c - 'A' + 'a');
    else
      name += c;
  }
  return name;
}

std::partial_ordering compare(Base a, Base b) {
  if (a == b) return std::partial_ordering::equivalent;
  const bool one_is_prefix = a == Base::Prefix || b == Base::Prefix;
  const bool one_is_parallel = a == Base::ParallelSnapshotIsolation ||
                               b == Base::ParallelSnapshotIsolation;
  if (one_is_prefix && one_is_parallel) return std::partial_ordering::unordered;
  return a < b ? std::partial_ordering::less : std::partial_ordering::greater;
}

std::partial_ordering operator<=>(Level a, Level b) {
  const auto base = compare(a.base, b.base);
  const auto order = a.order <=> b.order;
  if (order == 0) return base;
  if (base == 0 || base == (order < 0 ? std::partial_ordering::less
                                      : std::partial_ordering::greater))
    return order < 0 ? std::partial_ordering::less
                     : std::partial_ordering::greater;
  return std::partial_ordering::unordered;
}

bool implies(Level stronger, Level weaker) {
  const auto base = compare(weaker.base, stronger.base);
  return (base < 0 || base == 0) && weaker.order <= stronger.order;
}

std::span<const Base> all_bases() { return kBases; }

std::string_view name(Base base) {
  return kRows[static_cast<std::size_t>(base)].name;
}

std::string_view name(Order order) {
  switch (order) {
    case Order::None: return "none";
    case Order::Session: return "session";
    case Order::Realtime: return "realtime";
  }
  return "";
}

std::string describe(Order order) {
  const bool is_none = order == Order::None;
  return (is_none ? "no" : std::string(name(order))) + " order";
}

std::string describe(Level level) {
  return std::string(name(level.base)) + " (" + describe(level.order) + ")";
}

std::string_view definition(Base base) {
  return kRows[static_cast<std::size_t>(base)].definition;
}

std::span<const std::string_view> aliases(Base base) {
  const auto& all = kRows[static_cast<std::size_t>(base)].aliases;
  const auto unused = std::find(all.begin(), all.end(), std::string_view{});
  return {all.begin(), unused};
}

Result<NamedLevel> parse_level(std::string_view text) {
  const std::string name = canonical_name(text);
  if (const auto base = find_base(name)) return NamedLevel{*base, std::nullopt};

  // Elle's and Jepsen's prefixes fix the order.
  struct Prefix {
    std::string_view text;
    Order order;
  };
  constexpr std::array kPrefixes = std::to_array<Prefix>({
      {"strong-session-", Order::Session},
      {"strong-", Order::Realtime},
      {"strict-", Order::Realtime},
  });
  std::string_view rest = name;
  std::optional<Order> order;
  for (const auto& prefix : kPrefixes) {
    if (!rest.starts_with(prefix.text)) continue;
    rest.remove_prefix(prefix.text.size());
    order = prefix.order;
    break;
  }
  if (order) {
    if (const auto base = find_base(rest)) return NamedLevel{*base, order};
  }
  if (name == "sser" || name == "pl-ss" || name == "strict")
    return NamedLevel{Base::Serializable, Order::Realtime};
  for (const auto& refused : kRefused)
    if (rest == refused.name)
      return no_such_level(
          "txscope does not decide '" + std::string(text) + "'",
          std::string(refused.why));
  return no_such_level("there is no level '" + std::string(text) + "'",
                       suggestion(rest));
}

Result<Order> parse_order(std::string_view text) {
  const std::string wanted = canonical_name(text);
  for (const Order order : {Order::None, Order::Session, Order::Realtime})
    if (wanted == name(order)) return order;
  return no_such_level("there is no order '" + std::string(text) + "'",
                       "known orders: none session realtime");
}

}  // namespace txscope
