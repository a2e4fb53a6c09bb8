#include "check/anomaly/anomaly.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "check/anomaly/shortest_paths.h"
#include "check/facts/facts.h"
#include "check/facts/provenance.h"
#include "check/weak/order.h"

namespace txscope::check {
namespace {

// Kinds of cycle from the most special to the most general: of several cases,
// the most general one fits them all.
enum class Class : std::uint8_t { G0, G1c, GSingle, GNonadjacent, G2Item };

struct ClassRow {
  std::string_view id;
  std::string_view words;
};
constexpr std::array<ClassRow, 5> kClasses = {{
    {"G0", "dirty write"},
    {"G1c", "circular information flow"},
    {"G-single", "read skew"},
    {"G-nonadjacent", "nonadjacent anti-dependencies"},
    {"G2-item", "anti-dependency cycle"},
}};

struct BadReadRow {
  std::string_view id;
  std::string_view words;
};
// Indexed by BadReadKind.
constexpr std::array<BadReadRow, 6> kBadReads = {{
    {"G1a", "aborted read"},
    {"G1b", "intermediate read"},
    {"thin-air-read", "a value nobody wrote"},
    {"internal", "internal inconsistency"},
    {"incompatible-order", "lists in two orders"},
    {"unexplained-read", "a read without a possible writer"},
}};

struct Named {
  Class kind = Class::G0;
  std::string_view words;
  Order order = Order::None;  // the order it needs
};

bool is_rw(const Edge& edge) { return edge.kind == EdgeKind::AntiDependency; }

bool has_kind(const Cycle& cycle, EdgeKind kind) {
  return std::any_of(cycle.begin(), cycle.end(),
                     [&](const Edge& edge) { return edge.kind == kind; });
}

bool has_adjacent_rw(const Cycle& cycle) {
  for (std::size_t i = 0; i < cycle.size(); ++i)
    if (is_rw(cycle[i]) && is_rw(cycle[(i + 1) % cycle.size()])) return true;
  return false;
}

bool is_forced(const Edge& edge) {
  return edge.kind == EdgeKind::WriteOrder &&
         edge.reason == WriteOrderReason::Forced;
}

Class class_of(const Cycle& cycle) {
  const auto count = std::count_if(cycle.begin(), cycle.end(), is_rw);
  if (count > 1)
    return has_adjacent_rw(cycle) ? Class::G2Item : Class::GNonadjacent;
  if (count == 1) return Class::GSingle;
  return has_kind(cycle, EdgeKind::ReadsFrom) ? Class::G1c : Class::G0;
}

// Two transactions that both read and write one key.
bool is_lost_update(const Cycle& cycle) {
  if (cycle.size() != 2 || cycle[0].key != cycle[1].key) return false;
  const bool has_rw = is_rw(cycle[0]) || is_rw(cycle[1]);
  const auto fits = [](const Edge& edge) {
    return is_rw(edge) || edge.kind == EdgeKind::WriteOrder;
  };
  return has_rw && fits(cycle[0]) && fits(cycle[1]);
}

// wr, rw, wr, rw: two readers see two writes in opposite orders.
bool is_long_fork(const Cycle& cycle) {
  if (cycle.size() != 4) return false;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool expects_rw = is_rw(cycle[0]) == (i % 2 == 0);
    if (is_rw(cycle[i]) != expects_rw) return false;
    if (!expects_rw && cycle[i].kind != EdgeKind::ReadsFrom) return false;
  }
  return true;
}

// Which order it takes for one transaction to reach another by reads-from and
// the order: often more than the edges of a cycle show, because the reason of
// one of them is that something happens before something else.
class OrderNeeded {
 public:
  OrderNeeded(const History& history, Order most)
      : history_(history), most_(most) {}

  Order between(TxnId a, TxnId b) {
    if (most_ == Order::None || a == History::kInitial) return Order::None;
    if (const auto edge = direct_edge(history_, a, b)) {
      if (edge->kind == EdgeKind::ReadsFrom) return Order::None;
      if (edge->kind == EdgeKind::Realtime && most_ != Order::Realtime)
        return search(a, b);
      const Order least = search(a, b);
      return least < order_of(edge->kind) ? least : order_of(edge->kind);
    }
    return search(a, b);
  }

 private:
  static Order order_of(EdgeKind kind) {
    return kind == EdgeKind::Session ? Order::Session : Order::Realtime;
  }
  Order search(TxnId a, TxnId b) {
    if (!facts_) facts_.emplace(history_);
    for (const Order order : {Order::None, Order::Session, Order::Realtime}) {
      if (order >= most_) break;
      const OrderIndex index(history_, *facts_, order);
      if (ShortestPaths(history_, *facts_, index, {})
              .find({.from = a, .to = b}))
        return order;
    }
    return most_;
  }

  const History& history_;
  Order most_;
  std::optional<Facts> facts_;
};

// The weakest of the weak bases whose premise puts t2 before the reader.
Base premise_of(const History& history, TxnId t2, OpId read) {
  const TxnId t3 = history.txn_of(read);
  const Txn& txn = history.at(t3);
  for (std::uint32_t i = txn.first_op; i < txn.end_op; ++i)
    if (history.at(OpId(i)).is_read() && may_read_from(history, OpId(i), t2))
      return OpId(i) < read ? Base::MonotonicAtomicView : Base::ReadAtomic;
  return direct_edge(history, t2, t3) ? Base::ReadAtomic : Base::Causal;
}

std::string_view words_for_base(Base base) {
  if (base <= Base::MonotonicAtomicView) return "non-monotonic read";
  if (base == Base::ReadAtomic) return "fractured read";
  return base == Base::Causal ? "causality violation" : "read skew";
}

// The base whose premise a word speaks of, if it is such a word.
std::optional<Base> base_of_words(std::string_view words) {
  if (words == "non-monotonic read") return Base::MonotonicAtomicView;
  for (const auto one : {"fractured read", "non-repeatable read", "stale read"})
    if (words == one) return Base::ReadAtomic;
  if (words == "causality violation") return Base::Causal;
  return std::nullopt;
}

// Forced write orders alone: named by the weakest level that forces them all.
std::string_view words_for_forced(const History& history, const Cycle& cycle,
                                  Base base) {
  if (base > Base::Causal) return words_for_base(base);
  Base needed = Base::MonotonicAtomicView;
  for (const Edge& edge : cycle)
    if (is_forced(edge))
      needed = std::max(needed, premise_of(history, edge.from, edge.forced_by));
  return words_for_base(std::min(needed, base));
}

std::string_view words_for_single(const Cycle& cycle) {
  const auto rw = std::find_if(cycle.begin(), cycle.end(), is_rw);
  if (cycle.size() == 2) {
    const Edge& other = cycle[rw == cycle.begin() ? 1 : 0];
    switch (other.kind) {
      case EdgeKind::Session:
      case EdgeKind::Realtime: return "stale read";
      case EdgeKind::ReadsFrom:
        if (other.read < rw->read) return "non-monotonic read";
        return other.key == rw->key ? "non-repeatable read" : "fractured read";
      case EdgeKind::WriteOrder:
      case EdgeKind::AntiDependency: return "read skew";
    }
  }
  const bool is_causal = !has_kind(cycle, EdgeKind::WriteOrder);
  return is_causal ? "causality violation" : "read skew";
}

std::string_view words_of(const History& history, const Cycle& cycle,
                          Class kind, Base base) {
  if (is_lost_update(cycle)) return "lost update";
  if (is_long_fork(cycle)) return "long fork";
  if (kind == Class::GSingle) return words_for_single(cycle);
  if (kind < Class::GSingle &&
      std::any_of(cycle.begin(), cycle.end(), is_forced))
    return words_for_forced(history, cycle, base);
  if (kind == Class::G2Item && cycle.size() == 2) return "write skew";
  return kClasses[static_cast<std::size_t>(kind)].words;
}

// The order behind an edge, in its kind or in its reason.
Order order_behind(const History& history, const Edge& edge, Base base,
                   OrderNeeded& needed) {
  if (edge.kind == EdgeKind::Session) return Order::Session;
  if (edge.kind == EdgeKind::Realtime) return Order::Realtime;
  const bool is_write_order = edge.kind == EdgeKind::WriteOrder;
  if (!is_write_order && edge.kind != EdgeKind::AntiDependency)
    return Order::None;
  if (edge.reason == WriteOrderReason::HappensBefore) {
    const auto t1 = is_write_order ? std::optional(edge.from)
                                   : only_writer(history, edge.read);
    return t1 ? needed.between(*t1, edge.to) : Order::None;
  }
  if (edge.reason == WriteOrderReason::Forced && is_write_order &&
      base <= Base::Causal)
    return needed.between(edge.from, history.txn_of(edge.forced_by));
  return Order::None;
}

Named name_of(const History& history, const Cycle& cycle, Level level,
              OrderNeeded& needed) {
  Named named;
  named.kind = class_of(cycle);
  named.words = words_of(history, cycle, named.kind, level.base);
  for (const Edge& edge : cycle)
    named.order =
        std::max(named.order, order_behind(history, edge, level.base, needed));
  return named;
}

// Whoever is first, information flows in a circle.
Named name_of(const History& history, const UnfoundedSet& set) {
  Named named;
  named.kind = Class::G1c;
  named.words = kClasses[static_cast<std::size_t>(named.kind)].words;
  for (const auto& member : set.members) {
    if (member.after == kNone<TxnId>) continue;
    const bool is_session =
        history.at(member.after).session == history.at(member.txn).session;
    named.order =
        std::max(named.order, is_session ? Order::Session : Order::Realtime);
  }
  return named;
}

std::string_view join_words(const Named& greater, const Named& other) {
  if (greater.words == other.words) return greater.words;
  const auto base = base_of_words(greater.words);
  const auto other_base = base_of_words(other.words);
  if (base && other_base) return words_for_base(std::max(*base, *other_base));
  // That the cases exclude each other adds nothing to what each is.
  if (base && other.kind < Class::GSingle) return greater.words;
  return kClasses[static_cast<std::size_t>(greater.kind)].words;
}

Named join(const Named& a, const Named& b) {
  Named both = a.kind >= b.kind ? a : b;
  both.words = join_words(both, a.kind >= b.kind ? b : a);
  both.order = std::max(a.order, b.order);
  return both;
}

}  // namespace

std::string_view edge_letters(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::Session: return "so";
    case EdgeKind::Realtime: return "rt";
    case EdgeKind::ReadsFrom: return "wr";
    case EdgeKind::WriteOrder: return "ww";
    case EdgeKind::AntiDependency: return "rw";
  }
  return "";
}

Anomaly anomaly_of(const History& history, Level level,
                   const Refutation& refutation, Order at_least) {
  assert(!refutation.cases.empty() && "a refutation has a case");
  OrderNeeded needed(history, level.order);
  std::optional<Named> named;
  const BadRead* bad = nullptr;
  for (const Case& c : refutation.cases) {
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      const Named one = name_of(history, *cycle, level, needed);
      named = named ? join(*named, one) : one;
    } else if (const auto* set = std::get_if<UnfoundedSet>(&c.contradiction)) {
      const Named one = name_of(history, *set);
      named = named ? join(*named, one) : one;
    } else if (bad == nullptr || bad->kind == BadReadKind::NoWriter) {
      bad = &std::get<BadRead>(c.contradiction);
    }
  }
  if (!named) {
    const auto& row = kBadReads[static_cast<std::size_t>(bad->kind)];
    if (bad->kind == BadReadKind::Incompatible && is_repeated(history, *bad))
      return {std::string(row.id), "a list element twice"};
    if (is_of_a_later_write(history, *bad))
      return {std::string(row.id), "a value nobody had written yet"};
    return {std::string(row.id), std::string(row.words)};
  }
  std::string id(kClasses[static_cast<std::size_t>(named->kind)].id);
  const Order order = std::max(named->order, at_least);
  if (order != Order::None) id += "-" + std::string(name(order));
  return {std::move(id), std::string(named->words)};
}

}  // namespace txscope::check
